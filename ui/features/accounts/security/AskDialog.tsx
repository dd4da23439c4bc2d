import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Col } from "../../../components/layout.tsx";

type Props = {
  title: string;
  body?: ReactNode;
  /** The verb on the button. */
  action: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
  /** A rejection is shown, and the dialog stays open. */
  onSubmit: () => Promise<void>;
  onClose: () => void;
};

/** A small form in a dialog: a password, a code, a name. */
export const AskDialog = (props: Props) => {
  const { t } = useTranslation();
  const titleId = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    try {
      await props.onSubmit();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog open onClose={props.onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <form onSubmit={submit} noValidate>
        <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
          {props.title}
        </DialogTitle>
        <DialogContent>
          <Col gap={3.5}>
            {props.body && <Box sx={{ fontSize: 13, color: "text.secondary" }}>{props.body}</Box>}
            {problem && (
              <Alert role="alert" severity="error">
                {problem}
              </Alert>
            )}
            {props.children}
          </Col>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={props.onClose}>{t("components.cancel")}</Button>
          <Button
            type="submit"
            variant="contained"
            color={props.isDangerous ? "error" : "primary"}
            disabled={props.isDisabled ?? false}
            loading={isSending}
          >
            {props.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
