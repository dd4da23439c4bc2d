import { eq } from "drizzle-orm";
import { planPurchases } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { REMINDER_METHODS, type ReminderMethod, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import type { Tx } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { requireSeats } from "../../../accounts/organizations/members/seats.ts";
import { addQuota } from "../../balances.ts";
import { openCase } from "../../payments/cases.ts";
import { smallestUnits } from "../../payments/currency-units.ts";
import { countReservedUse, couponAfter, couponOf } from "../coupons.ts";
import { findNext, isNextPaid } from "../limits/next-paid.ts";
import { GRACE_S, periodEnd } from "../periods.ts";
import {
  hasPlan,
  lockPlanAccount,
  logPaid,
  logPlan,
  newPeriod,
  type Plan,
  type PlanAccount,
  type Running,
  type Subscription,
  startPeriod,
} from "../plan-account.ts";
import { begin, findAnyPlan } from "../subscribe.ts";
import { seatsToAdd } from "./next-period.ts";

type Order = typeof topUpOrders.$inferSelect;
type Purchase = typeof planPurchases.$inferSelect;

/** The way to pay of that name, if single periods of plans can be paid by it. */
const reminderMethod = (name: string): ReminderMethod | undefined => REMINDER_METHODS.find((known) => known === name);

/**
 * Begins or prolongs the plan that a paid order is for, in the transaction that locks and completes the order. False: the order is for
 * no plan, or its plan cannot begin as it was ordered: then the balance gets its quota, and an administrator a report. Nothing that
 * was not ordered is begun.
 */
export async function payPeriod(tx: Tx, order: Order, now: number): Promise<boolean> {
  const [purchase] = await tx.select().from(planPurchases).where(eq(planPurchases.orderId, order.id)).for("update");
  if (purchase?.status !== "pending") return false;
  const account = await lockPlanAccount(tx, order.userId);
  const plan = await findAnyPlan(tx, purchase.planId);
  const hasBegun =
    plan !== undefined &&
    (purchase.subscriptionId === null
      ? await beginFirst(tx, { order, purchase, account, plan }, now)
      : await payNext(tx, { order, purchase, account, plan }, now));
  if (hasBegun) {
    if (purchase.couponId !== null) await countReservedUse(tx, purchase.couponId, order.userId, now);
    return true;
  }
  await setPurchase(tx, purchase, { status: "balance" });
  const { tradeNo: reference, money, currency } = order;
  await openCase(tx, {
    kind: "to_balance",
    reference,
    order,
    paidUnits: smallestUnits(money, currency),
    currency,
    now,
  });
  return false;
}

type Payment = Readonly<{ order: Order; purchase: Purchase; account: PlanAccount; plan: Plan }>;

/** Begins a plan that the account does not have. */
async function beginFirst(tx: Tx, { order, purchase, account, plan }: Payment, now: number): Promise<boolean> {
  const { extraSeats } = purchase;
  const isPresent = account.running.some(
    (running) => running.plan.id === plan.id && running.subscription.status !== "ending",
  );
  if (isPresent || !(await fits(tx, order.userId, plan, extraSeats))) return false;
  const subscriptionId = await begin(tx, account, plan, now, {
    ...{ paid: order.quota, couponId: couponAfter(plan, await couponOf(tx, purchase)), extraSeats },
    payMethod: reminderMethod(order.method) ?? null,
  });
  await setPurchase(tx, purchase, { status: "begun", subscriptionId, periodStart: now });
  return true;
}

const fits = (tx: Tx, userId: number, plan: Plan, extraSeats: number): Promise<boolean> =>
  requireSeats(tx, userId, plan, extraSeats).then(
    () => true,
    (error) => {
      if (error instanceof OperationError) return false;
      throw error;
    },
  );

/** Pays the period that follows the one at the time of the order: it begins when that one is over, or at once. */
async function payNext(tx: Tx, payment: Payment, now: number): Promise<boolean> {
  const { order, purchase, account, plan } = payment;
  const running = account.running.find(({ subscription }) => subscription.id === purchase.subscriptionId);
  if (!running || !(await isAsOrdered(tx, running.subscription, purchase, now))) return false;
  const { subscription } = running;
  const isPaused = subscription.status === "paused";
  if (isPaused) {
    if (hasPlan(account, plan.id) || !(await fits(tx, order.userId, plan, purchase.extraSeats))) return false;
  }
  await tx
    .update(subscriptions)
    .set({ payMethod: reminderMethod(order.method) ?? null })
    .where(eq(subscriptions.id, subscription.id));
  await logPaid(tx, order.userId, plan, purchase.extraSeats, order.quota);
  if (!isPaused && now < subscription.periodEnd) {
    await setPurchase(tx, purchase, { status: "next" });
    return true;
  }
  await startPaid(tx, account, running, { ...payment, isPaused }, now);
  return true;
}

/** Whether a subscription still waits for the period that was ordered, at the same price. */
async function isAsOrdered(tx: Tx, subscription: Subscription, purchase: Purchase, now: number): Promise<boolean> {
  const { status, orderId, cancelAtEnd, couponId, nextPlanId, planId } = subscription;
  const isTime =
    status === "paused"
      ? purchase.periodStart === null
      : purchase.periodStart === subscription.periodEnd && now < subscription.periodEnd + GRACE_S;
  return (
    isTime &&
    status !== "ending" &&
    orderId === null &&
    !cancelAtEnd &&
    (nextPlanId ?? planId) === purchase.planId &&
    seatsToAdd(subscription) === purchase.extraSeats &&
    couponId === purchase.couponId &&
    !(await isNextPaid(tx, subscription.id))
  );
}

/**
 * Begins a period that is paid: where the last one ended, also when it was paid late. One that would be over already, after an outage
 * or where periods are shorter than the grace period, begins now.
 */
async function startPaid(
  tx: Tx,
  account: PlanAccount,
  { subscription }: Running,
  { order, purchase, plan, isPaused }: Omit<Payment, "account"> & Readonly<{ isPaused: boolean }>,
  now: number,
): Promise<void> {
  const isOver = periodEnd(subscription.periodEnd, plan.period, plan.periodCount) <= now;
  const start = isPaused || isOver ? now : subscription.periodEnd;
  const couponId = couponAfter(plan, await couponOf(tx, purchase));
  const period = newPeriod(plan, { start, paid: order.quota, couponId, extraSeats: purchase.extraSeats });
  await startPeriod(tx, account, { subscription, plan }, period, now);
  await setPurchase(tx, purchase, { status: "begun", periodStart: start });
}

/** Begins the period of a subscription that was paid ahead. False: there is none. */
export async function beginPaidPeriod(tx: Tx, account: PlanAccount, running: Running, now: number): Promise<boolean> {
  const paid = await findNext(tx, running.subscription.id);
  const plan = paid && (await findAnyPlan(tx, paid.purchase.planId));
  if (!paid || !plan) return false;
  await startPaid(tx, account, running, { ...paid, plan, isPaused: false }, now);
  return true;
}

/** Gives the balance what was paid ahead for a subscription that has ended. */
export async function returnPaidPeriod(tx: Tx, { subscription, plan }: Running): Promise<void> {
  const paid = await findNext(tx, subscription.id);
  if (!paid) return;
  await setPurchase(tx, paid.purchase, { status: "balance" });
  await addQuota(tx, subscription.userId, paid.order.quota);
  await logPlan(tx, subscription.userId, "plan_payment_returned", plan, paid.order.quota);
}

export const setPurchase = (
  tx: Tx,
  { orderId }: Pick<Purchase, "orderId">,
  values: Partial<Pick<Purchase, "status" | "subscriptionId" | "periodStart">>,
) => tx.update(planPurchases).set(values).where(eq(planPurchases.orderId, orderId));
