import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { TOKENS_KEY, type Token } from "../../api/api-keys/api-key.ts";
import { notifyError } from "../../components/feedback/notify.tsx";
import { Field } from "../../components/layout.tsx";
import { exactTime } from "../../lib/format/time.ts";
import { rotateToken } from "./drawer/api-key-calls.ts";

const GRACE = [
  ["now", 0],
  ["hour", 3600],
  ["day", 86_400],
  ["week", 7 * 86_400],
] as const;

type RotateDialogProps = Readonly<{ token: Token; onClose: () => void; onRotated: (token: Token) => void }>;

/** Rotates a key's secret; asks for the grace period of the old one. */
export const RotateDialog = ({ token, onClose, onRotated }: RotateDialogProps) => {
  const { t, i18n } = useTranslation();
  const now = Date.now() / 1000;
  const id = useId();
  const client = useQueryClient();
  const [seconds, setSeconds] = useState<number>(86_400);
  const [isRunning, setRunning] = useState(false);
  const rotate = async () => {
    setRunning(true);
    try {
      const rotated = await rotateToken(token.id, seconds);
      void client.invalidateQueries({ queryKey: TOKENS_KEY });
      onClose();
      onRotated(rotated);
    } catch (error) {
      notifyError(error);
      setRunning(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 620, pb: 1, overflowWrap: "anywhere" }}>
        {t("apiKeys.rotate.title", { name: token.name })}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("apiKeys.rotate.body")}</Box>
        {token.rotation && token.rotation.due < now + seconds && (
          <Box sx={{ fontSize: 13, mb: 4 }}>
            {t(token.rotation.due <= now ? "apiKeys.rotate.overdue" : "apiKeys.rotate.limit", {
              policy: token.rotation.policy,
              time: exactTime(token.rotation.due, i18n.language),
            })}
          </Box>
        )}
        <Field label={t("apiKeys.rotate.grace")}>
          <Select
            fullWidth
            value={seconds}
            onChange={(event) => setSeconds(Number(event.target.value))}
            inputProps={{ "aria-label": t("apiKeys.rotate.grace") }}
          >
            {GRACE.map(([name, value]) => (
              <MenuItem key={name} value={value}>
                {t(`apiKeys.rotate.${name}`)}
              </MenuItem>
            ))}
          </Select>
        </Field>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.cancel")}</Button>
        <Button variant="contained" color="primary" loading={isRunning} onClick={rotate}>
          {t("apiKeys.rotate.action")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
