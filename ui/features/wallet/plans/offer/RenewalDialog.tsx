import Box from "@mui/material/Box";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { formatDate } from "../../../../lib/format/time.ts";
import { methodName } from "../../orders/method-name.ts";
import { paymentOptions, reloadWallet } from "../../wallet-calls.ts";
import { setRenewalMethod } from "../plan-calls.ts";

type Props = Readonly<{ subscription: SubscriptionView; onClose: () => void }>;

/** Chooses whether the balance pays later periods of a subscription, or its subscriber after a reminder. */
export const RenewalDialog = ({ subscription: own, onClose }: Props) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const format = useMoneyFormat();
  const offered = useQuery(paymentOptions).data?.periods ?? [];
  const methods = own.pay_method && !offered.includes(own.pay_method) ? [own.pay_method, ...offered] : offered;
  return (
    <ResourceForm<{ payWith: string }>
      as="dialog"
      title={t("plans.orders.renewalTitle", { name: own.plan_name })}
      action={t("wallet.autoTopUp.save")}
      isNew
      text={(name) => `plans.${name}`}
      initial={{ payWith: own.pay_method ?? BALANCE }}
      save={async ({ payWith }) => {
        await setRenewalMethod(own.id, methods.find((method) => method === payWith) ?? null);
        await reloadWallet(client);
        return t("plans.saved");
      }}
      reload={[]}
      rejectedField={() => "payWith"}
      sections={({ payWith }) => [
        {
          fields: [
            {
              kind: "select",
              field: "payWith",
              options: [
                [BALANCE, t("plans.payBalance")],
                ...methods.map(
                  (method) => [method, t("plans.orders.payBy", { method: methodName(method, methods, t) })] as const,
                ),
              ],
            },
            <Box key="when" sx={{ fontSize: 13 }}>
              {t(payWith === BALANCE ? "plans.orders.fromBalance" : "plans.orders.byReminder", {
                price: amountText(own.renewal_price, format),
              })}
            </Box>,
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** The choice of the balance among payment methods. */
const BALANCE = "balance";

type TextProps = Readonly<{
  subscription: SubscriptionView;
  /** The name of the plan that follows. */
  next: string;
}>;

/** Says what happens when the present period of a subscription ends, and what the subscriber has to do. */
export const RenewalText = ({ subscription: own, next }: TextProps) => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const dateOf = (seconds: number) => formatDate(seconds * 1000, i18n.language, { dateStyle: "medium" });
  const isPaypal = own.service === "paypal";
  const isPaused = own.status === "paused";
  return (
    <>
      {isPaused || own.pause_at_end
        ? t(isPaused ? "plans.isPaused" : "plans.pausesOn", { date: dateOf(own.period_end) })
        : own.pay_method !== null && !own.cancel_at_end && (own.renewal_price > 0 || own.is_next_paid)
          ? t(nextText(own), {
              date: dateOf(own.status === "past_due" ? own.pay_until : own.period_end),
              price: amountText(own.renewal_price, format),
              name: next,
              method: t(`wallet.methods.${own.pay_method}`),
            })
          : own.is_card && (!own.cancel_at_end || own.next_plan_id !== null)
            ? own.status === "past_due"
              ? t("plans.cardDue", { service: isPaypal ? "PayPal" : "Stripe" })
              : own.next_plan_id !== null
                ? t("plans.serviceChanges", {
                    ...{ date: dateOf(own.period_end), name: next, service: isPaypal ? "PayPal" : "Stripe" },
                  })
                : t(isPaypal ? "plans.paypalRenews" : "plans.cardRenews", { date: dateOf(own.period_end) })
            : own.status === "past_due"
              ? t("plans.pastDue", { price: amountText(own.renewal_price, format) })
              : own.cancel_at_end
                ? t("plans.endsOn", { date: dateOf(own.period_end) })
                : t("plans.renewsOn", {
                    date: dateOf(own.period_end),
                    price: amountText(own.renewal_price, format),
                    name: next,
                  })}
    </>
  );
};

const nextText = ({ is_next_paid: isPaid, status }: SubscriptionView) =>
  isPaid ? "plans.orders.nextPaid" : status === "past_due" ? "plans.orders.overdue" : "plans.orders.renews";
