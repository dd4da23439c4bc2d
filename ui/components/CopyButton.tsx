import Check from "@mui/icons-material/Check";
import ContentCopy from "@mui/icons-material/ContentCopy";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "./copy-text.ts";
import { ManualCopyDialog } from "./ManualCopyDialog.tsx";

const TICK_MS = 1500;

type Props = {
  /** The text, or what makes it when the button is pressed (a key that must be fetched first). */
  text: string | (() => string | Promise<string>);
  label?: string;
  /** As a button with words instead of an icon. */
  words?: string;
};

/** Copies and shows a tick for a moment, in the same place; shows the text to copy by hand where the browser refuses. */
export const CopyButton = ({ text, label, words }: Props) => {
  const { t } = useTranslation();
  const [isDone, setDone] = useState(false);
  const [manual, setManual] = useState<string | null>(null);
  const copy = async () => {
    const value = typeof text === "string" ? text : await text();
    if (!(await copyText(value))) return setManual(value);
    setDone(true);
    setTimeout(() => setDone(false), TICK_MS);
  };
  const name = isDone ? t("components.copy.done") : (label ?? t("components.copy.copy"));
  const icon = isDone ? (
    <Check sx={{ color: "tone.ok.solid" }} />
  ) : (
    <ContentCopy sx={{ fontSize: "13px !important" }} />
  );
  return (
    <>
      {words ? (
        <Button onClick={copy} startIcon={icon}>
          {isDone ? t("components.copy.done") : words}
        </Button>
      ) : (
        <Tooltip title={name}>
          <IconButton
            size="small"
            aria-label={name}
            onClick={(event) => {
              event.stopPropagation();
              void copy();
            }}
          >
            {icon}
          </IconButton>
        </Tooltip>
      )}
      {manual !== null && <ManualCopyDialog text={manual} onClose={() => setManual(null)} />}
    </>
  );
};
