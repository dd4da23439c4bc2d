import { and, asc, eq, inArray, isNull, lte, or } from "drizzle-orm";
import { paymentCases } from "../../../../db/schema/wallet/plans/plan-orders.ts";
import { plans, subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import { type FindConditions, shortNumber } from "./condition.ts";

const DAY_SECONDS = 86_400;

/** Plans of the account that end within so many days, or whose renewal was not paid. */
export const findEndingPlans: FindConditions = async ({ db }, { owner, threshold, now }) => {
  if (owner === "site") return [];
  const soon = Math.floor(now + threshold * DAY_SECONDS);
  const rows = await db
    .select({ id: subscriptions.id, name: plans.name, status: subscriptions.status, end: subscriptions.periodEnd })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(
      and(
        eq(subscriptions.userId, owner),
        inArray(subscriptions.status, ["active", "past_due"]),
        or(
          eq(subscriptions.status, "past_due"),
          and(eq(subscriptions.cancelAtEnd, true), lte(subscriptions.periodEnd, soon)),
        ),
      ),
    )
    .orderBy(asc(subscriptions.id));
  return rows.map(({ id, name, status, end }) => {
    const isDue = status === "past_due";
    return {
      // Each period is an incident of its own.
      subject: `subscription/${id}/${end}`,
      severity: "warning",
      notice: {
        type: "plan_ending",
        title: isDue
          ? { en: "A plan's renewal was not paid", zh: "套餐续期未支付" }
          : { en: "A plan is ending", zh: "套餐即将到期" },
        content: isDue
          ? {
              en: "The renewal of the plan “{{value}}” was not paid. It ends 3 days after its period.",
              zh: "套餐「{{value}}」续期未支付，将在周期结束 3 天后终止。",
            }
          : {
              en: "The plan “{{value}}” ends in {{value}} days and is not renewed.",
              zh: "套餐「{{value}}」将在 {{value}} 天后到期，且不会自动续期。",
            },
        values: isDue ? [name] : [name, shortNumber(Math.max(0, end - now) / DAY_SECONDS)],
        path: "/topup",
      },
    };
  });
};

/** Refunds, disputes and doubtful payments that wait for an administrator. */
export const findPaymentReports: FindConditions = async ({ db }) => {
  const rows = await db.select().from(paymentCases).where(isNull(paymentCases.closedAt)).orderBy(asc(paymentCases.id));
  return rows.map(({ id, reference, money, currency }) => ({
    subject: `payment/${id}`,
    severity: "error",
    notice: {
      type: "payment_report",
      title: { en: "A payment needs your decision", zh: "有付款异常待处理" },
      content: {
        en: "The payment service reported {{value}} over {{value}} {{value}}. Decide under Plans, Payment reports.",
        zh: "支付平台上报 {{value}}，金额 {{value}} {{value}}，请在「套餐 → 付款异常」中处理。",
      },
      values: [reference, money, currency],
      path: "/plan?tab=cases",
    },
  }));
};
