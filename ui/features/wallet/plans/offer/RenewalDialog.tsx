import Box from "@mui/material/Box";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { Col } from "../../../../components/layout.tsx";
import { formatDate } from "../../../../lib/format/time.ts";
import { methodName } from "../../orders/method-name.ts";
import { paymentOptions, reloadWallet } from "../../wallet-calls.ts";
import { Choice } from "../Choice.tsx";
import { setRenewalMethod } from "../plan-calls.ts";

type Props = Readonly<{ subscription: SubscriptionView; onClose: () => void }>;

/** Chooses whether the balance pays later periods of a subscription, or its subscriber after a reminder. */
export const RenewalDialog = ({ subscription: own, onClose }: Props) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const format = useMoneyFormat();
  const offered = useQuery(paymentOptions).data?.periods ?? [];
  const methods = own.pay_method && !offered.includes(own.pay_method) ? [own.pay_method, ...offered] : offered;
  const [chosen, setChosen] = useState(own.pay_method);
  const change = useMutation({
    mutationFn: () => setRenewalMethod(own.id, chosen),
    onSuccess: async () => {
      await reloadWallet(client);
      notifyDone(t("plans.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("plans.orders.renewalTitle", { name: own.plan_name })}
      action={t("wallet.autoTopUp.save")}
      isBusy={change.isPending}
      onClose={onClose}
      onSubmit={() => change.mutate()}
    >
      <Col gap={4}>
        <Choice
          id="renewal-pay"
          label={t("plans.payWith")}
          value={chosen ?? "balance"}
          options={[
            ["balance", t("plans.payBalance")] as const,
            ...methods.map(
              (method) => [method, t("plans.orders.payBy", { method: methodName(method, methods, t) })] as const,
            ),
          ]}
          onChange={(method) => setChosen(method === "balance" ? null : method)}
        />
        <Box sx={{ fontSize: 13 }}>
          {t(chosen === null ? "plans.orders.fromBalance" : "plans.orders.byReminder", {
            price: amountText(own.renewal_price, format),
          })}
        </Box>
        {change.error && (
          <Box role="alert" sx={{ fontSize: 13, color: "error.main" }}>
            {change.error.message}
          </Box>
        )}
      </Col>
    </FormDialog>
  );
};

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
