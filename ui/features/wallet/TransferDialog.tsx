import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { FormDialog } from "../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../components/form/use-checked-form.ts";
import { QuotaInput } from "../../components/inputs/QuotaInput.tsx";
import { Field } from "../../components/layout.tsx";

type Props = {
  /** Quota units available for transfer. */
  available: number;
  transfer: (quota: number) => Promise<unknown>;
  /** The query to refetch besides the balance. */
  queryKey: readonly unknown[];
  onClose: () => void;
};

/** Transfers earnings to the balance; one dollar at least. */
export const TransferDialog = ({ available, transfer, queryKey, onClose }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const { form, change, problem, isSaving, submit } = useCheckedForm({
    initial: { quota: String(available) },
    rejection: "inline",
    send: async ({ quota }) => {
      await transfer(Number(quota));
      await Promise.all([client.invalidateQueries({ queryKey }), client.invalidateQueries({ queryKey: ["self"] })]);
      notifyDone(t("rewards.transfer.done"));
      onClose();
    },
  });
  const amount = Number(form.quota);
  const isTooSmall = !Number.isInteger(amount) || amount < format.quotaPerUnit;
  const isTooLarge = amount > available;
  const minimum = amountText(format.quotaPerUnit, format);
  const error = isTooSmall
    ? t("rewards.transfer.tooSmall", { minimum })
    : isTooLarge
      ? t("rewards.transfer.tooLarge")
      : problem;
  return (
    <FormDialog
      title={t("rewards.transfer.title")}
      action={t("rewards.transfer.action")}
      isBusy={isSaving}
      isDisabled={isTooSmall || isTooLarge}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={t("rewards.transfer.label")}
        htmlFor="transfer"
        hint={t("rewards.transfer.hint", { amount: amountText(available, format) })}
        error={error}
      >
        <QuotaInput
          id="transfer"
          value={form.quota}
          onChange={(quota) => change({ quota })}
          hasError={Boolean(error)}
        />
      </Field>
    </FormDialog>
  );
};
