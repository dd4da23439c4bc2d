import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useId } from "react";
import { useTranslation } from "react-i18next";

const DEFAULT_ACCOUNT = { username: "root", password: "123456" };

/** Whether somebody signed in with the account that every installation of this family once started with. */
export const isDefaultAccount = (username: string, password: string): boolean =>
  username === DEFAULT_ACCOUNT.username && password === DEFAULT_ACCOUNT.password;

/** Warns that everybody knows this password. */
export const DefaultPasswordDialog = ({ onChange, onLater }: { onChange: () => void; onLater: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {t("login.defaultPassword.title")}
      </DialogTitle>
      <DialogContent sx={{ fontSize: 13, color: "text.secondary" }}>{t("login.defaultPassword.body")}</DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onLater}>{t("login.defaultPassword.later")}</Button>
        <Button autoFocus variant="contained" color="primary" onClick={onChange}>
          {t("login.defaultPassword.action")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
