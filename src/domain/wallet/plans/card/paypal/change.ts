import { and, eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { textOf } from "../../../../../formats/json.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { callPaypal, linkOf, reasonOf } from "../../../payments/direct/paypal/client.ts";
import { PaymentServiceError } from "../../../payments/direct/service.ts";
import { type CardTerms, storeChange } from "../change-terms.ts";
import type { Changed, PlanOrder, ServiceDeps } from "../driver.ts";
import { endChange, findOpenChange } from "../reports/open-changes.ts";
import { cancelAtPaypal, createPaypalPlan, lookUpPaypal, openPaypalPage, subscriptionPath } from "./subscription.ts";

/** PayPal may charge the next period some hours before it begins. */
const CHARGED_AHEAD_S = 86_400;

/** Checks that PayPal can change to a plan. Throws OperationError. */
export function requirePaypalChange(terms: CardTerms, now: number): void {
  const { current } = terms.change;
  if (current.isTrial) throw new OperationError("plan_change_trial");
  if (hasOtherPeriod(terms) && now > current.periodEnd - CHARGED_AHEAD_S) throw new OperationError("plan_change_soon");
}

const hasOtherPeriod = ({ change: { isBack, present, next } }: CardTerms): boolean =>
  !isBack && (next.period !== present.period || next.periodCount !== present.periodCount);

/**
 * Asks PayPal to charge another price from the next period on, and returns the page on which the subscriber approves it: PayPal prorates
 * nothing (https://developer.paypal.com/docs/subscriptions/customize/revise-subscriptions/). Until it is approved the present plan is
 * charged and stays in force. What PayPal documents changes the price, not when it is charged: a plan with periods of another length gets
 * a subscription of its own, which begins where the paid period ends; with its approval the present one is no longer renewed. Throws
 * OperationError and PaymentServiceError.
 */
export async function changeAtPaypal(
  deps: ServiceDeps,
  terms: CardTerms,
  { site, now }: Readonly<{ site: string; now: number }>,
): Promise<Changed> {
  const { db } = deps;
  const { order, change } = terms;
  const { isBack } = change;
  if (isBack && (await dropFollower(deps, order))) return { url: null };
  if (hasOtherPeriod(terms)) return orderFollower(deps, terms, { site, now });
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

/** Orders a plan that follows the present one with a subscription of its own. */
async function orderFollower(
  deps: ServiceDeps,
  terms: CardTerms,
  { site, now }: Readonly<{ site: string; now: number }>,
): Promise<Changed> {
  const { db } = deps;
  const { current, next: plan } = terms.change;
  await closeUnapproved(deps, terms.order);
  const order = await storeChange(db, terms, { due: null, now, isOwn: true });
  try {
    const { sessionNo, url } = await openPaypalPage(deps, { order, plan, site, startsAt: current.periodEnd });
    await db.update(planOrders).set({ sessionNo }).where(eq(planOrders.id, order.id));
    return { url };
  } catch (error) {
    await endChange(db, order);
    throw error;
  }
}

/** Gives up the plan that follows an order's with a subscription of its own. Returns whether there was one. */
async function dropFollower(deps: ServiceDeps, order: PlanOrder): Promise<boolean> {
  const follower = await findOpenChange(deps.db, order, "next");
  if (!follower || follower.sessionNo === order.sessionNo) return false;
  await cancelAtPaypal(deps, follower);
  await endChange(deps.db, follower);
  return true;
}

/** A change that nobody has approved yet is given up for the next. */
async function closeUnapproved({ db }: ServiceDeps, order: PlanOrder): Promise<void> {
  const open = await findOpenChange(db, order, "pending");
  if (open) await endChange(db, open);
}

async function revise(
  deps: ServiceDeps,
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
