import OutlinedInput from "@mui/material/OutlinedInput";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { Choice } from "./Choice.tsx";
import { createCoupon } from "./plan-calls.ts";

type CouponForm = {
  code: string;
  kind: "percent" | "amount";
  /** Text while being edited; the amount in quota units. */
  percent: string;
  amount: string;
  duration: "once" | "forever";
  /** Id of the plan as text; empty: any. */
  planId: string;
  maxUses: string;
  /** Epoch seconds; 0: not set; null: not a valid date. */
  validUntil: number | null;
};

const NEW_COUPON: CouponForm = {
  ...{ code: "", kind: "percent", percent: "20", amount: "", duration: "once", planId: "", maxUses: "0" },
  validUntil: 0,
};

const isInteger = (text: string, least: number, most: number) =>
  /^\d{1,13}$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;

/** Creates a coupon. */
export const CouponDialog = ({ plans, onClose }: { plans: readonly Plan[]; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm<CouponForm>({
    initial: NEW_COUPON,
    check: ({ code, kind, percent, amount, maxUses, validUntil }) => ({
      code: /^[\w-]{3,40}$/.test(code.trim()) ? undefined : "codeInvalid",
      percent: kind === "amount" || isInteger(percent, 1, 100) ? undefined : "percentInvalid",
      amount: kind === "percent" || isInteger(amount, 1, 1e12) ? undefined : "amountInvalid",
      maxUses: isInteger(maxUses, 0, 1e9) ? undefined : "usesInvalid",
      validUntil: validUntil === null ? "dateInvalid" : undefined,
    }),
    rejection: "inline",
    send: async ({ code, kind, percent, amount, duration, planId, maxUses, validUntil }) => {
      await createCoupon({
        ...{ code: code.trim(), duration, maxUses: Number(maxUses), validUntil: validUntil ?? 0 },
        percentOff: kind === "percent" ? Number(percent) : 0,
        amountOff: kind === "amount" ? Number(amount) : 0,
        planId: planId === "" ? null : Number(planId),
      });
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("plans.coupons.created"));
      onClose();
    },
  });
  const fault = (field: keyof CouponForm) => faults[field] && t(`plans.coupons.${faults[field]}`);
  const text = (field: "code" | "percent" | "maxUses") => (
    <OutlinedInput
      id={`coupon-${field}`}
      fullWidth
      autoFocus={field === "code"}
      value={form[field]}
      onChange={(event) => change({ [field]: event.target.value })}
      error={faults[field] !== undefined}
      inputProps={{ maxLength: 40, autoComplete: "off", ...(field !== "code" && { inputMode: "numeric" }) }}
    />
  );
  return (
    <FormDialog
      title={t("plans.coupons.add")}
      action={t("plans.coupons.add")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Field
          label={t("plans.coupons.code")}
          htmlFor="coupon-code"
          hint={t("plans.coupons.codeHint")}
          error={fault("code") ?? problem}
        >
          {text("code")}
        </Field>
        <Choice
          id="coupon-kind"
          label={t("plans.coupons.off")}
          value={form.kind}
          options={[
            ["percent", t("plans.coupons.percent")],
            ["amount", t("plans.coupons.amount")],
          ]}
          onChange={(kind) => change({ kind })}
        />
        {form.kind === "percent" ? (
          <Field label={t("plans.coupons.percent")} htmlFor="coupon-percent" error={fault("percent")}>
            {text("percent")}
          </Field>
        ) : (
          <Field label={t("plans.coupons.amount")} htmlFor="coupon-amount" error={fault("amount")}>
            <QuotaInput
              id="coupon-amount"
              value={form.amount}
              onChange={(amount) => change({ amount })}
              hasError={faults.amount !== undefined}
              picks={[1, 5, 10]}
            />
          </Field>
        )}
        <Choice
          id="coupon-duration"
          label={t("plans.coupons.duration")}
          value={form.duration}
          options={(["once", "forever"] as const).map((key) => [key, t(`plans.coupons.durations.${key}`)] as const)}
          onChange={(duration) => change({ duration })}
        />
        <Choice
          id="coupon-plan"
          label={t("plans.plan")}
          value={form.planId}
          options={[["", t("plans.coupons.anyPlan")], ...plans.map(({ id, name }) => [String(id), name] as const)]}
          onChange={(planId) => change({ planId })}
        />
        <Field
          label={t("plans.coupons.maxUses")}
          htmlFor="coupon-maxUses"
          hint={t("plans.coupons.maxUsesHint")}
          error={fault("maxUses")}
        >
          {text("maxUses")}
        </Field>
        <Field label={t("plans.coupons.validUntil")} error={fault("validUntil")}>
          <DateTimeInput
            label={t("plans.coupons.validUntil")}
            value={form.validUntil || null}
            onChange={(seconds) => change({ validUntil: seconds === null ? 0 : (seconds ?? null) })}
            hasError={faults.validUntil !== undefined}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
