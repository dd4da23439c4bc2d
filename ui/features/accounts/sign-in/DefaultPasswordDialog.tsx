import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useId } from "react";
import { useTranslation } from "react-i18next";

/** Warns that this password is publicly known. */
export const DefaultPasswordDialog = ({ onChange, onLater }: { onChange: () => void; onLater: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {t("signIn.defaultPassword.title")}
      </DialogTitle>
      <DialogContent sx={{ fontSize: 13, color: "text.secondary" }}>{t("signIn.defaultPassword.body")}</DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onLater}>{t("signIn.defaultPassword.later")}</Button>
        <Button autoFocus variant="contained" color="primary" onClick={onChange}>
          {t("signIn.defaultPassword.action")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
