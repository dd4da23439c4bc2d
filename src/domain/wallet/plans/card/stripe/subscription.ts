import { and, desc, eq, inArray, isNotNull, ne } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../../db/types.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import { stripeClient } from "../../../payments/stripe.ts";
import type { Plan } from "../../plan-account.ts";
import type { Page, PlanOrder, StripePlanDeps } from "../driver.ts";
import { endDuplicate, type PaidInvoice, takePayment } from "../reports/apply-invoice.ts";
import { applyCardState } from "../reports/card-state.ts";
import { endChange, isUnderWay, noteNext } from "../reports/open-changes.ts";
import { scheduledPrices } from "./schedule.ts";

/** A page of invoices: more periods than pass between two looks. */
const INVOICES = 20;

/**
 * Asks Stripe for the payments of an order and the state of its subscription, and applies them. Throws what Stripe's client throws.
 */
export async function lookUpStripe(
  deps: StripePlanDeps,
  { tradeNo, status, sessionNo, ...order }: PlanOrder,
  now: number,
): Promise<void> {
  const stripe = await stripeClient(deps);
  const subscriptionNo = order.subscriptionNo || (await subscriptionOf(stripe, sessionNo));
  if (subscriptionNo === "") return;
  if (status === "duplicate") await endDuplicate(deps, tradeNo, () => stripe.subscriptions.cancel(subscriptionNo));
  const { data } = await stripe.invoices.list({ subscription: subscriptionNo, status: "paid", limit: INVOICES });
  // Oldest first, as they were paid.
  for (const invoice of data.toReversed()) await applyReportedInvoice(deps, invoice, now);
  const subscription = await stripe.subscriptions.retrieve(subscriptionNo, { expand: ["schedule"] });
  await applyReportedSubscription(deps, subscription, now);
  await settleChanges(deps.db, subscription, now);
}

/** Stripe's number of the subscription that a checkout began; empty: nobody has paid there. */
async function subscriptionOf(stripe: Stripe, sessionNo: string): Promise<string> {
  if (sessionNo === "") return "";
  return numberOf((await stripe.checkout.sessions.retrieve(sessionNo)).subscription);
}

/**
 * Compares changes of a subscription's plan that are open here with what Stripe has now (`subscription` was just read with its
 * schedule; its paid invoices are applied): one that Stripe charges from the next period on is noted, one that it gave up ends, and
 * one that waits for its payment goes on waiting.
 */
export async function settleChanges(db: Db, subscription: Stripe.Subscription, now: number): Promise<void> {
  const isOpen = and(isNotNull(planOrders.replacesId), inArray(planOrders.status, ["pending", "next"]));
  const open = await db
    .select()
    .from(planOrders)
    .where(and(isOpen, eq(planOrders.subscriptionNo, subscription.id)));
  const has = (items: readonly Stripe.SubscriptionItem[], priceNo: string) =>
    items.some(({ price }) => price.id === priceNo);
  for (const change of open) {
    if (isUnderWay(change, now)) continue;
    if (has(subscription.items.data, change.priceNo) || scheduledPrices(subscription).includes(change.priceNo)) {
      if (change.status === "pending" && change.firstMoney === null) await noteNext(db, change);
    } else if (!has(subscription.pending_update?.subscription_items ?? [], change.priceNo)) await endChange(db, change);
  }
}

/**
 * Applies an invoice if it is for a plan of ours and was paid. A second subscription to a plan is canceled, so that it is never charged
 * again (https://docs.stripe.com/api/subscriptions/cancel).
 */
export async function applyReportedInvoice(deps: StripePlanDeps, invoice: Stripe.Invoice, now: number): Promise<void> {
  const paid = readInvoice(invoice);
  if (!paid) return;
  await takePayment(deps, paid, now, async () => (await stripeClient(deps)).subscriptions.cancel(paid.subscriptionNo));
}

/** Applies the state of a subscription if it is of a plan of ours. */
export async function applyReportedSubscription(
  deps: StripePlanDeps,
  subscription: Stripe.Subscription,
  reportedAt: number,
): Promise<void> {
  const { id: subscriptionNo, metadata, status } = subscription;
  if (!metadata.order) return;
  await applyCardState(deps, {
    ...{ tradeNo: metadata.order, subscriptionNo, reportedAt },
    isCanceled: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    hasEnded: status === "canceled" || status === "incomplete_expired",
    isPaused: subscription.pause_collection !== null,
  });
}

/** Null: it is not paid, or for no plan of ours. */
function readInvoice(invoice: Stripe.Invoice): PaidInvoice | null {
  const details = invoice.parent?.subscription_details;
  const tradeNo = details?.metadata?.order;
  if (!details || !tradeNo || invoice.status !== "paid" || !invoice.id) return null;
  // What is credited is for a plan that was changed.
  const [line] = invoice.lines.data.filter(({ amount }) => amount >= 0).toSorted((a, b) => b.period.end - a.period.end);
  return {
    invoiceNo: invoice.id,
    tradeNo,
    subscriptionNo: numberOf(details.subscription),
    customerNo: numberOf(invoice.customer),
    priceNo: numberOf(line?.pricing?.price_details?.price ?? null),
    paidUnits: invoice.amount_paid,
    currency: invoice.currency,
    periodStart: line?.period.start ?? 0,
    periodEnd: line?.period.end ?? 0,
  };
}

/** Stripe's number of what it names or includes; empty: nothing. */
export const numberOf = (what: string | Readonly<{ id: string }> | null): string =>
  typeof what === "string" ? what : (what?.id ?? "");

/** Opens a page of Stripe to pay an order on. Throws what Stripe's client throws. */
export async function openStripePage(deps: StripePlanDeps, order: PlanOrder, plan: Plan, site: string): Promise<Page> {
  const { tradeNo, trialDays, currency, money, firstMoney } = order;
  const customer = await findCustomer(deps.db, order.userId);
  const stripe = await stripeClient(deps);
  const unitAmount = smallestUnits(money, currency);
  // Stripe takes it off the first invoice (https://docs.stripe.com/billing/subscriptions/coupons).
  const discount =
    firstMoney === null
      ? null
      : await stripe.coupons.create(
          {
            ...{ duration: "once", max_redemptions: 1, currency: currency.toLowerCase() },
            amount_off: unitAmount - smallestUnits(firstMoney, currency),
          },
          { idempotencyKey: `${tradeNo}C` },
        );
  const session = await stripe.checkout.sessions.create(
    {
      mode: "subscription",
      client_reference_id: tradeNo,
      ...(customer && { customer }),
      ...(discount && { discounts: [{ coupon: discount.id }] }),
      // Stripe sends it back with every invoice of the subscription.
      subscription_data: { metadata: { order: tradeNo }, ...(trialDays > 0 && { trial_period_days: trialDays }) },
      success_url: `${site}/topup?list=plans`,
      cancel_url: `${site}/topup?list=plans`,
      line_items: [
        {
          quantity: 1,
          price_data: {
            ...{ currency: currency.toLowerCase(), unit_amount: unitAmount },
            recurring: { interval: plan.period, interval_count: plan.periodCount },
            product_data: { name: `${deps.settings.get("SystemName")} ${plan.name}` },
          },
        },
      ],
    },
    { idempotencyKey: tradeNo },
  );
  if (!session.url) throw new Error("the answer names no page to pay on");
  return { sessionNo: session.id, url: session.url };
}

/** Closes a page, unless it was paid before (https://docs.stripe.com/api/checkout/sessions/expire). Throws what Stripe's client throws. */
export async function closeStripePage(deps: StripePlanDeps, { sessionNo }: PlanOrder): Promise<"closed" | "paid"> {
  const { sessions } = (await stripeClient(deps)).checkout;
  try {
    await sessions.expire(sessionNo);
    return "closed";
  } catch (failure) {
    // Only open pages can be expired: this one may have been paid, or be closed already.
    try {
      const { status } = await sessions.retrieve(sessionNo);
      if (status === "open") throw failure;
      return status === "complete" ? "paid" : "closed";
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "resource_missing") return "closed";
      throw error;
    }
  }
}

/** Stripe's number of an account, as of its newest order; null: it has none. */
export async function findCustomer(db: Db, userId: number): Promise<string | null> {
  const [known] = await db
    .select({ customerNo: planOrders.customerNo })
    .from(planOrders)
    .where(and(eq(planOrders.userId, userId), ne(planOrders.customerNo, "")))
    .orderBy(desc(planOrders.id))
    .limit(1);
  return known?.customerNo ?? null;
}
