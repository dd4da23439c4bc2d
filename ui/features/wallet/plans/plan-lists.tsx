import CardMembership from "@mui/icons-material/CardMembershipOutlined";
import Delete from "@mui/icons-material/DeleteOutlined";
import LocalOffer from "@mui/icons-material/LocalOfferOutlined";
import { useQuery } from "@tanstack/react-query";
import type { CouponView } from "../../../../src/domain/wallet/plans/coupons.ts";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { planApi } from "../../../api/groups.ts";
import { Money } from "../../../components/display/Money.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { editing } from "../../../components/page/list/standard-actions.tsx";
import { PlanDialog } from "./PlanDialog.tsx";
import { periodText } from "./period-text.ts";
import { allPlans, retireCoupon, retirePlan } from "./plan-calls.ts";

const needs = { root: "billing:write" } as const;

/** Every plan that is not retired. */
export const PLANS: ResourceList<Plan> = {
  text: (name) => `plans.${name}`,
  icon: CardMembership,
  rows: { useAll: () => useQuery(allPlans) },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    { key: "name", kind: "text", head: "plans.plan", isTitle: true },
    { key: "price", kind: "money", head: "plans.form.price", width: 120 },
    { key: "period", kind: "text", head: "plans.form.period", width: 140, of: (plan, { t }) => periodText(plan, t) },
    {
      key: "quota",
      head: "plans.form.windowQuota",
      width: 130,
      align: "right",
      cell: ({ windowQuota: quota, windowCalls }) => (quota > 0 || windowCalls === 0 ? <Money quota={quota} /> : "–"),
    },
    {
      key: "calls",
      kind: "number",
      head: "plans.form.windowCalls",
      width: 120,
      of: ({ windowCalls }) => windowCalls || null,
    },
    { key: "window", kind: "choice", texts: "plans.windows", head: "plans.form.window", width: 200 },
    {
      key: "seats",
      kind: "text",
      head: "plans.form.seats",
      width: 90,
      align: "right",
      of: ({ seats }) => seats ?? "∞",
    },
    {
      key: "trial",
      kind: "text",
      head: "plans.form.trialDays",
      width: 110,
      align: "right",
      of: ({ trialDays }) => trialDays || null,
    },
    { key: "group", kind: "text", head: "plans.form.group", width: 120, of: "userGroup" },
    {
      key: "visible",
      kind: "status",
      head: "plans.status",
      width: 110,
      of: ({ isVisible }) => ({
        tone: isVisible ? "ok" : "idle",
        text: isVisible ? "plans.offered" : "plans.hidden",
        quiet: true,
      }),
    },
  ],
  actions: [
    editing((plan, close) => <PlanDialog plan={plan} onClose={close} />, { needs, label: "plans.form.edit" }),
    {
      name: "retire",
      icon: Delete,
      needs,
      isDangerous: true,
      ask: true,
      work: ({ id }) => retirePlan(id),
      done: "plans.retired",
    },
  ],
  onRow: ["edit"],
  empty: { title: "plans.noneTitle", body: "plans.noneBody" },
  reload: [{ queryKey: WALLET_KEY }],
};

/** Coupons that can be used. */
export const COUPONS: ResourceList<CouponView> = {
  text: (name) => `plans.coupons.${name}`,
  icon: LocalOffer,
  rows: {
    key: [...WALLET_KEY, "coupons"],
    read: ({ p, page_size }, signal) => readData(planApi.coupon.get({ query: { p, page_size }, fetch: { signal } })),
  },
  rowId: ({ id }) => id,
  rowName: ({ code }) => code,
  unit: "plans.coupons.unit",
  columns: [
    { key: "code", kind: "code", head: "plans.coupons.code", isTitle: true },
    {
      key: "off",
      head: "plans.coupons.off",
      width: 130,
      align: "right",
      cell: ({ percentOff, amountOff }) => (percentOff > 0 ? `${percentOff}%` : <Money quota={amountOff} />),
    },
    { key: "duration", kind: "choice", texts: "plans.coupons.durations", head: "plans.coupons.duration", width: 160 },
    {
      key: "plan",
      kind: "text",
      head: "plans.plan",
      width: 160,
      of: ({ planName }, { t }) => planName ?? t("plans.coupons.anyPlan"),
    },
    {
      key: "uses",
      kind: "text",
      head: "plans.coupons.uses",
      width: 110,
      align: "right",
      of: ({ usedCount, maxUses }) => `${usedCount} / ${maxUses || "∞"}`,
    },
    { key: "until", kind: "time", head: "plans.coupons.validUntil", width: 150, of: "validUntil" },
  ],
  actions: [
    {
      name: "retire",
      label: "plans.retire",
      icon: Delete,
      needs,
      isDangerous: true,
      ask: true,
      work: ({ id }) => retireCoupon(id),
      values: ({ code }) => ({ code }),
      done: "plans.coupons.retired",
    },
  ],
  empty: { title: "plans.coupons.noneTitle", body: "plans.coupons.noneBody" },
  reload: [{ queryKey: WALLET_KEY }],
};
