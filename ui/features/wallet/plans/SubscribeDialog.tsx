import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { WALLET_KEY } from "../wallet-calls.ts";
import { readCoupon, subscribeTo } from "./plan-calls.ts";

/** Says what a plan costs, with a coupon if there is one, and subscribes to it. */
export const SubscribeDialog = ({ plan, onClose }: { plan: Plan; onClose: () => void }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const [code, setCode] = useState("");
  const check = useMutation({ mutationFn: () => readCoupon(plan.id, code.trim()) });
  const subscribe = useMutation({
    mutationFn: () => subscribeTo(plan.id, code.trim()),
    onSuccess: () => {
      notifyDone(t("plans.subscribed", { name: plan.name }));
      onClose();
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: WALLET_KEY }),
        client.invalidateQueries({ queryKey: ["self"] }),
      ]),
  });
  const price = amountText(plan.price, format);
  const error = (subscribe.error ?? check.error)?.message;
  return (
    <FormDialog
      title={t("plans.subscribeTitle", { name: plan.name })}
      action={t("plans.subscribe")}
      isBusy={subscribe.isPending}
      onClose={onClose}
      onSubmit={() => subscribe.mutate()}
    >
      <Col gap={4}>
        <Box sx={{ fontSize: 13 }}>
          {plan.trialDays > 0
            ? t("plans.trialBody", { count: plan.trialDays, price })
            : t("plans.subscribeBody", { price, period: t(`plans.per.${plan.period}`, { count: plan.periodCount }) })}
        </Box>
        {plan.price > 0 && (
          <Field label={t("plans.coupons.coupon")} htmlFor="subscribe-coupon" error={error}>
            <Row>
              <OutlinedInput
                id="subscribe-coupon"
                fullWidth
                value={code}
                onChange={(event) => {
                  setCode(event.target.value);
                  check.reset();
                  subscribe.reset();
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
        {plan.price === 0 && error && <Box sx={{ fontSize: 13, color: "error.main" }}>{error}</Box>}
        {check.data && (
          <Box role="status" sx={{ fontSize: 13 }}>
            {t(`plans.coupons.applied.${check.data.duration}`, { price: amountText(check.data.price, format) })}
          </Box>
        )}
      </Col>
    </FormDialog>
  );
};
