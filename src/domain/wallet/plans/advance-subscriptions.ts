import { and, asc, eq, lte, notInArray } from "drizzle-orm";
import { subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { requireSeats } from "../../accounts/organizations/members/seats.ts";
import { addQuota } from "../balances.ts";
import { couponAfter } from "./coupons.ts";
import { limitOverage, publishPlanAccount } from "./limits/overage.ts";
import { GRACE_S } from "./periods.ts";
import {
  applyPlans,
  fillWindow,
  lockPlanAccount,
  logPaid,
  logPlan,
  type PlanAccount,
  type Running,
  type Subscription,
  startPeriod,
} from "./plan-account.ts";
import { readNextPeriod, seatsToAdd } from "./renewal/next-period.ts";
import { beginPaidPeriod, returnPaidPeriod } from "./renewal/pay-period.ts";
import { notifyDue, notifyUncovered } from "./renewal/remind.ts";
import { findPlan, type PlanDeps, paying, requireWallet } from "./subscribe.ts";

/**
 * Does what is due: fills windows that begin, renews periods that are over, or ends them. Each subscription is a transaction
 * of its own, in which it is looked at again, so that several processes may do this at once. `ofUser`: of this account alone.
 * Returns how many changed.
 */
export async function advanceSubscriptions(
  deps: PlanDeps,
  signal?: AbortSignal,
  now = nowSeconds(),
  ofUser?: number,
): Promise<number> {
  const due = await deps.db
    .select({ id: subscriptions.id, userId: subscriptions.userId })
    .from(subscriptions)
    .where(
      and(
        ...[notInArray(subscriptions.status, ["ended", "paused"]), lte(subscriptions.windowEnd, now)],
        ofUser === undefined ? undefined : eq(subscriptions.userId, ofUser),
      ),
    )
    .orderBy(asc(subscriptions.windowEnd), asc(subscriptions.id));
  let changed = 0;
  for (const { id, userId } of due) {
    if (signal?.aborted) break;
    if (!(await advance(deps, userId, id, now))) continue;
    changed++;
    await publishPlanAccount(deps, userId);
  }
  return changed;
}

async function advance(deps: PlanDeps, userId: number, id: number, now: number): Promise<boolean> {
  const step = await deps.db.transaction(async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    const running = account.running.find(({ subscription }) => subscription.id === id);
    if (!running) return null;
    const { subscription } = running;
    // Another process may have paused it since it was listed: nothing is due, and nothing may be charged.
    if (subscription.status === "paused") return null;
    const units = subscription.ownQuota ? 0 : Math.min(subscription.remaining, Math.max(0, account.balanceUnits));
    if (subscription.status === "ending") return { kind: "end", running, units } as const;
    if (now < subscription.periodEnd) {
      await fillWindow(tx, running, now);
      await limitOverage(tx, userId);
      return { kind: "done" } as const;
    }
    if (await beginPaidPeriod(tx, account, running, now)) return { kind: "done" } as const;
    const isPausing = subscription.pauseAtEnd && !subscription.cancelAtEnd && !(await hasNoNextPlan(tx, running));
    if (isPausing || subscription.cancelAtEnd || (await isLate(tx, running, now))) {
      await tx.update(subscriptions).set({ status: "ending", pauseAtEnd: isPausing }).where(eq(subscriptions.id, id));
      await applyPlans(tx, account);
      return { kind: "end", running, units } as const;
    }
    if (subscription.orderId !== null) {
      // Its payments renew it; until one comes there is nothing to do.
      if (subscription.status === "past_due") return null;
      await tx.update(subscriptions).set({ status: "past_due" }).where(eq(subscriptions.id, id));
      return { kind: "done" } as const;
    }
    const { price } = await readNextPeriod(tx, running);
    if (subscription.payMethod !== null && price > 0) {
      // The subscriber pays it, or nobody does.
      if (subscription.status === "past_due") return null;
      await tx.update(subscriptions).set({ status: "past_due" }).where(eq(subscriptions.id, id));
      await notifyDue(tx, deps.settings, running, now);
      return { kind: "done" } as const;
    }
    // Until a top-up there is nothing to try.
    const isWaiting = subscription.status === "past_due" && subscription.nextPlanId === null;
    if (isWaiting && account.walletUnits < price) return null;
    return { kind: "renew", running } as const;
  });
  if (!step) return false;
  if (step.kind === "renew") return renew(deps, step.running, now);
  if (step.kind === "end") return takeBack(deps, step.running, step.units, now);
  return true;
}

/** The wallet did not cover the next period in time, or nobody offers its plan any more. */
const isLate = async (tx: Tx, running: Running, now: number): Promise<boolean> =>
  now >= running.subscription.periodEnd + GRACE_S || (await hasNoNextPlan(tx, running));

/** Nobody offers the plan of the next period any more; who pays by card keeps it. */
const hasNoNextPlan = async (tx: Tx, { subscription, plan }: Running): Promise<boolean> =>
  subscription.orderId === null && (await isWithdrawn(tx, subscription.nextPlanId ?? plan.id));

const isWithdrawn = (tx: Tx, planId: number): Promise<boolean> =>
  findPlan(tx, planId).then(
    () => false,
    () => true,
  );

/** Pays the next period from the wallet; without the money the subscription is past due, and who pays is notified. */
async function renew(deps: PlanDeps, { subscription, plan }: Running, now: number): Promise<boolean> {
  try {
    await beginPeriod(deps, subscription, now);
    return true;
  } catch (error) {
    // Another process was faster, or its subscriber has changed it.
    if (error instanceof OperationError && error.code === "subscription_changed") return false;
    if (!(error instanceof OperationError) || error.code !== "plan_balance_too_low") throw error;
    return deps.db.transaction(async (tx) => {
      const [row] = await tx
        .update(subscriptions)
        .set({ status: "past_due" })
        .where(
          and(
            eq(subscriptions.id, subscription.id),
            eq(subscriptions.status, "active"),
            // Another process may have begun the next period, which is paid.
            eq(subscriptions.periodEnd, subscription.periodEnd),
          ),
        )
        .returning({ id: subscriptions.id });
      if (row) await notifyUncovered(tx, { subscription, plan }, now);
      return row !== undefined;
    });
  }
}

/**
 * Pays a subscription's next period from the wallet and begins it: where the last one ended, or now if it was paused or late.
 * Throws OperationError: the wallet does not cover it, nobody offers the plan any more, or the subscription has changed since
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
    const terms = { start, paid: price, couponId: couponAfter(plan, coupon), extraSeats };
    await startPeriod(tx, account, { plan, subscription: current }, terms, now);
  });
}

/** A plan that was paused may have been subscribed to again meanwhile. */
const hasPlan = ({ running }: PlanAccount, planId: number): boolean =>
  running.some(({ plan, subscription }) => plan.id === planId && ["active", "past_due"].includes(subscription.status));

/** What was looked at before the price was taken must still be so. */
function requireDue({ running }: PlanAccount, id: number, looked: Subscription) {
  const current = running.find(({ subscription }) => subscription.id === id)?.subscription;
  const isSame =
    current?.periodEnd === looked.periodEnd &&
    current.couponId === looked.couponId &&
    current.nextPlanId === looked.nextPlanId &&
    current.payMethod === looked.payMethod &&
    seatsToAdd(current) === seatsToAdd(looked) &&
    (current.status === "paused") === (looked.status === "paused");
  if (!current || !isSame || current.status === "ending") {
    throw new OperationError("subscription_changed");
  }
  return current;
}

/**
 * Takes what is left of the window back from the balance (`units`, as last looked at) and ends or pauses the subscription. Where calls
 * under way hold some of it, it goes all the same, so that no other call can have it: what they cost is paid from the balance, as far
 * as that goes, like all calls that end after their plan.
 */
async function takeBack(deps: PlanDeps, running: Running, units: number, now: number): Promise<boolean> {
  const { userId } = running.subscription;
  try {
    await paying(deps, userId, units, (tx) => endWith(tx, running, units, now));
    return true;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    if (error.code !== "plan_balance_too_low") return false;
  }
  try {
    await deps.db.transaction((tx) => endWith(tx, running, 0, now));
    return true;
  } catch (error) {
    if (error instanceof OperationError) return false;
    throw error;
  }
}

/** Ends or pauses a subscription with nothing left of its window. `paid`: quota units that were taken from the balance for it. */
async function endWith(tx: Tx, { subscription: { id, userId }, plan }: Running, paid: number, now: number) {
  const account = await lockPlanAccount(tx, userId);
  const current = account.running.find((running) => running.subscription.id === id)?.subscription;
  // Another process may have ended or paused it meanwhile.
  if (current?.status !== "ending") throw new OperationError("subscription_changed");
  // What is left for some models is no part of the balance. Of the rest calls may have used some, or got some back, since it was looked
  // at: so much was taken too much, or too little.
  const left = current.ownQuota ? current.remaining : Math.min(current.remaining, account.balanceUnits + paid);
  if (!current.ownQuota && left !== paid) await addQuota(tx, userId, paid - left);
  await tx
    .update(subscriptions)
    .set(
      current.pauseAtEnd
        ? { status: "paused", remaining: 0, callsLeft: 0, pauseAtEnd: false }
        : { status: "ended", remaining: 0, callsLeft: 0, endedAt: now },
    )
    .where(eq(subscriptions.id, id));
  if (left > 0) await logPlan(tx, userId, "plan_quota_expired", plan, -left);
  if (!current.pauseAtEnd) await returnPaidPeriod(tx, { subscription: current, plan });
  await applyPlans(tx, account);
}
