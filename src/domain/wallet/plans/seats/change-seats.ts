import { eq } from "drizzle-orm";
import { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { extraSeatsAfter, readSeats, requireSeats } from "../../../accounts/organizations/members/seats.ts";
import { findActive } from "../change-subscription.ts";
import { couponOf, priceWith } from "../coupons.ts";
import { requireNextUnpaid } from "../limits/next-paid.ts";
import { publishPlanAccount } from "../limits/overage.ts";
import { lockPlanAccount, logSeats, type Running, type Subscription } from "../plan-account.ts";
import { findAnyPlan, type PlanDeps, paying, requireWallet } from "../subscribe.ts";

/**
 * Gives an organization's subscription `seats` in all. More begin at once: the rest of the period is paid, to the second, rounded up
 * to a quota unit. Fewer begin with the next period; the members must fit into them from now on. Throws OperationError.
 */
export async function setSeats(
  deps: PlanDeps,
  userId: number,
  subscriptionId: number,
  seats: number,
  now = nowSeconds(),
): Promise<void> {
  const { db } = deps;
  const { subscription: current, plan } = await db.transaction(async (tx) =>
    findActive(await lockPlanAccount(tx, userId), subscriptionId),
  );
  // A service renews it since it was looked at.
  if (current.orderId !== null) throw new OperationError("subscription_changed");
  const extraSeats = readSeats(plan, seats);
  const next = current.nextPlanId === null ? plan : await findAnyPlan(db, current.nextPlanId);
  const nextExtraSeats = next && next.id !== plan.id ? extraSeatsAfter(next, seats) : extraSeats;
  if (extraSeats <= current.extraSeats) {
    await db.transaction(async (tx) => {
      requireSame(findActive(await lockPlanAccount(tx, userId), subscriptionId).subscription, current);
      await requireNextUnpaid(tx, subscriptionId);
      await requireSeats(tx, userId, plan, extraSeats);
      await tx.update(subscriptions).set({ nextExtraSeats }).where(eq(subscriptions.id, subscriptionId));
    });
    return;
  }
  // The period that runs is over and the next is not paid: it will be, with the seats of then.
  if (now >= current.periodEnd) throw new OperationError("subscription_changed");
  const { added, due } = await priceOfSeats(db, { subscription: current, plan }, extraSeats, now);
  await paying(deps, userId, due, async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    requireWallet(deps, account, due);
    const { subscription } = findActive(account, subscriptionId);
    requireSame(subscription, current);
    await requireNextUnpaid(tx, subscriptionId);
    await requireSeats(tx, userId, plan, extraSeats);
    await tx
      .update(subscriptions)
      .set({ extraSeats, nextExtraSeats, paid: subscription.isTrial ? 0 : subscription.paid + added })
      .where(eq(subscriptions.id, subscriptionId));
    if (due > 0) await logSeats(tx, userId, "added", plan, seats, -due);
  });
  await publishPlanAccount(deps, userId);
}

/** What more seats cost for a whole period, and for the rest of this one; quota units. */
async function priceOfSeats(db: Db, { subscription, plan }: Running, extraSeats: number, now: number) {
  const coupon = await couponOf(db, subscription);
  const price = priceWith(plan, coupon, extraSeats);
  const added = price - priceWith(plan, coupon, subscription.extraSeats);
  return { price, added, due: subscription.isTrial || added <= 0 ? 0 : shareOf(added, subscription, now) };
}

/** What `setSeats` would take from the balance now, and for each period from the next on; nothing is changed. Throws OperationError. */
export async function quoteSeats(db: Db, userId: number, subscriptionId: number, seats: number, now: number) {
  const running = await db.transaction(async (tx) => findActive(await lockPlanAccount(tx, userId), subscriptionId));
  const extraSeats = readSeats(running.plan, seats);
  const { due, price } = await priceOfSeats(db, running, extraSeats, now);
  const { subscription } = running;
  return { isMore: extraSeats > subscription.extraSeats, due, price, periodEnd: subscription.periodEnd };
}

/** What was looked at before the price was taken must still be so. Throws OperationError. */
function requireSame(subscription: Subscription, looked: Subscription): void {
  const isSame = (["planId", "nextPlanId", "periodEnd", "extraSeats", "nextExtraSeats", "couponId"] as const).every(
    (key) => subscription[key] === looked[key],
  );
  if (!isSame) throw new OperationError("subscription_changed");
}

/** What the rest of a period costs of what all of it costs, rounded up; quota units. */
function shareOf(units: number, { periodStart, periodEnd }: Subscription, now: number): number {
  const seconds = BigInt(periodEnd - periodStart);
  return Number((BigInt(units) * BigInt(periodEnd - Math.max(now, periodStart)) + seconds - 1n) / seconds);
}
