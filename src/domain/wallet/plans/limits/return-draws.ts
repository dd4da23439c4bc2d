import { eq, sql } from "drizzle-orm";
import { planAccounts, plans, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../../db/types.ts";
import { addQuota } from "../../balances.ts";
import { isRunning } from "../lifecycle.ts";
import { lockPlanAccount, logPlan, type Running } from "../plan-account.ts";
import { limitOverage } from "./overage.ts";

/** What a window paid of a charge, as its log row has it (`LogOther.plan_draws`). */
export type Draw = Readonly<{
  subscription: number;
  units: number;
  /** When its window ended or ends, epoch seconds; null: the row does not say. */
  until: number | null;
  /** It paid with an included call. */
  isCall: boolean;
}>;

/** A charge that is taken back; quota units, and epoch seconds of the call. */
type Returned = Readonly<{ taken: number; draws: readonly Draw[]; createdAt: number }>;

/**
 * Gives what a charge took back to what paid it: to each window its part while that window runs, and the rest to the wallet. What a
 * window paid that is over has expired with it. The caller holds the turn of the writer of charges, and has locked nothing else of
 * the account.
 */
export async function returnDraws(
  tx: Tx,
  userId: number,
  { taken, draws, createdAt }: Returned,
  now: number,
): Promise<void> {
  const [account] = await tx.select().from(planAccounts).where(eq(planAccounts.userId, userId));
  if (!account) {
    await lowerUsed(tx, userId, taken);
    return addQuota(tx, userId, taken);
  }
  // Charges so far take their places in the windows first: without this one they would move up.
  const { running } = await lockPlanAccount(tx, userId);
  await lowerUsed(tx, userId, taken);
  await tx
    .update(planAccounts)
    .set({ distributed: sql`${planAccounts.distributed} - ${taken}` })
    .where(eq(planAccounts.userId, userId));
  let inBalance = taken;
  for (const draw of draws) {
    if (draw.isCall) continue;
    const { subscription: id, units } = draw;
    const found = running.find(({ subscription }) => subscription.id === id);
    if (found && isOpenTo(found, draw, createdAt, now)) {
      await tx
        .update(subscriptions)
        .set({ remaining: sql`${subscriptions.remaining} + ${units}`, drawn: sql`${subscriptions.drawn} - ${units}` })
        .where(eq(subscriptions.id, id));
      // Quota for some models is no part of the balance.
      if (found.subscription.ownQuota) inBalance -= units;
    } else {
      inBalance -= units;
      await logExpired(tx, userId, id, units);
    }
  }
  if (inBalance > 0) await addQuota(tx, userId, inBalance);
  await limitOverage(tx, userId);
}

/**
 * Whether quota of a window can go back to it: the window of the call runs. A change of the plan that began another window before
 * this one was over has credited only what was left of it.
 */
function isOpenTo({ subscription }: Running, { until }: Draw, createdAt: number, now: number): boolean {
  const isOfWindow = subscription.windowStart <= createdAt || (until !== null && now < until);
  return isRunning(subscription) && isOfWindow;
}

const lowerUsed = (tx: Tx, userId: number, units: number) =>
  tx.execute(sql`update users set used_quota = used_quota - ${units} where id = ${userId}`);

/** The books add this up: it was used, is not used any more, and is not there either. */
async function logExpired(tx: Tx, userId: number, subscriptionId: number, units: number): Promise<void> {
  const [found] = await tx
    .select({ plan: plans })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(eq(subscriptions.id, subscriptionId));
  if (found) await logPlan(tx, userId, "plan_quota_expired", found.plan, -units);
}

/** Reads what windows paid from a log row's JSON. */
export const readDraws = (value: unknown): Draw[] =>
  Array.isArray(value)
    ? value.flatMap(({ subscription, units, until, calls }) =>
        Number.isSafeInteger(subscription) && Number.isSafeInteger(units)
          ? [{ subscription, units, until: Number.isSafeInteger(until) ? until : null, isCall: calls !== undefined }]
          : [],
      )
    : [];
