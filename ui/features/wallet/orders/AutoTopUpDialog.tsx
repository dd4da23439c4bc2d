import Box from "@mui/material/Box";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { AutoTopUpInput, AutoTopUpView } from "../../../../src/domain/wallet/orders/automatic/auto-top-up.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { autoTopUpApi } from "../../../api/groups.ts";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { moneyText } from "../../../lib/format/money.ts";
import { paymentOptions, priceOf } from "../wallet-calls.ts";

/** Automatic top-up of the account, and its card. */
export const autoTopUp = queryOptions({
  queryKey: [...WALLET_KEY, "auto-top-up"],
  queryFn: ({ signal }) => readData(autoTopUpApi.get({ fetch: { signal } })),
});

export const saveAutoTopUp = (input: AutoTopUpInput) => readEnvelope(autoTopUpApi.put({ ...input }));
/** Ends a pause: the card is charged again if the balance is low. */
export const resumeAutoTopUp = () => readEnvelope(autoTopUpApi.resume.post());
/** Resolves with the address of a page of Stripe. */
export const startCardSetup = () => readData(autoTopUpApi.card.post());
/** Looks up the cards that were saved on pages of Stripe. */
export const confirmCard = () => readData(autoTopUpApi.card.confirm.post());
export const removeCard = () => readEnvelope(autoTopUpApi.card.delete());

/** Quota units as text while they are edited. */
type Form = { threshold: string; amount: string; limit: string };

const THRESHOLD_PICKS = [2, 5, 10];
const AMOUNT_PICKS = [10, 20, 50];
const LIMIT_PICKS = [50, 100, 500];

const isAmount = (text: string): boolean => Number.isSafeInteger(Number(text)) && Number(text) > 0;

/** Turns automatic top-up on, or changes it. */
export const AutoTopUpDialog = ({ view, onClose }: { view: AutoTopUpView; onClose: () => void }) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  const client = useQueryClient();
  const id = useId();
  const textOf = (units: number, dollars: number) => String(units || dollars * quotaPerUnit);
  const initial: Form = {
    threshold: textOf(view.threshold, 5),
    amount: textOf(view.amount, 20),
    limit: textOf(view.monthly_limit, 100),
  };
  const { body, form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial,
    rejection: "inline",
    check: ({ threshold, amount, limit }: Form) => ({
      threshold: isAmount(threshold) ? undefined : ("invalid" as const),
      amount: isAmount(amount) ? undefined : ("invalid" as const),
      limit: !isAmount(limit) ? ("invalid" as const) : Number(limit) < Number(amount) ? ("tooLow" as const) : undefined,
    }),
    send: async ({ threshold, amount, limit }) => {
      await saveAutoTopUp({
        ...{ is_on: true, threshold: Number(threshold), amount: Number(amount), monthly_limit: Number(limit) },
      });
      await client.invalidateQueries(autoTopUp);
      notifyDone(t("wallet.autoTopUp.saved"));
      onClose();
    },
  });
  const errorOf = (field: keyof Form) => {
    const fault = faults[field];
    return fault && t(`wallet.autoTopUp.errors.${fault}`);
  };
  return (
    <FormDialog
      title={t(view.is_on ? "wallet.autoTopUp.changeTitle" : "wallet.autoTopUp.setUpTitle")}
      action={t(view.is_on ? "wallet.autoTopUp.save" : "wallet.autoTopUp.turnOn")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Box ref={body}>
        <Col gap={4}>
          <Field
            label={t("wallet.autoTopUp.threshold")}
            htmlFor={`${id}-threshold`}
            hint={t("wallet.autoTopUp.thresholdHint")}
            error={errorOf("threshold")}
          >
            <QuotaInput
              id={`${id}-threshold`}
              value={form.threshold}
              onChange={(threshold) => change({ threshold })}
              hasError={faults.threshold !== undefined}
              picks={THRESHOLD_PICKS}
            />
          </Field>
          <Field
            label={t("wallet.autoTopUp.amount")}
            htmlFor={`${id}-amount`}
            hint={<Price quota={Number(form.amount)} />}
            error={errorOf("amount")}
          >
            <QuotaInput
              id={`${id}-amount`}
              value={form.amount}
              onChange={(amount) => change({ amount })}
              hasError={faults.amount !== undefined}
              picks={AMOUNT_PICKS}
            />
          </Field>
          <Field
            label={t("wallet.autoTopUp.limit")}
            htmlFor={`${id}-limit`}
            hint={t("wallet.autoTopUp.limitHint")}
            error={errorOf("limit") ?? problem}
          >
            <QuotaInput
              id={`${id}-limit`}
              value={form.limit}
              onChange={(limit) => change({ limit })}
              hasError={faults.limit !== undefined}
              picks={LIMIT_PICKS}
            />
          </Field>
        </Col>
      </Box>
    </FormDialog>
  );
};

/** What each top-up costs. */
const Price = ({ quota }: { quota: number }) => {
  const { t, i18n } = useTranslation();
  const { inCurrency, quotaPerUnit } = useMoneyFormat();
  const amount = inCurrency ? quota / quotaPerUnit : quota;
  const { data: options } = useQuery(paymentOptions);
  const { data } = useQuery({ ...priceOf(amount, "stripe"), enabled: Number.isSafeInteger(amount) && amount > 0 });
  const currency = options?.ways.find(({ method }) => method === "stripe")?.currency;
  if (!data || currency === undefined) return null;
  return t("wallet.autoTopUp.price", { price: moneyText(data.money, currency, i18n.language) });
};
