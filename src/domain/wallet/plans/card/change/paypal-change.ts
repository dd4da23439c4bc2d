import { and, eq, inArray } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/billing/plan-orders.ts";
import { textOf } from "../../../../../formats/json.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { callPaypal, linkOf, reasonOf } from "../../../payments/direct/paypal/client.ts";
import { PaymentServiceError } from "../../../payments/direct/service.ts";
import { createPaypalPlan, lookUpPaypal, type PaypalPlanDeps, subscriptionPath } from "../paypal/subscription.ts";
import { type CardTerms, storeChange } from "./card-terms.ts";
import { endChange, type PlanOrder } from "./open-changes.ts";
import type { Changed } from "./stripe-change.ts";

/** Checks that PayPal can change to a plan. Throws OperationError. */
export function requirePaypalChange({ change: { current, present, next } }: CardTerms): void {
  if (current.isTrial) throw new OperationError("plan_change_trial");
  if (next.period !== present.period || next.periodCount !== present.periodCount) {
    throw new OperationError("plan_change_period");
  }
}

/**
 * Asks PayPal to charge another price from the next period on, and returns the page on which the subscriber approves it: PayPal prorates
 * nothing (https://developer.paypal.com/docs/subscriptions/customize/revise-subscriptions/). Until it is approved the present plan is
 * charged and stays in force. Throws OperationError and PaymentServiceError.
 */
export async function changeAtPaypal(
  deps: PaypalPlanDeps,
  terms: CardTerms,
  { site, now }: Readonly<{ site: string; now: number }>,
): Promise<Changed> {
  const { db } = deps;
  const { order, isBack, change } = terms;
  requirePaypalChange(terms);
  const found = await callPaypal(deps, "GET", subscriptionPath(order));
  const planNo = textOf(found.body.plan_id);
  if (found.status !== 200 || !planNo)
    throw new PaymentServiceError(`no plan: ${found.status} ${reasonOf(found.body)}`);
  if (isBack) {
    // The plan that was charged when the change was ordered.
    if (order.priceNo === "") throw new OperationError("subscription_changed");
    return revise(deps, order, { planNo: order.priceNo, site, now });
  }
  if (order.priceNo === "") {
    const isUnknown = and(eq(planOrders.id, order.id), eq(planOrders.priceNo, ""));
    await db.update(planOrders).set({ priceNo: planNo }).where(isUnknown);
  }
  await closeUnapproved(deps, order);
  // A subscription can change among plans of the same product of PayPal's.
  const { status, body } = await callPaypal(deps, "GET", `/v1/billing/plans/${encodeURIComponent(planNo)}`);
  const productNo = textOf(body.product_id);
  if (status !== 200 || !productNo) throw new PaymentServiceError(`no product: ${status} ${reasonOf(body)}`);
  const stored = await storeChange(db, terms, { due: null, now });
  try {
    const plan = await createPaypalPlan(deps, { order: stored, plan: change.next, productNo });
    await db.update(planOrders).set({ priceNo: plan.id }).where(eq(planOrders.id, stored.id));
    return await revise(deps, order, { planNo: plan.id, site, now });
  } catch (error) {
    // Approved all the same, it counts.
    await endChange(db, stored);
    throw error;
  }
}

/** Changes that nobody has approved yet are given up for the next. */
async function closeUnapproved({ db }: PaypalPlanDeps, { id }: PlanOrder): Promise<void> {
  const isUnapproved = and(eq(planOrders.replacesId, id), inArray(planOrders.status, ["pending"]));
  for (const open of await db.select().from(planOrders).where(isUnapproved)) await endChange(db, open);
}

async function revise(
  deps: PaypalPlanDeps,
  order: PlanOrder,
  { planNo, site, now }: Readonly<{ planNo: string; site: string; now: number }>,
): Promise<Changed> {
  const back = `${site}/topup?list=plans`;
  const { status, body } = await callPaypal(deps, "POST", `${subscriptionPath(order)}/revise`, {
    body: {
      plan_id: planNo,
      application_context: { shipping_preference: "NO_SHIPPING", return_url: back, cancel_url: back },
    },
  });
  if (status >= 300) throw new PaymentServiceError(`revise was answered with ${status} ${reasonOf(body)}`);
  const url = linkOf(body, ["approve"]);
  // Subscriptions that a card pays need no approval.
  if (url === null) await lookUpPaypal(deps, order, now);
  return { url };
}
