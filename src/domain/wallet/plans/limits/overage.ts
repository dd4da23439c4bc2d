import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { requireRow } from "../../../../../db/require-row.ts";
import { budgets } from "../../../../../db/schema/billing/budgets.ts";
import { plans, subscriptions } from "../../../../../db/schema/billing/plans.ts";
import type { Db, Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";

/**
 * Limits an account's calls to what is left of its windows as long as one of its plans allows no overage; the ledger holds and
 * settles that limit like a budget. To be called with the account locked (`lockPlanAccount`), after its windows changed.
 */
export async function limitOverage(tx: Tx, userId: number): Promise<void> {
  const running = await tx
    .select({
      remaining: sql<string>`coalesce(sum(${subscriptions.remaining}), 0)`,
      isLimited: sql<boolean>`coalesce(bool_or(not ${plans.allowsOverage}), false)`,
    })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(and(eq(subscriptions.userId, userId), inArray(subscriptions.status, ["active", "past_due"])))
    .then(requireRow);
  const present = and(eq(budgets.organizationId, userId), eq(budgets.scope, "plan"), isNull(budgets.deletedAt));
  const now = nowSeconds();
  if (!running.isLimited) {
    await tx.update(budgets).set({ deletedAt: now }).where(present);
    return;
  }
  const remaining = Number(running.remaining);
  // A refund of a call that is charged from now on makes `remaining` what is left of the limit.
  const limit = Math.max(1, remaining);
  const values = { limit, remaining, spent: limit - remaining, periodStart: now };
  const changed = await tx.update(budgets).set(values).where(present).returning({ id: budgets.id });
  if (changed.length > 0) return;
  await tx.insert(budgets).values({
    ...{ organizationId: userId, scope: "plan", scopeId: 0, period: "total", isHard: true },
    ...{ ...values, createdAt: now },
  });
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
