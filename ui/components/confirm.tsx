import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Typography from "@mui/material/Typography";
import { createContext, type ReactNode, useCallback, useContext, useId, useState } from "react";
import { useTranslation } from "react-i18next";

export type Question = {
  title: string;
  /** What will happen, and to how many. */
  body: ReactNode;
  /** The verb on the button: "Delete 3 channels". */
  action: string;
  isDangerous?: boolean;
};

type Ask = (question: Question) => Promise<boolean>;

const Context = createContext<Ask>(async () => false);

/** Asks before something that cannot be taken back; resolves with the answer. */
export const useConfirm = (): Ask => useContext(Context);

/** Holds the one question that is open. */
export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const { t } = useTranslation();
  const titleId = useId();
  const [open, setOpen] = useState<(Question & { answer: (yes: boolean) => void }) | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((answer) => setOpen({ ...question, answer })), []);
  const answer = (yes: boolean) => {
    open?.answer(yes);
    setOpen(null);
  };
  return (
    <Context value={ask}>
      {children}
      {open && (
        <Dialog open onClose={() => answer(false)} aria-labelledby={titleId} maxWidth="xs" fullWidth>
          <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
            {open.title}
          </DialogTitle>
          <DialogContent>
            <Typography variant="body2" component="div" sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
              {open.body}
            </Typography>
          </DialogContent>
          <DialogActions sx={{ px: 6, pb: 4 }}>
            <Button onClick={() => answer(false)}>{t("components.cancel")}</Button>
            <Button
              autoFocus
              variant="contained"
              color={open.isDangerous ? "error" : "primary"}
              onClick={() => answer(true)}
            >
              {open.action}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Context>
  );
};
