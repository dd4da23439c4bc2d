import { OperationError } from "../../../../lib/operation-error.ts";
import { extraSeatsAfter, requireSeats, seatsOf } from "../../../accounts/organizations/members/seats.ts";
import { couponAfter, priceWith } from "../coupons.ts";
import { requireNextUnpaid } from "../limits/next-paid.ts";
import { publishPlanAccount } from "../limits/overage.ts";
import { costOfRest, creditOf, drawnOf, makeUpFor, surplusOf, unusedFrom } from "../limits/unused.ts";
import { GRACE_S } from "../periods.ts";
import {
  applyEvent,
  applyPlans,
  fillWindow,
  findActive,
  hasPlan,
  lockPlanAccount,
  logPaid,
  logSeats,
  newPeriod,
  type PlanAccount,
  type Subscription,
  startPeriod,
} from "../plan-account.ts";
import type { PlanChange } from "../read-change.ts";
import { readNextPeriod, seatsToAdd } from "../renewal/next-period.ts";
import { findAnyPlan, type PlanDeps, paying, requireWallet } from "../subscribe.ts";

/**
 * What a change takes from the balance now, in quota units: for a plan with a higher price that, less the smaller of what is unused of
 * the paid period in time and in quota; for more seats the rest of the period, to the second, rounded up; else nothing.
 */
export function dueFromBalance(change: PlanChange, now: number): number {
  const { current, present, next, isUpgrade, isOfSeats, price } = change;
  if (!isUpgrade) return 0;
  if (isOfSeats) return current.isTrial ? 0 : costOfRest(costOfSeats(change), current, now);
  return Math.max(0, price - creditOf(current, unusedFrom(current, now, surplusOf(current, present, next, now))));
}

/** What the seats that a change adds cost for all of a period. */
const costOfSeats = ({ current, present, coupon, price }: PlanChange): number =>
  price - priceWith(present, coupon, current.extraSeats);

/** What was looked at before the price was taken must still be so. */
const LOOKED_AT = ["planId", "nextPlanId", "periodEnd", "extraSeats", "nextExtraSeats", "couponId", "orderId"] as const;

/** Makes a change that the balance pays. Throws OperationError. */
export async function changeFromBalance(deps: PlanDeps, change: PlanChange, now: number): Promise<void> {
  const { current, next, extraSeats, isUpgrade, isOfSeats, isBack, coupon, price } = change;
  const { id, userId } = current;
  // A service renews it since it was looked at, or the next period, with the seats of then, is not paid yet.
  if (current.orderId !== null || (isUpgrade && isOfSeats && now >= current.periodEnd))
    throw new OperationError("subscription_changed");
  const due = dueFromBalance(change, now);
  await paying(deps, userId, due, async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    requireWallet(deps, account, due);
    const { subscription } = findActive(account, id);
    if (LOOKED_AT.some((key) => subscription[key] !== current[key])) throw new OperationError("subscription_changed");
    await requireNextUnpaid(tx, id);
    await requireSeats(tx, userId, next, extraSeats);
    if (isOfSeats) {
      const { nextPlanId } = subscription;
      const after = nextPlanId === null ? undefined : await findAnyPlan(tx, nextPlanId);
      const nextExtraSeats = after ? extraSeatsAfter(after, seatsOf(next, extraSeats)) : extraSeats;
      if (isUpgrade) await applyEvent(tx, subscription, "addSeats", { extraSeats, added: costOfSeats(change) });
      await applyEvent(tx, subscription, "planNext", { planId: nextPlanId, extraSeats: nextExtraSeats });
      if (due > 0) await logSeats(tx, userId, "added", next, seatsOf(next, extraSeats) ?? 0, -due);
    } else if (isUpgrade) {
      const terms = { start: now, paid: price, couponId: couponAfter(next, coupon), extraSeats };
      const changed = await applyEvent(tx, subscription, "change", newPeriod(next, terms));
      if (due > 0) await logPaid(tx, userId, next, extraSeats, due);
      await fillWindow(tx, { plan: next, subscription: changed }, now, makeUpFor(subscription, drawnOf(current), now));
      await applyPlans(tx, account);
    } else {
      await applyEvent(tx, subscription, "keep", null);
      const later = isBack ? { planId: null, extraSeats: null } : { planId: next.id, extraSeats };
      await applyEvent(tx, subscription, "planNext", later);
    }
  });
  await publishPlanAccount(deps, userId);
}

/**
 * Pays a subscription's next period from the balance and begins it: where the last one ended, or now if it was paused or late.
 * Throws OperationError: the balance does not cover it, nobody offers the plan any more, or the subscription has changed since
 * `subscription` was read.
 */
export async function beginPeriod(deps: PlanDeps, subscription: Subscription, now: number): Promise<void> {
  const { id, userId } = subscription;
  const { plan, coupon, extraSeats, price } = await readNextPeriod(deps.db, { subscription });
  await paying(deps, userId, price, async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    const current = requireDue(account, id, subscription);
    if (current.status === "paused") {
      if (hasPlan(account, plan.id)) throw new OperationError("plan_subscribed_already");
      await requireSeats(tx, userId, plan, extraSeats);
    }
    requireWallet(deps, account, price);
    // After an outage longer than a period, or past due for a while, the new period begins now.
    const start = now - subscription.periodEnd < GRACE_S && current.status === "active" ? subscription.periodEnd : now;
    if (price > 0) await logPaid(tx, userId, plan, extraSeats, price);
    const period = newPeriod(plan, { start, paid: price, couponId: couponAfter(plan, coupon), extraSeats });
    await startPeriod(tx, account, { plan, subscription: current }, period, now);
  });
}

/** What was looked at before the price was taken must still be so. Throws OperationError. */
function requireDue({ running }: PlanAccount, id: number, looked: Subscription) {
  const current = running.find(({ subscription }) => subscription.id === id)?.subscription;
  const isSame =
    current?.periodEnd === looked.periodEnd &&
    current.couponId === looked.couponId &&
    current.nextPlanId === looked.nextPlanId &&
    current.payMethod === looked.payMethod &&
    seatsToAdd(current) === seatsToAdd(looked) &&
    (current.status === "paused") === (looked.status === "paused");
  if (!current || !isSame || current.status === "ending") throw new OperationError("subscription_changed");
  return current;
}
