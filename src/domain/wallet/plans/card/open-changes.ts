import { and, eq, type SQL, sql } from "drizzle-orm";
import { planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import { lockPlanAccount } from "../plan-account.ts";

export type PlanOrder = typeof planOrders.$inferSelect;

/** The change of an order's subscription that is not paid (`pending`), or begins with the next period (`next`). */
export async function findOpenChange(
  db: DbOrTx,
  { id }: PlanOrder,
  status: "pending" | "next",
): Promise<PlanOrder | undefined> {
  const isOpen = and(eq(planOrders.replacesId, id), eq(planOrders.status, status));
  const [open] = await db.select().from(planOrders).where(isOpen);
  return open;
}

/** Notes that a change has been agreed with the service and begins with the next period; one of seats alone keeps the plan. */
export const noteNext = (db: Db, change: PlanOrder): Promise<void> =>
  setOpen(db, change, "next", {
    nextPlanId: sql<number | null>`nullif(${change.planId}::integer, ${subscriptions.planId})`,
    nextExtraSeats: change.extraSeats,
  });

/** Notes that nothing comes of a change. */
export const endChange = (db: Db, change: PlanOrder): Promise<void> =>
  setOpen(db, change, "ended", change.status === "next" ? { nextPlanId: null, nextExtraSeats: null } : {});

const setOpen = (
  db: Db,
  { id, userId, replacesId, status: before }: PlanOrder,
  status: "next" | "ended",
  values: Readonly<{ nextPlanId?: SQL<number | null> | null; nextExtraSeats?: number | null }>,
): Promise<void> =>
  db.transaction(async (tx) => {
    // Accounts are locked before their orders, as by payments.
    await lockPlanAccount(tx, userId);
    const [row] = await tx
      .update(planOrders)
      .set({ status })
      .where(and(eq(planOrders.id, id), eq(planOrders.status, before)))
      .returning({ id: planOrders.id });
    if (!row || replacesId === null || values.nextPlanId === undefined) return;
    await tx.update(subscriptions).set(values).where(eq(subscriptions.orderId, replacesId));
  });

/** Longer than a request of ours to a service can be under way, with its retry. */
const UNDER_WAY_S = 120;

/** Whether the service may still be about to carry out a change: nothing can be said about it yet. */
export const isUnderWay = ({ polledAt, createdAt }: PlanOrder, now: number): boolean =>
  polledAt === 0 && createdAt > now - UNDER_WAY_S;
