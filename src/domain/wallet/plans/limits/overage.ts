import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { budgets } from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { plans, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";

const isRunning = (userId: number) =>
  and(eq(subscriptions.userId, userId), inArray(subscriptions.status, ["active", "past_due"]));

/**
 * Limits an account's calls to what is left of its windows as long as one of its plans allows no overage, and offers what is left
 * of windows for some models, and their included calls; the ledger holds and settles all of them like budgets. To be called with the account locked
 * (`lockPlanAccount`), after its windows changed.
 */
export async function limitOverage(tx: Tx, userId: number): Promise<void> {
  const running = await tx
    .select({ subscription: subscriptions, allowsOverage: plans.allowsOverage })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(isRunning(userId))
    .orderBy(asc(subscriptions.id));
  const limits = new Map<string, Limit>();
  const add = (limit: Limit) => limits.set(keyOf(limit), limit);
  for (const { subscription } of running) {
    const { id: scopeId, ownQuota, remaining, windowCalls, callsLeft } = subscription;
    if (ownQuota) add({ scope: "plan", scopeId, remaining });
    if (windowCalls > 0) add({ scope: "calls", scopeId, remaining: callsLeft });
  }
  if (running.some(({ allowsOverage }) => !allowsOverage)) {
    const shared = running.filter(({ subscription }) => !subscription.ownQuota);
    const remaining = shared.reduce((sum, { subscription }) => sum + subscription.remaining, 0);
    add({ scope: "plan", scopeId: 0, remaining });
  }
  const stored = await tx
    .select({ id: budgets.id, scope: budgets.scope, scopeId: budgets.scopeId, deletedAt: budgets.deletedAt })
    .from(budgets)
    .where(isOfPlans(userId))
    .orderBy(sql`${budgets.deletedAt} is not null`, asc(budgets.id));
  for (const { id, deletedAt, ...place } of stored) {
    const limit = limits.get(keyOf(place));
    if (limit === undefined && deletedAt !== null) continue;
    limits.delete(keyOf(place));
    // A call may still ask for what is left of a window that has ended: nothing.
    const values = { deletedAt: limit === undefined ? nowSeconds() : null, ...leaving(limit?.remaining ?? 0) };
    await tx.update(budgets).set(values).where(eq(budgets.id, id));
  }
  for (const { remaining, ...place } of limits.values()) {
    await tx.insert(budgets).values({
      ...{ organizationId: userId, ...place, period: "total", isHard: true, createdAt: nowSeconds() },
      ...leaving(remaining),
    });
  }
}

type Limit = Readonly<{ scope: "plan" | "calls"; scopeId: number; remaining: number }>;

const keyOf = ({ scope, scopeId }: Readonly<{ scope: string; scopeId: number }>): string => `${scope}/${scopeId}`;

const isOfPlans = (userId: number) =>
  and(eq(budgets.organizationId, userId), inArray(budgets.scope, ["plan", "calls"]));

/** A limit with so much left: a refund of a call that is charged from now on makes `remaining` what is left of it. */
function leaving(remaining: number) {
  const limit = Math.max(1, remaining);
  return { limit, remaining, spent: limit - remaining, periodStart: nowSeconds() };
}

/** To be called after a transaction that changed subscriptions of the account: processes read its balance and its limits again. */
export async function publishPlanAccount(
  { db, changes }: Readonly<{ db: Db; changes: Pick<Changes, "enforce"> }>,
  userId: number,
): Promise<void> {
  const limits = await db.select({ id: budgets.id }).from(budgets).where(isOfPlans(userId));
  const own = await db.select({ id: subscriptions.id }).from(subscriptions).where(eq(subscriptions.userId, userId));
  const idsOf = (rows: readonly Readonly<{ id: number }>[]) => rows.map(({ id }) => id);
  await Promise.all([
    changes.enforce("budgets", idsOf(limits)),
    changes.enforce("subscriptions", idsOf(own)),
    changes.enforce("users", [userId]),
  ]);
}
