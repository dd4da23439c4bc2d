import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { QuotaInput } from "../../components/QuotaInput.tsx";
import type { User } from "./user.ts";
import { addQuota } from "./user-calls.ts";
import { USERS_KEY } from "./user-queries.ts";

const PICKS = [1, 10, 50, 100, 500];

/** Adds to a balance, or takes from it: old + delta = new. */
export const QuotaDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const money = useMoneyFormat();
  const [text, setText] = useState("");
  const [isSaving, setSaving] = useState(false);
  const delta = /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0;
  const isTooLow = user.quota + delta < 0;
  const save = async () => {
    setSaving(true);
    try {
      const { quota } = await addQuota(user.id, delta);
      notifyDone(t("users.quota.done", { name: user.username, quota: amountText(quota, money) }));
      void client.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
    } catch (error) {
      notifyError(error);
      setSaving(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} fullWidth maxWidth="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (delta !== 0 && !isTooLow) void save();
        }}
      >
        <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
          {t("users.quota.title", { name: user.username })}
        </DialogTitle>
        <DialogContent>
          <Field
            label={t("users.quota.delta")}
            htmlFor={id}
            hint={t("users.quota.hint")}
            error={isTooLow ? t("users.quota.tooLow") : undefined}
          >
            <QuotaInput id={id} value={text} onChange={setText} picks={PICKS} hasError={isTooLow} />
          </Field>
          <Box role="status" className="num" sx={{ mt: 4, fontSize: 14, fontWeight: 560 }}>
            {t("users.quota.sum", {
              before: amountText(user.quota, money),
              delta: amountText(delta, money),
              after: amountText(user.quota + delta, money),
            })}
          </Box>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button
            type="submit"
            variant="contained"
            color="primary"
            loading={isSaving}
            disabled={delta === 0 || isTooLow}
          >
            {t(delta < 0 ? "users.quota.take" : "users.quota.add")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
