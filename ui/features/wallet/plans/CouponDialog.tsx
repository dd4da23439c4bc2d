import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
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

const check = ({ code, kind, percent, amount, maxUses, validUntil }: CouponForm) => ({
  code: /^[\w-]{3,40}$/.test(code.trim()) ? undefined : "codeInvalid",
  percent: kind === "amount" || isInteger(percent, 1, 100) ? undefined : "percentInvalid",
  amount: kind === "percent" || isInteger(amount, 1, 1e12) ? undefined : "amountInvalid",
  maxUses: isInteger(maxUses, 0, 1e9) ? undefined : "usesInvalid",
  validUntil: validUntil === null ? "dateInvalid" : undefined,
});

const bodyOf = ({ code, kind, percent, amount, duration, planId, maxUses, validUntil }: CouponForm) => ({
  ...{ code: code.trim(), duration, maxUses: Number(maxUses), validUntil: validUntil ?? 0 },
  percentOff: kind === "percent" ? Number(percent) : 0,
  amountOff: kind === "amount" ? Number(amount) : 0,
  planId: planId === "" ? null : Number(planId),
});

/** Creates a coupon. */
export const CouponDialog = ({ plans, onClose }: { plans: readonly Plan[]; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ResourceForm<CouponForm>
      as="dialog"
      title={t("plans.coupons.add")}
      action={t("plans.coupons.add")}
      isNew
      text={(name) => `plans.coupons.${name}`}
      initial={NEW_COUPON}
      check={check}
      fault={(fault) => t(`plans.coupons.${fault}`)}
      rejectedField={() => "code"}
      save={async (form) => {
        await createCoupon(bodyOf(form));
        return t("plans.coupons.created");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={({ kind }) => [
        {
          fields: [
            { kind: "text", field: "code", hint: t("plans.coupons.codeHint"), autoFocus: true, maxCharacters: 40 },
            {
              kind: "select",
              field: "kind",
              label: t("plans.coupons.off"),
              options: optionsOf(["percent", "amount"], (name) => t(`plans.coupons.${name}`)),
            },
            kind === "percent"
              ? { kind: "integer", field: "percent" }
              : { kind: "quota", field: "amount", picks: [1, 5, 10] },
            {
              kind: "select",
              field: "duration",
              options: optionsOf(["once", "forever"], (name) => t(`plans.coupons.durations.${name}`)),
            },
            {
              kind: "select",
              field: "planId",
              label: t("plans.plan"),
              options: [["", t("plans.coupons.anyPlan")], ...plans.map(({ id, name }) => [String(id), name] as const)],
            },
            { kind: "integer", field: "maxUses", hint: t("plans.coupons.maxUsesHint") },
            { kind: "time", field: "validUntil", none: { value: 0, text: t("components.neverExpires") } },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
