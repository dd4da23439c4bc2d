import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Typography from "@mui/material/Typography";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Question } from "./confirm.tsx";

/** Asks for confirmation; closing it means no. */
export const ConfirmDialog = ({ question, onAnswer }: { question: Question; onAnswer: (yes: boolean) => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open onClose={() => onAnswer(false)} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {question.title}
      </DialogTitle>
      <DialogContent>
        <Typography variant="body2" component="div" sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
          {question.body}
        </Typography>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={() => onAnswer(false)}>{t("components.cancel")}</Button>
        <Button
          autoFocus
          variant="contained"
          color={question.isDangerous ? "error" : "primary"}
          onClick={() => onAnswer(true)}
        >
          {question.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
