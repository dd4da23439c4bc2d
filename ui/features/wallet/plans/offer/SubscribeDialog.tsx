import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ReminderMethod } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Plan } from "../../../../../src/domain/wallet/plans/plan-account.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { Col, Field, Row } from "../../../../components/layout.tsx";
import { methodName } from "../../orders/method-name.ts";
import { paymentOptions, reloadWallet } from "../../wallet-calls.ts";
import { Choice } from "../Choice.tsx";
import { periodText } from "../period-text.ts";
import { orderPlan, payAtService, readCoupon, subscribeTo } from "../plan-calls.ts";
import { isSeats, SeatsField } from "../SeatsDialog.tsx";
import { usePeriodPayment } from "./PeriodPayment.tsx";

/** Services that charge each period by themselves. */
const SERVICES = [
  { service: "stripe", name: "Stripe", label: "plans.payCard" },
  { service: "paypal", name: "PayPal", label: "plans.payPaypal" },
] as const;
type Service = (typeof SERVICES)[number]["service"];

/** Says what a plan costs, with a coupon if there is one, and subscribes to it. */
export const SubscribeDialog = ({ plan, onClose }: { plan: Plan; onClose: () => void }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const [code, setCode] = useState("");
  const { id: organization } = useActing();
  const least = organization === null || plan.seatPrice === 0 ? null : plan.seats;
  const [seats, setSeats] = useState(String(least ?? ""));
  const isSeatsWrong = least !== null && !isSeats(seats, least);
  const extraSeats = least === null || isSeatsWrong ? 0 : Number(seats) - least;
  const input = { planId: plan.id, coupon: code.trim(), ...(extraSeats > 0 && { seats: Number(seats) }) };
  const check = useMutation({ mutationFn: () => readCoupon(input) });
  const subscribe = useMutation({
    mutationFn: () => subscribeTo(input),
    onSuccess: () => {
      notifyDone(t("plans.subscribed", { name: plan.name }));
      onClose();
    },
    onSettled: () => reloadWallet(client),
  });
  const methods = useQuery(paymentOptions).data?.ways ?? [];
  const total = plan.price + extraSeats * plan.seatPrice;
  const services = SERVICES.filter(({ service }) => total > 0 && methods.some(({ method }) => method === service));
  const periods = useQuery(paymentOptions).data?.periods ?? [];
  const [payment, setPayment] = useState<"balance" | Service | ReminderMethod>("balance");
  const pay = useMutation({
    mutationFn: (service: Service) => payAtService(service, input),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const paidBy = services.find(({ service }) => service === payment);
  const byOrder = total > 0 ? periods.find((method) => method === payment) : undefined;
  const opened = usePeriodPayment(byOrder ? methodName(byOrder, periods, t) : "", onClose);
  const order = useMutation({
    mutationFn: (method: ReminderMethod) => orderPlan(method, input),
    onSuccess: (started) => {
      if (started) return opened.open(started);
      notifyDone(t("plans.subscribed", { name: plan.name }));
      void reloadWallet(client);
      onClose();
    },
  });
  const submit = () => {
    if (isSeatsWrong) return;
    if (byOrder) order.mutate(byOrder);
    else if (paidBy) pay.mutate(paidBy.service);
    else subscribe.mutate();
  };
  const reset = () => {
    for (const { reset: forget } of [check, subscribe, pay, order]) forget();
  };
  const price = amountText(total, format);
  const period = periodText(plan, t);
  const error = (subscribe.error ?? pay.error ?? order.error ?? check.error)?.message;
  if (opened.dialog) return opened.dialog;
  return (
    <FormDialog
      title={t("plans.subscribeTitle", { name: plan.name })}
      action={t(paidBy || (byOrder && plan.trialDays === 0) ? "plans.toCard" : "plans.subscribe")}
      isBusy={subscribe.isPending || pay.isPending || order.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        {(services.length > 0 || (total > 0 && periods.length > 0)) && (
          <Choice
            id="subscribe-pay"
            label={t("plans.payWith")}
            value={payment}
            options={[
              ["balance", t("plans.payBalance")],
              ...services.map(({ service, label }): [Service, string] => [service, t(label)]),
              ...(total > 0 ? periods : []).map((method): [ReminderMethod, string] => [
                method,
                t("plans.orders.payBy", { method: methodName(method, periods, t) }),
              ]),
            ]}
            onChange={setPayment}
          />
        )}
        <Box sx={{ fontSize: 13 }}>
          {paidBy
            ? `${t("plans.cardBody", { period, service: paidBy.name })}${plan.trialDays > 0 ? ` ${t("plans.cardTrial", { count: plan.trialDays })}` : ""}`
            : byOrder
              ? t(plan.trialDays > 0 ? "plans.orders.trialBody" : "plans.orders.subscribeBody", { price, period })
              : plan.trialDays > 0
                ? t("plans.trialBody", { count: plan.trialDays, price })
                : t("plans.subscribeBody", { price, period })}
        </Box>
        {least !== null && (
          <SeatsField
            least={least}
            seatPrice={plan.seatPrice}
            value={seats}
            onChange={(value) => {
              setSeats(value);
              reset();
            }}
          />
        )}
        {total > 0 && (
          <Field label={t("plans.coupons.coupon")} htmlFor="subscribe-coupon" error={error}>
            <Row>
              <OutlinedInput
                id="subscribe-coupon"
                fullWidth
                value={code}
                onChange={(event) => {
                  setCode(event.target.value);
                  reset();
                }}
                error={error !== undefined}
                inputProps={{ maxLength: 100, autoComplete: "off", className: "mono" }}
              />
              <Button disabled={code.trim() === ""} loading={check.isPending} onClick={() => check.mutate()}>
                {t("plans.coupons.check")}
              </Button>
            </Row>
          </Field>
        )}
        {total === 0 && error && <Box sx={{ fontSize: 13, color: "error.main" }}>{error}</Box>}
        {check.data && (
          <Box role="status" sx={{ fontSize: 13 }}>
            {t(`plans.coupons.applied.${check.data.duration}`, { price: amountText(check.data.price, format) })}
          </Box>
        )}
      </Col>
    </FormDialog>
  );
};
