import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { submitByKeys } from "../inputs/submit-keys.ts";

type Props = {
  title: string;
  /** The verb on the button. */
  action: string;
  children: ReactNode;
  isBusy: boolean;
  isDisabled?: boolean;
  onSubmit: () => unknown;
  onClose: () => void;
};

/** A short form over the page. Render it only while it is open. */
export const FormDialog = ({ title, action, children, isBusy, isDisabled = false, onSubmit, onClose }: Props) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={titleId}>
      <form
        noValidate
        // A long form scrolls between its title and its buttons.
        style={{ display: "flex", flexDirection: "column", minHeight: 0 }}
        onKeyDown={(event) => submitByKeys(event, false)}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 3 }}>
          {title}
        </DialogTitle>
        <DialogContent>{children}</DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button type="submit" variant="contained" color="primary" loading={isBusy} disabled={isDisabled}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};

type ViewDialogProps = Readonly<{
  title: string;
  width?: "xs" | "sm" | "lg";
  /** Buttons, if there are others than "Close". */
  actions?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}>;

/** What there is to read over the page. Render it only while it is open. */
export const ViewDialog = ({ title, width = "sm", actions, onClose, children }: ViewDialogProps) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth={width} aria-labelledby={titleId}>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1, overflowWrap: "anywhere" }}>
        {title}
      </DialogTitle>
      <DialogContent>{children}</DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        {actions ?? <Button onClick={onClose}>{t("components.close")}</Button>}
      </DialogActions>
    </Dialog>
  );
};
