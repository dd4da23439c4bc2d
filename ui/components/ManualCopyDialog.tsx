import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";

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
