import { and, eq, isNotNull, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import { planOrders, planPayments } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../../../db/types.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import type { WalletDeps } from "../../../operation.ts";
import { openCase } from "../../../payments/cases.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import { countReservedUse } from "../../coupons.ts";
import { publishPlanAccount } from "../../limits/overage.ts";
import { hadOtherwise, noteHolders } from "../../limits/trials.ts";
import { type Drawn, makeUpFor } from "../../limits/unused.ts";
import {
  applyEvent,
  applyPlans,
  fillWindow,
  lockPlanAccount,
  type PlanAccount,
  type Running,
  type Subscription,
} from "../../plan-account.ts";
import { findAnyPlan } from "../../subscribe.ts";
import type { PlanOrder, ServiceDeps } from "../driver.ts";

/** A payment of a subscription as Stripe or PayPal reports it; times in epoch seconds. */
export type PaidInvoice = Readonly<{
  invoiceNo: string;
  /** Our number of the order. */
  tradeNo: string;
  subscriptionNo: string;
  customerNo: string;
  /** The service's number of the price that the period costs; empty: it does not say. */
  priceNo: string;
  /** In the currency's smallest coin. */
  paidUnits: number;
  currency: string;
  periodStart: number;
  periodEnd: number;
}>;

const DAY_S = 86_400;

/** `duplicate`: the account has the plan already, so the subscription at Stripe is to be canceled. */
type Applied = "begun" | "renewed" | "before" | "unknown" | "waiting" | "duplicate";

/** Ends a subscription at its service. Throws what the service's client throws. */
type Cancel = () => Promise<unknown>;

/** Applies a payment that was reported or found (`applyInvoice`); a second subscription to a plan is ended at its service. */
export async function takePayment(deps: ServiceDeps, invoice: PaidInvoice, now: number, cancel: Cancel): Promise<void> {
  const outcome = await applyInvoice(deps, invoice, now);
  if (outcome === "waiting" || outcome === "duplicate")
    deps.log.warn({ ...invoice }, "a payment for a plan waits for an administrator");
  if (outcome === "duplicate") await endDuplicate(deps, invoice.tradeNo, cancel);
}

/**
 * Ends a subscription at its service that nobody is to be charged for. When the service cannot be reached the next poll tries again.
 */
export async function endDuplicate({ db, log }: ServiceDeps, tradeNo: string, cancel: Cancel): Promise<void> {
  try {
    await cancel();
    const isDuplicate = and(eq(planOrders.tradeNo, tradeNo), eq(planOrders.status, "duplicate"));
    // The service is asked once more: a payment before this one may not have been reported.
    const reportedAt = sql`greatest(${planOrders.reportedAt}, ${planOrders.polledAt} + 1)`;
    await db.update(planOrders).set({ status: "ended", reportedAt }).where(isDuplicate);
  } catch (error) {
    log.warn({ tradeNo, reason: messageOf(error) }, "a second subscription to a plan could not be canceled");
  }
}

/**
 * Begins or renews the plan that an invoice pays for, or changes to it: once, however often, late or out of order it is reported.
 * What was paid must be what was ordered, the period must not be over, and the account must not have the plan already: otherwise it
 * waits for an administrator.
 */
async function applyInvoice(deps: WalletDeps, invoice: PaidInvoice, now = nowSeconds()): Promise<Applied> {
  const { outcome, userId } = await deps.db.transaction(async (tx) => {
    // Orders that change a subscription are locked by the one that began it.
    const [first] = await tx.select().from(planOrders).where(eq(planOrders.tradeNo, invoice.tradeNo)).for("update");
    if (!first || isOtherSubscription(first, invoice)) return { outcome: "unknown" as const, userId: 0 };
    const order = (await findByPrice(tx, invoice)) ?? first;
    return { outcome: await apply(tx, order, invoice, now), userId: order.userId };
  });
  if (outcome === "begun" || outcome === "renewed") await publishPlanAccount(deps, userId);
  return outcome;
}

const isOtherSubscription = ({ subscriptionNo }: PlanOrder, invoice: PaidInvoice): boolean =>
  subscriptionNo !== "" && subscriptionNo !== invoice.subscriptionNo;

/** The order that changed a subscription to the price of an invoice. */
async function findByPrice(tx: Tx, { subscriptionNo, priceNo }: PaidInvoice): Promise<PlanOrder | undefined> {
  if (priceNo === "") return undefined;
  const isChange = and(eq(planOrders.subscriptionNo, subscriptionNo), isNotNull(planOrders.replacesId));
  const [order] = await tx
    .select()
    .from(planOrders)
    .where(and(isChange, eq(planOrders.priceNo, priceNo)));
  return order;
}

async function apply(tx: Tx, order: PlanOrder, invoice: PaidInvoice, now: number): Promise<Applied> {
  const { periodEnd, invoiceNo } = invoice;
  const account = await lockAccount(tx, order.userId);
  const orderIds = await listOrdersOf(tx, order, invoice);
  const current = account?.running.find(({ subscription }) => orderIds.includes(subscription.orderId ?? 0));
  const report = { reference: invoiceNo, order, ...moneyOfInvoice(invoice), now };
  if (!current && periodEnd > now && (order.status === "duplicate" || (account && hasOtherwise(account, order)))) {
    const isDiscounted = await isDiscountedPeriod(tx, order, invoice);
    const isNew = await recordPayment(tx, order, invoice, { now, isTrial: invoice.paidUnits === 0, isDiscounted });
    if (!isNew) return "before";
    await openCase(tx, { kind: "duplicate", ...report });
    await tx.update(planOrders).set({ status: "duplicate" }).where(eq(planOrders.id, order.id));
    return "duplicate";
  }
  const isTrial = invoice.paidUnits === 0 && (await isTrialOf(tx, order, invoice));
  const isDiscounted = !isTrial && (await isDiscountedPeriod(tx, order, invoice));
  if (
    invoice.currency.toUpperCase() !== order.currency ||
    (!isTrial && !isDiscounted && invoice.paidUnits !== smallestUnits(order.money, order.currency))
  ) {
    await openCase(tx, { kind: "wrong_amount", ...report });
    return "waiting";
  }
  if (!(await recordPayment(tx, order, invoice, { now, isTrial, isDiscounted }))) return "before";
  if (order.couponId !== null) await countReservedUse(tx, order.couponId, order.userId, now);
  if (await hasOtherPayment(tx, order, invoiceNo, eq(planPayments.periodStart, invoice.periodStart))) {
    await openCase(tx, { kind: "same_period", ...report });
    return "waiting";
  }
  if (account && current && !isNewer(order, invoice, current.subscription)) {
    // Paid for a period that is over, which had no plan.
    if (isTrial || periodEnd > now) return "before";
    await openCase(tx, { kind: "late", ...report });
    return "waiting";
  }
  const plan = await findAnyPlan(tx, order.planId);
  if (!account || !plan || periodEnd <= now || current?.subscription.status === "ending") {
    await openCase(tx, { kind: "late", ...report });
    return "waiting";
  }
  // Subscribed to from the balance while the change was being paid.
  if (current && current.subscription.orderId !== order.id && hasOtherwise(account, order, current.subscription.id)) {
    await openCase(tx, { kind: "duplicate", ...report });
    return "waiting";
  }
  const { periodStart } = invoice;
  const begin = { periodStart, periodEnd, isTrial, paid: 0, orderId: order.id, planId: plan.id };
  const from = Math.max(now, periodStart);
  if (current) {
    const isOther = current.subscription.orderId !== order.id;
    if (isOther) await takeOver(tx, order, current);
    const { extraSeats, couponId } = current.subscription;
    const period = { ...begin, couponId, extraSeats: isOther ? order.extraSeats : extraSeats };
    const renewed = await applyEvent(tx, current.subscription, "renew", period);
    const missing = isChangeAtOnce(order, current) ? makeUpFor(current.subscription, creditedOf(order), now) : null;
    await fillWindow(tx, { plan, subscription: renewed }, from, missing);
  } else {
    const [subscription] = await tx
      .insert(subscriptions)
      .values({
        ...{ ...begin, status: "active", userId: order.userId, startedAt: periodStart, remaining: 0 },
        ...{ windowStart: periodStart, windowEnd: periodStart },
        ...{ extraSeats: order.extraSeats, cancelAtEnd: order.status === "ended" },
      })
      .returning();
    if (!subscription) throw new Error("the subscription was not stored");
    await noteHolders(tx, order.userId, plan.id);
    await fillWindow(tx, { plan, subscription }, from);
  }
  await applyPlans(tx, account);
  return current ? "renewed" : "begun";
}

/** Whether a payment begins another plan, or more seats, before the paid period is over. */
const isChangeAtOnce = ({ id, creditedDrawn }: PlanOrder, { subscription }: Running): boolean =>
  subscription.orderId !== id && creditedDrawn !== null;

const creditedOf = ({ creditedDrawn, creditedCalls }: PlanOrder): Drawn | null =>
  creditedDrawn === null ? null : { units: creditedDrawn, calls: creditedCalls ?? 0 };

/** Locks an account; null: it was deleted, and gets no plan any more. */
async function lockAccount(tx: Tx, userId: number): Promise<PlanAccount | null> {
  const [user] = await tx.select({ deletedAt: users.deletedAt }).from(users).where(eq(users.id, userId));
  return user?.deletedAt === null ? lockPlanAccount(tx, userId) : null;
}

/** The order and all others of its subscription at the service. */
async function listOrdersOf(tx: Tx, { id }: PlanOrder, { subscriptionNo }: PaidInvoice): Promise<readonly number[]> {
  const rows = await tx
    .select({ id: planOrders.id })
    .from(planOrders)
    .where(eq(planOrders.subscriptionNo, subscriptionNo));
  return [id, ...rows.map((row) => row.id)];
}

/** Whether a payment is for a period after the one that runs; with a change of the plan, one that began later. */
function isNewer({ id }: PlanOrder, { periodStart, periodEnd }: PaidInvoice, running: Subscription): boolean {
  if (running.orderId === id) return periodEnd > running.periodEnd;
  return periodStart > running.periodStart || (periodStart === running.periodStart && id > (running.orderId ?? 0));
}

/** An order takes the place of the one whose payments have renewed a subscription until now. */
async function takeOver(tx: Tx, { id }: PlanOrder, { subscription: { orderId: before } }: Running): Promise<void> {
  if (before === null) return;
  const [replaced] = await tx
    .update(planOrders)
    .set({ status: "replaced" })
    .where(eq(planOrders.id, before))
    .returning({ reportedAt: planOrders.reportedAt });
  await tx
    .update(planOrders)
    .set({ status: "active", reportedAt: replaced?.reportedAt ?? 0 })
    .where(eq(planOrders.id, id));
}

/**
 * Whether an account has the plan of an order from its balance or by another order: one subscription to a plan is enough. `besides`:
 * the subscription that the order changes, perhaps its seats alone.
 */
const hasOtherwise = ({ running }: PlanAccount, order: PlanOrder, besides = 0): boolean =>
  running.some(
    ({ plan, subscription: { id, orderId, status } }) =>
      plan.id === order.planId && orderId !== order.id && id !== besides && status !== "ending",
  );

/** Records a payment with the service's numbers of its subscription and customer. False: it was recorded before. */
async function recordPayment(
  tx: Tx,
  order: PlanOrder,
  { invoiceNo, periodStart, periodEnd, subscriptionNo, customerNo }: PaidInvoice,
  kind: Readonly<{ now: number; isTrial: boolean; isDiscounted: boolean }>,
): Promise<boolean> {
  const [payment] = await tx
    .insert(planPayments)
    .values({ orderId: order.id, invoiceNo, periodStart, periodEnd, paidAt: kind.now, ...kind })
    .onConflictDoNothing()
    .returning({ id: planPayments.id });
  if (!payment) return false;
  const status = order.status === "replaced" ? order.status : "active";
  await tx.update(planOrders).set({ status, subscriptionNo, customerNo }).where(eq(planOrders.id, order.id));
  return true;
}

/** Whether a payment is of what the first period costs with a coupon: one of an order, whichever is reported first. */
async function isDiscountedPeriod(tx: Tx, order: PlanOrder, { invoiceNo, paidUnits }: PaidInvoice): Promise<boolean> {
  if (order.firstMoney === null || paidUnits !== smallestUnits(order.firstMoney, order.currency)) return false;
  return !(await hasOtherPayment(tx, order, invoiceNo, eq(planPayments.isDiscounted, true)));
}

/** Whether an order has a payment other than this one that fits the condition. */
async function hasOtherPayment(tx: Tx, order: PlanOrder, invoiceNo: string, condition: SQL): Promise<boolean> {
  const [other] = await tx
    .select({ id: planPayments.id })
    .from(planPayments)
    .where(and(eq(planPayments.orderId, order.id), ne(planPayments.invoiceNo, invoiceNo), condition));
  return other !== undefined;
}

/** Stripe's clock may begin a trial a moment before its end is computed. */
const TRIAL_SLACK_S = 3600;

/**
 * Whether a period that cost nothing is the trial of its order: as long as was ordered, before all others, and the first that
 * the account, and the people behind it, have of the plan. Two pages to pay on may have been open at the same time.
 */
async function isTrialOf(
  tx: Tx,
  order: PlanOrder,
  { periodStart, periodEnd, invoiceNo }: PaidInvoice,
): Promise<boolean> {
  if (order.trialDays === 0 || periodEnd - periodStart > order.trialDays * DAY_S + TRIAL_SLACK_S) return false;
  const hasEarlier = await hasOtherPayment(tx, order, invoiceNo, lte(planPayments.periodStart, periodStart));
  const [other] = await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        ...[eq(subscriptions.userId, order.userId), eq(subscriptions.planId, order.planId)],
        or(isNull(subscriptions.orderId), ne(subscriptions.orderId, order.id)),
      ),
    );
  return !hasEarlier && !other && !(await hadOtherwise(tx, order.userId, order.planId));
}

const moneyOfInvoice = ({ paidUnits, currency }: PaidInvoice) => ({ paidUnits, currency: currency.toUpperCase() });
