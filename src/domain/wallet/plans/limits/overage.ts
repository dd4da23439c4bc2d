import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { budgets } from "../../../../../db/schema/billing/budgets.ts";
import { plans, subscriptions } from "../../../../../db/schema/billing/plans.ts";
import type { Db, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";

const isRunning = (userId: number) =>
  and(eq(subscriptions.userId, userId), inArray(subscriptions.status, ["active", "past_due"]));

/**
 * Limits an account's calls to what is left of its windows as long as one of its plans allows no overage, and offers what is left
 * of windows for some models; the ledger holds and settles both like budgets. To be called with the account locked
 * (`lockPlanAccount`), after its windows changed.
 */
export async function limitOverage(tx: Tx, userId: number): Promise<void> {
  const running = await tx
    .select({ subscription: subscriptions, allowsOverage: plans.allowsOverage })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(isRunning(userId))
    .orderBy(asc(subscriptions.id));
  const limits = new Map(
    running.flatMap(({ subscription: { id, ownQuota, remaining } }) => (ownQuota ? [[id, remaining] as const] : [])),
  );
  if (running.some(({ allowsOverage }) => !allowsOverage)) {
    const shared = running.filter(({ subscription }) => !subscription.ownQuota);
    limits.set(
      0,
      shared.reduce((sum, { subscription }) => sum + subscription.remaining, 0),
    );
  }
  const stored = await tx
    .select({ id: budgets.id, scopeId: budgets.scopeId, deletedAt: budgets.deletedAt })
    .from(budgets)
    .where(and(eq(budgets.organizationId, userId), eq(budgets.scope, "plan")))
    .orderBy(sql`${budgets.deletedAt} is not null`, asc(budgets.id));
  for (const { id, scopeId, deletedAt } of stored) {
    const remaining = limits.get(scopeId);
    if (remaining === undefined && deletedAt !== null) continue;
    limits.delete(scopeId);
    // A call may still ask for what is left of a window that has ended: nothing.
    const values = { deletedAt: remaining === undefined ? nowSeconds() : null, ...leaving(remaining ?? 0) };
    await tx.update(budgets).set(values).where(eq(budgets.id, id));
  }
  for (const [scopeId, remaining] of limits) {
    await tx.insert(budgets).values({
      ...{ organizationId: userId, scope: "plan", scopeId, period: "total", isHard: true, createdAt: nowSeconds() },
      ...leaving(remaining),
    });
  }
}

/** A limit with so much left: a refund of a call that is charged from now on makes `remaining` what is left of it. */
function leaving(remaining: number) {
  const limit = Math.max(1, remaining);
  return { limit, remaining, spent: limit - remaining, periodStart: nowSeconds() };
}

/** To be called after a transaction that changed subscriptions of the account: processes read its balance and its limits again. */
export async function publishPlanAccount(
  { db, changes }: Readonly<{ db: Db; changes: Pick<Changes, "publish"> }>,
  userId: number,
): Promise<void> {
  const limits = await db
    .select({ id: budgets.id })
    .from(budgets)
    .where(and(eq(budgets.organizationId, userId), eq(budgets.scope, "plan")));
  if (limits.length > 0) {
    await changes.publish(
      "budgets",
      limits.map(({ id }) => id),
    );
  }
  const own = await db.select({ id: subscriptions.id }).from(subscriptions).where(eq(subscriptions.userId, userId));
  await changes.publish(
    "subscriptions",
    own.map(({ id }) => id),
  );
  await changes.publish("users", [userId]);
}
