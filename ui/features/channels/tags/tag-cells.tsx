import ChevronRight from "@mui/icons-material/ChevronRight";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Switch from "@mui/material/Switch";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { KeyPips } from "../../../components/display/StatusChip.tsx";
import { Row } from "../../../components/layout.tsx";
import { InlineNumber } from "../cells/InlineNumber.tsx";
import { SuccessCell } from "../cells/traffic-cells.tsx";
import { common, type TagRow, trafficOf } from "./tag-rows.ts";
import { enabledOf, type TagActions } from "./use-tag-actions.ts";

/** What the cell of a column shows of a tag: what its channels have in common, or add up to. */
export function tagCell(key: string, row: TagRow, actions: TagActions, isOpen: boolean, t: TFunction): ReactNode {
  switch (key) {
    case "name":
      return (
        <Row gap={2}>
          {isOpen ? <ExpandMore fontSize="small" /> : <ChevronRight fontSize="small" />}
          <Box component="span" title={row.tag} sx={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
            {row.tag}
          </Box>
          <Box
            component="span"
            className="num"
            title={t("channels.tags.count", { count: row.channels.length })}
            sx={{ color: "text.tertiary", fontSize: 12.5 }}
          >
            {row.channels.length}
          </Box>
        </Row>
      );
    case "status":
      return <TagSwitch row={row} actions={actions} />;
    case "keys": {
      const sum = (field: "enabled" | "total") => row.channels.reduce((all, { keys }) => all + keys[field], 0);
      const keys = { enabled: sum("enabled"), total: sum("total") };
      return <KeyPips {...keys} label={t("channels.keysOn", keys)} />;
    }
    case "priority":
    case "weight":
      return (
        <InlineNumber
          isOfTag
          field={key}
          value={common(row, key)}
          label={t(key === "priority" ? "channels.editPriority" : "channels.editWeight", { name: row.tag })}
          onSave={(value) => actions.setNumber(row, key, value)}
        />
      );
    case "success":
      return <SuccessCell traffic={trafficOf(row)} />;
    case "used_quota":
      return <Money quota={row.channels.reduce((sum, { used_quota }) => sum + used_quota, 0)} />;
    default:
      return null;
  }
}

/** How many of a tag's channels are enabled, and a switch for all of them. */
const TagSwitch = ({ row, actions }: { row: TagRow; actions: TagActions }) => {
  const { t } = useTranslation();
  const enabled = enabledOf(row);
  return (
    <Row gap={2.5}>
      <Box component="span" onClick={(event) => event.stopPropagation()} sx={{ display: "inline-flex" }}>
        <Switch
          checked={enabled === row.channels.length}
          onChange={() => actions.toggle(row)}
          slotProps={{ input: { "aria-label": t("channels.toggle", { name: row.tag }) } }}
        />
      </Box>
      <span className="num" style={{ fontSize: 12.5 }}>
        {t("channels.tags.on", { enabled, total: row.channels.length })}
      </span>
    </Row>
  );
};

type TagCardProps = Readonly<{ row: TagRow; actions: TagActions; isOpen: boolean; onToggle: () => void }>;

/** A tag on a phone: how many of its channels are enabled, and a link to them. */
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
