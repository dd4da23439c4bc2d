import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Col, Field } from "../../../components/layout.tsx";
import { WALLET_KEY } from "../wallet-calls.ts";
import { askWithdrawal } from "./agent-calls.ts";

/** Requests a withdrawal of earnings; `available` is in quota units. */
export const WithdrawDialog = ({ available, onClose }: { available: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: { quota: String(available), account: "", note: "" },
    check: ({ quota, account }) => {
      const amount = Number(quota);
      const isAmountWrong = !Number.isInteger(amount) || amount < format.quotaPerUnit || amount > available;
      return {
        ...(isAmountWrong && { quota: "range" }),
        ...(account.trim() === "" && { account: "accountMissing" }),
      };
    },
    eager: ["quota"],
    rejection: "inline",
    send: async (request) => {
      await askWithdrawal({ ...request, quota: Number(request.quota) });
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("agents.withdraw.done"));
      onClose();
    },
  });
  const range = {
    least: amountText(format.quotaPerUnit, format),
    most: amountText(available, format),
  };
  return (
    <FormDialog
      title={t("agents.withdraw.title")}
      action={t("agents.withdraw.action")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Field
          label={t("agents.withdraw.quota")}
          htmlFor="withdraw-quota"
          hint={t("agents.withdraw.range", range)}
          error={faults.quota ? t(`agents.withdraw.${faults.quota}`, range) : problem}
        >
          <QuotaInput
            id="withdraw-quota"
            value={form.quota}
            onChange={(quota) => change({ quota })}
            hasError={faults.quota !== undefined}
          />
        </Field>
        <Field
          label={t("agents.withdraw.account")}
          htmlFor="withdraw-account"
          hint={t("agents.withdraw.accountHint")}
          error={faults.account && t(`agents.withdraw.${faults.account}`)}
        >
          <OutlinedInput
            id="withdraw-account"
            fullWidth
            value={form.account}
            onChange={(event) => change({ account: event.target.value })}
            error={faults.account !== undefined}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
        <Field label={t("agents.note")} htmlFor="withdraw-note">
          <OutlinedInput
            id="withdraw-note"
            fullWidth
            value={form.note}
            onChange={(event) => change({ note: event.target.value })}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
