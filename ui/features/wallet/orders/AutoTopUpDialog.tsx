import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AutoTopUpInput, AutoTopUpView } from "../../../../src/domain/wallet/orders/automatic/auto-top-up.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { autoTopUpApi } from "../../../api/groups.ts";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
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

const check = ({ threshold, amount, limit }: Form) => ({
  threshold: isAmount(threshold) ? undefined : "invalid",
  amount: isAmount(amount) ? undefined : "invalid",
  limit: !isAmount(limit) ? "invalid" : Number(limit) < Number(amount) ? "tooLow" : undefined,
});

/** Turns automatic top-up on, or changes it. */
export const AutoTopUpDialog = ({ view, onClose }: { view: AutoTopUpView; onClose: () => void }) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  const textOf = (units: number, dollars: number) => String(units || dollars * quotaPerUnit);
  return (
    <ResourceForm<Form>
      as="dialog"
      title={t(view.is_on ? "wallet.autoTopUp.changeTitle" : "wallet.autoTopUp.setUpTitle")}
      action={t(view.is_on ? "wallet.autoTopUp.save" : "wallet.autoTopUp.turnOn")}
      isNew
      text={(name) => `wallet.autoTopUp.${name}`}
      initial={{
        threshold: textOf(view.threshold, 5),
        amount: textOf(view.amount, 20),
        limit: textOf(view.monthly_limit, 100),
      }}
      check={check}
      rejectedField={() => "limit"}
      save={async ({ threshold, amount, limit }) => {
        await saveAutoTopUp({
          ...{ is_on: true, threshold: Number(threshold), amount: Number(amount), monthly_limit: Number(limit) },
        });
        return t("wallet.autoTopUp.saved");
      }}
      reload={[autoTopUp]}
      sections={({ amount }) => [
        {
          fields: [
            { kind: "quota", field: "threshold", hint: true, picks: THRESHOLD_PICKS },
            { kind: "quota", field: "amount", hint: <Price quota={Number(amount)} />, picks: AMOUNT_PICKS },
            { kind: "quota", field: "limit", hint: true, picks: LIMIT_PICKS },
          ],
        },
      ]}
      onClose={onClose}
    />
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
