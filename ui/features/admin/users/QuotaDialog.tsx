import Box from "@mui/material/Box";
import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import { USERS_KEY, type User } from "./user.ts";
import { addQuota } from "./user-form.ts";

const PICKS = [1, 10, 50, 100, 500];

/** Adds to or subtracts from a balance: old + delta = new. */
export const QuotaDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const money = useMoneyFormat();
  const { form, change, isSaving, submit } = useCheckedForm({
    initial: { delta: "" },
    send: async (typed) => {
      const { quota } = await addQuota(user.id, numberOf(typed.delta));
      notifyDone(t("users.quota.done", { name: user.username, quota: amountText(quota, money) }));
      void client.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
    },
  });
  const delta = numberOf(form.delta);
  const isTooLow = user.quota + delta < 0;
  return (
    <FormDialog
      title={t("users.quota.title", { name: user.username })}
      action={t(delta < 0 ? "users.quota.take" : "users.quota.add")}
      isBusy={isSaving}
      isDisabled={delta === 0 || isTooLow}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t("users.quota.delta")}
        htmlFor={id}
        hint={t("users.quota.hint")}
        error={isTooLow ? t("users.quota.tooLow") : undefined}
      >
        <QuotaInput
          id={id}
          value={form.delta}
          onChange={(text) => change({ delta: text })}
          picks={PICKS}
          hasError={isTooLow}
        />
      </Field>
      <Box role="status" className="num" sx={{ mt: 4, fontSize: 14, fontWeight: 560 }}>
        {t("users.quota.sum", {
          before: amountText(user.quota, money),
          delta: amountText(delta, money),
          after: amountText(user.quota + delta, money),
        })}
      </Box>
    </FormDialog>
  );
};

/** 0 while the input is not a whole number. */
const numberOf = (text: string): number => (/^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0);
