import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Invitation } from "../../../src/wallet/invitation.ts";
import { Field } from "../../components/layout.tsx";
import { amountText, useMoneyFormat } from "../../components/money-format.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { QuotaInput } from "../../components/QuotaInput.tsx";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { invitation, transferRewards } from "./rewards-calls.ts";

/** Moves invitation rewards to the balance. */
export const TransferDialog = ({ invitation: mine, onClose }: { invitation: Invitation; onClose: () => void }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const [quota, setQuota] = useState(String(mine.quota));
  const move = useMutation({
    mutationFn: () => transferRewards(Number(quota)),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: invitation.queryKey }),
        client.invalidateQueries({ queryKey: ["self"] }),
      ]);
      notifyDone(t("rewards.transfer.done"));
      onClose();
    },
  });
  const amount = Number(quota);
  const minimum = amountText(mine.min_transfer, format);
  const wrong = !Number.isInteger(amount) || amount < mine.min_transfer;
  const error = wrong
    ? t("rewards.transfer.tooSmall", { minimum })
    : amount > mine.quota
      ? t("rewards.transfer.tooLarge")
      : move.error?.message;
  return (
    <FormDialog
      title={t("rewards.transfer.title")}
      action={t("rewards.transfer.action")}
      isBusy={move.isPending}
      isDisabled={wrong || amount > mine.quota}
      onClose={onClose}
      onSubmit={() => move.mutate()}
    >
      <Field
        label={t("rewards.transfer.label")}
        htmlFor="transfer"
        hint={t("rewards.transfer.hint", { amount: amountText(mine.quota, format) })}
        error={error}
      >
        <QuotaInput id="transfer" value={quota} onChange={setQuota} hasError={Boolean(error)} />
      </Field>
    </FormDialog>
  );
};
