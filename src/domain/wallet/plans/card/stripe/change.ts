import { and, eq } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import { stripeClient } from "../../../payments/stripe.ts";
import { surplusOf, unusedFrom } from "../../limits/unused.ts";
import { type CardTerms, cardCredit, storeChange } from "../change-terms.ts";
import type { Changed, PlanOrder, StripePlanDeps } from "../driver.ts";
import { endChange, findOpenChange, isUnderWay, noteNext } from "../reports/open-changes.ts";
import { needsSchedule, releaseSchedule, scheduleChange } from "./schedule.ts";
import { applyReportedInvoice, lookUpStripe, numberOf, settleChanges } from "./subscription.ts";

/**
 * In the smallest coin: Stripe charges no less in most currencies, and adds it to the next invoice instead
 * (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
 */
const LEAST_CHARGE = 50;

/**
 * What Stripe would charge now for a change that begins at once, in the currency's smallest coin: the price of a period that begins now,
 * less what is unused since `at` of the paid one (https://docs.stripe.com/api/invoices/create_preview). Throws OperationError:
 * that is not what the paid period is worth, or nothing is left to pay; and what Stripe's client throws.
 */
export async function previewAtStripe(deps: StripePlanDeps, terms: CardTerms, at: number): Promise<number> {
  const stripe = await stripeClient(deps);
  return preview(deps, stripe, terms, await readItem(deps, stripe, terms.order), creditedFrom(terms, at));
}

/** From when on what is unused is credited: Stripe computes the credit by time alone, so what the window has paid makes it later. */
const creditedFrom = ({ change: { current, present, next }, drawn }: CardTerms, at: number): number =>
  // Within the paid period, as Stripe demands: its last second is worth nothing.
  Math.min(unusedFrom(current, at, surplusOf(current, present, next, at), drawn), current.periodEnd - 1);

async function preview(
  { db }: StripePlanDeps,
  stripe: Stripe,
  terms: CardTerms,
  item: Stripe.SubscriptionItem,
  at: number,
): Promise<number> {
  const { order, quote, change } = terms;
  const {
    total,
    amount_due: due,
    currency,
  } = await stripe.invoices.createPreview({
    subscription: order.subscriptionNo,
    subscription_details: {
      ...beginNow(terms, at),
      items: [{ id: item.id, price_data: { ...priceOf(terms), product: numberOf(item.price.product) } }],
    },
  });
  const price = smallestUnits(quote.money, quote.currency);
  const credit = await cardCredit(db, terms, at);
  if (price - credit < LEAST_CHARGE) throw new OperationError("plan_change_credit_more", { name: change.next.name });
  // Stripe rounds, and may know of a balance of the customer's or of amounts that are not ours.
  if (currency.toUpperCase() !== order.currency || Math.abs(price - credit - due) > 1 || due !== total) {
    throw new OperationError("plan_change_unclear");
  }
  return due;
}

const priceOf = ({ quote, change: { next } }: CardTerms) => ({
  currency: quote.currency.toLowerCase(),
  unit_amount: smallestUnits(quote.money, quote.currency),
  recurring: { interval: next.period, interval_count: next.periodCount },
});

/** A period begins now, and what is unused since `at` is credited; a trial ends. */
const beginNow = ({ change: { current } }: CardTerms, at: number) =>
  ({
    proration_behavior: "always_invoice",
    ...(current.isTrial
      ? { trial_end: "now" as const }
      : { billing_cycle_anchor: { type: "now" as const }, proration_date: at }),
  }) as const;

/** The only item of a subscription of ours. Its price is noted, so that a change can be taken back. */
async function readItem({ db }: StripePlanDeps, stripe: Stripe, order: PlanOrder): Promise<Stripe.SubscriptionItem> {
  const { items } = await stripe.subscriptions.retrieve(order.subscriptionNo);
  const [item, another] = items.data;
  if (!item || another) throw new OperationError("plan_change_unclear");
  if (order.priceNo === "") {
    const isUnknown = and(eq(planOrders.id, order.id), eq(planOrders.priceNo, ""));
    await db.update(planOrders).set({ priceNo: item.price.id }).where(isUnknown);
  }
  return item;
}

/**
 * Changes the price of a subscription at Stripe (https://docs.stripe.com/billing/subscriptions/change-price). One that begins at once
 * counts when its invoice is paid, which Stripe tries now; until then, or if it never is, the present plan stays in force
 * (https://docs.stripe.com/billing/subscriptions/pending-updates). One that begins with the next period is charged then. Throws
 * OperationError, and what Stripe's client throws.
 */
export async function changeAtStripe(
  deps: StripePlanDeps,
  terms: CardTerms,
  lookedAt: number,
  now: number,
): Promise<Changed> {
  const { db, log, settings } = deps;
  const at = creditedFrom(terms, lookedAt);
  const { change, order } = terms;
  const stripe = await stripeClient(deps);
  await closeOpenChange(deps, stripe, order, now);
  const item = await readItem(deps, stripe, order);
  // It is taken back, or has begun: another that is to begin was refused before.
  await releaseSchedule(stripe, order);
  if (change.isBack) {
    await takeBack(deps, stripe, order, item.id);
    return { url: null };
  }
  const { next, isUpgrade } = change;
  const due = isUpgrade ? await preview(deps, stripe, terms, item, at) : null;
  const stored = await storeChange(db, terms, { due, now });
  const { tradeNo } = stored;
  try {
    const price = await stripe.prices.create(
      {
        ...priceOf(terms),
        product_data: { name: `${settings.get("SystemName")} ${next.name}` },
        metadata: { order: tradeNo },
      },
      { idempotencyKey: `${tradeNo}P` },
    );
    // Before Stripe can report anything about it.
    await db.update(planOrders).set({ priceNo: price.id }).where(eq(planOrders.id, stored.id));
    if (needsSchedule(terms)) {
      await scheduleChange(stripe, terms, { tradeNo, priceNo: price.id });
      await db.update(planOrders).set({ polledAt: now }).where(eq(planOrders.id, stored.id));
      await noteNext(db, stored);
      return { url: null };
    }
    const updated = await stripe.subscriptions.update(
      order.subscriptionNo,
      {
        ...(due === null
          ? { proration_behavior: "none" }
          : { ...beginNow(terms, at), payment_behavior: "pending_if_incomplete" }),
        items: [{ id: item.id, price: price.id }],
        expand: ["latest_invoice"],
      },
      { idempotencyKey: `${tradeNo}U` },
    );
    await db.update(planOrders).set({ polledAt: now }).where(eq(planOrders.id, stored.id));
    const invoice = typeof updated.latest_invoice === "string" ? null : updated.latest_invoice;
    if (invoice) await applyReportedInvoice(deps, invoice, now);
    await settleChanges(db, updated, now);
    const isWaiting = (await findOpenChange(db, order, "pending")) !== undefined;
    return { url: isWaiting ? (invoice?.hosted_invoice_url ?? null) : null };
  } catch (error) {
    if (isRefusal(error)) await endChange(db, stored);
    // It may have been carried out: whoever asks Stripe next will know.
    else {
      log.warn({ tradeNo, reason: messageOf(error) }, "it is not known yet whether a plan was changed");
      throw new OperationError("plan_payment_pending");
    }
    throw error;
  }
}

/** Whether Stripe has decided that a request changes nothing. */
const isRefusal = (error: unknown): boolean => {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status < 500 && status !== 409 && status !== 429;
};

/** Has the present price charged again instead of the one that was agreed for the next period. */
async function takeBack({ db }: StripePlanDeps, stripe: Stripe, { id }: PlanOrder, itemNo: string): Promise<void> {
  const [order] = await db.select().from(planOrders).where(eq(planOrders.id, id));
  const next = order && (await findOpenChange(db, order, "next"));
  if (!next || order.priceNo === "") throw new OperationError("subscription_changed");
  await stripe.subscriptions.update(order.subscriptionNo, {
    ...{ items: [{ id: itemNo, price: order.priceNo }], proration_behavior: "none" },
  });
  await endChange(db, next);
}

/**
 * Gives up a change that waits for its payment: its invoice is voided, by which Stripe discards the change. Throws OperationError: the
 * change is under way, or was paid; and what Stripe's client throws.
 */
async function closeOpenChange(deps: StripePlanDeps, stripe: Stripe, order: PlanOrder, now: number): Promise<void> {
  const open = await findOpenChange(deps.db, order, "pending");
  if (!open) return;
  if (isUnderWay(open, now)) throw new OperationError("plan_payment_pending");
  const { pending_update: pending, latest_invoice: invoice } = await stripe.subscriptions.retrieve(
    order.subscriptionNo,
    {
      expand: ["latest_invoice"],
    },
  );
  if (pending && invoice !== null && typeof invoice !== "string" && invoice.status === "open" && invoice.id) {
    await stripe.invoices.voidInvoice(invoice.id);
  }
  await lookUpStripe(deps, order, now);
  const [after] = await deps.db.select().from(planOrders).where(eq(planOrders.id, open.id));
  if (after?.status === "pending") throw new OperationError("plan_payment_pending");
  if (after?.status !== "ended") throw new OperationError("subscription_changed");
}

/**
 * Gives up what is open for the plan of a subscription, which is not to be renewed any more: an unpaid change, and one that was to begin
 * with the next period. Throws OperationError, and what Stripe's client throws.
 */
export async function dropChanges(deps: StripePlanDeps, order: PlanOrder, now: number): Promise<void> {
  const stripe = await stripeClient(deps);
  await closeOpenChange(deps, stripe, order, now);
  await releaseSchedule(stripe, order);
  if (await findOpenChange(deps.db, order, "next")) {
    await takeBack(deps, stripe, order, (await readItem(deps, stripe, order)).id);
  }
}
