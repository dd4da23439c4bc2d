import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Field } from "../../components/layout.tsx";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { QuotaInput } from "../../components/QuotaInput.tsx";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { WALLET_KEY } from "../wallet/wallet-calls.ts";
import { askWithdrawal } from "./agent-calls.ts";

/** Asks for earnings to be paid out; `available` is in quota units. */
export const WithdrawDialog = ({ available, onClose }: { available: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const [form, setForm] = useState({ quota: String(available), account: "", note: "" });
  const [isTried, setTried] = useState(false);
  const send = useMutation({
    mutationFn: () => askWithdrawal({ ...form, quota: Number(form.quota) }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("agents.withdraw.done"));
      onClose();
    },
  });
  const amount = Number(form.quota);
  const isAmountWrong = !Number.isInteger(amount) || amount < format.quotaPerUnit || amount > available;
  const isAccountMissing = form.account.trim() === "";
  const range = {
    least: amountText(format.quotaPerUnit, format),
    most: amountText(available, format),
  };
  return (
    <FormDialog
      title={t("agents.withdraw.title")}
      action={t("agents.withdraw.action")}
      isBusy={send.isPending}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (!isAmountWrong && !isAccountMissing) send.mutate();
      }}
    >
      <Col gap={4}>
        <Field
          label={t("agents.withdraw.quota")}
          htmlFor="withdraw-quota"
          hint={t("agents.withdraw.range", range)}
          error={(isAmountWrong && t("agents.withdraw.range", range)) || send.error?.message}
        >
          <QuotaInput
            id="withdraw-quota"
            value={form.quota}
            onChange={(quota) => setForm({ ...form, quota })}
            hasError={isAmountWrong}
          />
        </Field>
        <Field
          label={t("agents.withdraw.account")}
          htmlFor="withdraw-account"
          hint={t("agents.withdraw.accountHint")}
          error={isTried && isAccountMissing ? t("agents.withdraw.accountMissing") : undefined}
        >
          <OutlinedInput
            id="withdraw-account"
            fullWidth
            value={form.account}
            onChange={(event) => setForm({ ...form, account: event.target.value })}
            error={isTried && isAccountMissing}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
        <Field label={t("agents.note")} htmlFor="withdraw-note">
          <OutlinedInput
            id="withdraw-note"
            fullWidth
            value={form.note}
            onChange={(event) => setForm({ ...form, note: event.target.value })}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
