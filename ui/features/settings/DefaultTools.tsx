import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../components/CodeBox.tsx";
import { Row } from "../../components/layout.tsx";

type DefaultToolsProps = Readonly<{
  /** The option's name. */
  label: string;
  /** Laid out for reading. */
  initial: string;
  /** The line beside the field tells only how many entries it has. */
  isLong: boolean;
  isInUse: boolean;
  onUse: () => void;
  /** Other tools of the field. */
  children?: ReactNode;
}>;

/** Below a field: puts the default in, and shows one that is too long for a line. */
export const DefaultTools = ({ label, initial, isLong, isInUse, onUse, children }: DefaultToolsProps) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen && isLong && !isInUse;
  return (
    <>
      <Row gap={1} wrap sx={{ mt: 1 }}>
        {children}
        {!isInUse && (
          <Button size="small" variant="text" onClick={onUse}>
            {t("settings.useDefault")}
          </Button>
        )}
        {isLong && !isInUse && (
          <Button size="small" variant="text" aria-expanded={isShown} onClick={() => setOpen(!isOpen)}>
            {t(isShown ? "settings.hideDefault" : "settings.showDefault")}
          </Button>
        )}
      </Row>
      {isShown && (
        <Box sx={{ mt: 2, maxHeight: 260, overflow: "auto" }}>
          <CodeBox code={initial} label={t("settings.defaultOf", { name: label })} />
        </Box>
      )}
    </>
  );
};
