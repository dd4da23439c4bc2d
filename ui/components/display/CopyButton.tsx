import Check from "@mui/icons-material/Check";
import ContentCopy from "@mui/icons-material/ContentCopy";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Tip } from "../tip/Tip.tsx";

const TICK_MS = 1500;

type Props = {
  /** The text, or a function that loads it on click (a key that must be fetched first). */
  text: string | (() => string | Promise<string>);
  label?: string;
  /** Shows a labeled button instead of an icon. */
  words?: string;
};

/** Copies text and shows a check mark for a moment; shows the text for manual copying if the browser refuses. */
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
        <Tip title={name}>
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
        </Tip>
      )}
      {manual !== null && <ManualCopyDialog text={manual} onClose={() => setManual(null)} />}
    </>
  );
};

/** Shows a text that the browser would not copy, selected, so that it can be copied by hand. */
export const ManualCopyDialog = ({ text, onClose }: { text: string; onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} fullWidth maxWidth="sm">
      <DialogTitle id={titleId}>{t("components.copy.manual")}</DialogTitle>
      <DialogContent>
        <OutlinedInput
          fullWidth
          multiline
          readOnly
          autoFocus
          value={text}
          onFocus={(event) => event.target.select()}
          inputProps={{ className: "mono", "aria-label": t("components.copy.manual") }}
        />
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};

/** Puts text on the clipboard; false where the browser does not allow it (then the user copies by hand). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For pages without a secure context, which can't use the Clipboard API. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.remove();
  }
}
