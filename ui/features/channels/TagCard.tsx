import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { TagSwitch } from "./tag-columns.tsx";
import type { TagRow } from "./tag-rows.ts";
import type { TagActions } from "./use-tag-actions.ts";

type TagCardProps = Readonly<{ row: TagRow; actions: TagActions; isOpen: boolean; onToggle: () => void }>;

/** A tag on a phone: how many of its channels are on, and the way to them. */
export const TagCard = ({ row, actions, isOpen, onToggle }: TagCardProps) => {
  const { t } = useTranslation();
  return (
    <Row gap={3} wrap>
      <TagSwitch row={row} actions={actions} />
      <Button size="small" variant="text" aria-expanded={isOpen} onClick={onToggle}>
        {t(isOpen ? "channels.tags.hide" : "channels.tags.show", { count: row.channels.length })}
      </Button>
    </Row>
  );
};
