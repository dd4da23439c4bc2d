import Box from "@mui/material/Box";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Col } from "../../../components/layout.tsx";
import { Choice } from "../plans/Choice.tsx";
import { setRenewalMethod } from "../plans/plan-calls.ts";
import { paymentOptions, reloadWallet } from "../wallet-calls.ts";
import { methodName } from "./method-name.ts";

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
