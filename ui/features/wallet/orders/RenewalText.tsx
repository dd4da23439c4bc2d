import { useTranslation } from "react-i18next";
import type { SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { formatDate } from "../../../lib/format/time.ts";

type Props = Readonly<{
  subscription: SubscriptionView;
  /** The name of the plan that follows. */
  next: string;
}>;

/** Says what happens when the present period of a subscription ends, and what the subscriber has to do. */
export const RenewalText = ({ subscription: own, next }: Props) => {
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
