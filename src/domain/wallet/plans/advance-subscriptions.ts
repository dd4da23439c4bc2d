import { and, asc, eq, lte, notInArray } from "drizzle-orm";
import { subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { addQuota } from "../balances.ts";
import { beginPeriod } from "./changes/pay-from-balance.ts";
import { limitOverage, publishPlanAccount } from "./limits/overage.ts";
import { GRACE_S } from "./periods.ts";
import { applyEvent, applyPlans, fillWindow, lockPlanAccount, logPlan, type Running } from "./plan-account.ts";
import { readNextPeriod } from "./renewal/next-period.ts";
import { beginPaidPeriod, returnPaidPeriod } from "./renewal/pay-period.ts";
import { notifyDue, notifyUncovered } from "./renewal/remind.ts";
import { findPlan, type PlanDeps, paying } from "./subscribe.ts";

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
      await applyEvent(tx, subscription, "close", { isPause: isPausing });
      await applyPlans(tx, account);
      return { kind: "end", running, units } as const;
    }
    const price = subscription.orderId === null ? (await readNextPeriod(tx, running)).price : 0;
    if (subscription.orderId !== null || (subscription.payMethod !== null && price > 0)) {
      // A service or the subscriber pays it; until then there is nothing to do.
      if (subscription.status === "past_due") return null;
      await applyEvent(tx, subscription, "miss", null);
      if (subscription.orderId === null) await notifyDue(tx, deps.settings, running, now);
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
      const { running } = await lockPlanAccount(tx, subscription.userId);
      const current = running.find(({ subscription: { id } }) => id === subscription.id)?.subscription;
      // Another process may have begun the next period, which is paid.
      if (current?.status !== "active" || current.periodEnd !== subscription.periodEnd) return false;
      await notifyUncovered(tx, { subscription: await applyEvent(tx, current, "miss", null), plan }, now);
      return true;
    });
  }
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
  await applyEvent(tx, current, "empty", { now });
  if (left > 0) await logPlan(tx, userId, "plan_quota_expired", plan, -left);
  if (!current.pauseAtEnd) await returnPaidPeriod(tx, { subscription: current, plan });
  await applyPlans(tx, account);
}
