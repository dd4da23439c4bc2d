import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SubscriptionView } from "../../../../../src/domain/wallet/plans/plans.ts";
import type { PeriodPayment } from "../../../../../src/domain/wallet/plans/renewal/order-period.ts";
import { CopyButton } from "../../../../components/display/CopyButton.tsx";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { Col, Row } from "../../../../components/layout.tsx";
import { moneyText } from "../../../../lib/format/money.ts";
import { formatDate } from "../../../../lib/format/time.ts";
import { methodName } from "../../orders/method-name.ts";
import { PayCodeDialog } from "../../orders/PayCodeDialog.tsx";
import { paymentOptions, postForm, reloadWallet } from "../../wallet-calls.ts";
import { Choice } from "../Choice.tsx";
import { orderNext } from "../plan-calls.ts";

type Opened = Readonly<{
  /** Leaves for the page to pay on, or shows the code or the instructions. */
  open: (payment: PeriodPayment) => void;
  /** What is shown; null: nothing. */
  dialog: ReactNode;
}>;

/** Opens the payment of an order for a period of a plan; `method` as users call it. */
export function usePeriodPayment(method: string, onClose: () => void): Opened {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const [payment, setPayment] = useState<PeriodPayment | null>(null);
  const open = (next: PeriodPayment) => {
    if (next.isCode || next.instructions) return setPayment(next);
    return Object.keys(next.fields).length > 0 ? postForm(next.url, next.fields) : window.location.assign(next.url);
  };
  const close = () => {
    setPayment(null);
    void reloadWallet(client);
    onClose();
  };
  if (payment === null) return { open, dialog: null };
  const price = moneyText(payment.money, payment.currency, i18n.language);
  const dialog = payment.isCode ? (
    <PayCodeDialog code={payment.url} body={t("plans.orders.codeBody", { method, price })} onClose={close} />
  ) : (
    <Dialog open onClose={close} fullWidth maxWidth="xs" aria-labelledby="pay-operator">
      <DialogTitle id="pay-operator" sx={{ fontSize: 16, fontWeight: 620, pb: 3 }}>
        {t("plans.orders.manualTitle", { price })}
      </DialogTitle>
      <DialogContent sx={{ fontSize: 13 }}>
        <Box sx={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>{payment.instructions}</Box>
        <Row wrap sx={{ mt: 3 }}>
          <span>
            {t("plans.orders.manualOrder")} <span className="mono">{payment.tradeNo}</span>
          </span>
          <CopyButton text={payment.tradeNo} />
        </Row>
        <Box sx={{ mt: 3, color: "text.secondary" }}>{t("plans.orders.manualBody")}</Box>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={close}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
  return { open, dialog };
}

type Props = Readonly<{ subscription: SubscriptionView; onClose: () => void }>;

/** Pays the period that follows the present one of a subscription. */
export const NextPeriodDialog = ({ subscription: own, onClose }: Props) => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const methods = useQuery(paymentOptions).data?.periods ?? [];
  const [chosen, setChosen] = useState(own.pay_method);
  const method = methods.find((known) => known === chosen) ?? methods[0];
  const payment = usePeriodPayment(method ? methodName(method, methods, t) : "", onClose);
  const pay = useMutation({
    mutationFn: (by: NonNullable<typeof method>) => orderNext(own.id, by),
    onSuccess: payment.open,
  });
  if (payment.dialog) return payment.dialog;
  const dates = { date: formatDate(own.period_end * 1000, i18n.language, { dateStyle: "medium" }) };
  return (
    <FormDialog
      title={t("plans.orders.nextTitle", { name: own.plan_name })}
      action={t("plans.toCard")}
      isBusy={pay.isPending}
      onClose={onClose}
      onSubmit={() => method && pay.mutate(method)}
    >
      <Col gap={4}>
        {method && (
          <Choice
            id="next-period-pay"
            label={t("plans.payWith")}
            value={method}
            options={methods.map((known) => [known, methodName(known, methods, t)] as const)}
            onChange={setChosen}
          />
        )}
        <Box sx={{ fontSize: 13 }}>
          {t(own.status === "paused" ? "plans.orders.pausedBody" : "plans.orders.nextBody", {
            ...dates,
            price: amountText(own.renewal_price, format),
          })}
        </Box>
        {(pay.error || !method) && (
          <Box role="alert" sx={{ fontSize: 13, color: "error.main" }}>
            {pay.error?.message ?? t("plans.orders.noMethod")}
          </Box>
        )}
      </Col>
    </FormDialog>
  );
};
