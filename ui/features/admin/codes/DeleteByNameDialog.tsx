import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Field } from "../../../components/layout.tsx";
import { countByName, deleteByName } from "./code-form.ts";

type DeleteByNameDialogProps = Readonly<{ onClose: () => void; onDeleted: () => void }>;

/** Shows how many codes have a name, then deletes them. */
export const DeleteByNameDialog = ({ onClose, onDeleted }: DeleteByNameDialogProps) => {
  const { t } = useTranslation();
  const id = useId();
  const [name, setName] = useState("");
  const [count, setCount] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const step = async () => {
    setBusy(true);
    try {
      if (count === null) setCount(await countByName(name.trim()));
      else {
        notifyDone(t("codes.deletedCount", { count: await deleteByName(name.trim()) }));
        onDeleted();
        onClose();
      }
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} fullWidth maxWidth="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "" && count !== 0) void step();
        }}
      >
        <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
          {t("codes.byName.title")}
        </DialogTitle>
        <DialogContent>
          <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("codes.byName.body")}</Box>
          <Field label={t("codes.byName.name")} htmlFor={id}>
            <OutlinedInput
              id={id}
              fullWidth
              autoFocus
              value={name}
              onChange={(event) => {
                setName(event.target.value);
                setCount(null);
              }}
            />
          </Field>
          <Box role="status" sx={{ mt: 3, minHeight: 20, fontSize: 13 }}>
            {count !== null && t("codes.byName.found", { count })}
          </Box>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button
            type="submit"
            variant="contained"
            color={count === null ? "primary" : "error"}
            loading={isBusy}
            disabled={name.trim() === "" || count === 0}
          >
            {count === null ? t("codes.byName.count") : t("codes.batch.delete", { count })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
