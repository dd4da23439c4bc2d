import { and, eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db, DbOrTx } from "../../../../../../db/types.ts";
import { applyEvent, lockPlanAccount } from "../../plan-account.ts";
import type { PlanOrder } from "../driver.ts";

/** The change of an order's subscription that is not paid (`pending`), or begins with the next period (`next`). */
export async function findOpenChange(
  db: DbOrTx,
  { id }: Pick<PlanOrder, "id">,
  status: "pending" | "next",
): Promise<PlanOrder | undefined> {
  const isOpen = and(eq(planOrders.replacesId, id), eq(planOrders.status, status));
  const [open] = await db.select().from(planOrders).where(isOpen);
  return open;
}

/**
 * Notes that a change has been agreed with the service and begins with the next period; one of seats alone keeps the plan. Nothing
 * comes of others, whose pages may still be open.
 */
export async function noteNext(db: Db, change: PlanOrder): Promise<void> {
  for (const status of ["pending", "next"] as const) {
    const other = change.replacesId === null ? undefined : await findOpenChange(db, { id: change.replacesId }, status);
    if (other && other.id !== change.id) await endChange(db, other);
  }
  await setOpen(db, change, "next");
}

/** Notes that nothing comes of a change. */
export const endChange = (db: Db, change: PlanOrder): Promise<void> => setOpen(db, change, "ended");

const setOpen = (
  db: Db,
  { id, userId, replacesId, planId, extraSeats, status: before }: PlanOrder,
  status: "next" | "ended",
): Promise<void> =>
  db.transaction(async (tx) => {
    // Accounts are locked before their orders, as by payments.
    const { running } = await lockPlanAccount(tx, userId);
    const [row] = await tx
      .update(planOrders)
      .set({ status })
      .where(and(eq(planOrders.id, id), eq(planOrders.status, before)))
      .returning({ id: planOrders.id });
    const changed = running.find(({ subscription: { orderId } }) => orderId !== null && orderId === replacesId);
    if (!row || !changed || (status === "ended" && before !== "next")) return;
    const isSamePlan = planId === changed.plan.id;
    const next =
      status === "next" ? { planId: isSamePlan ? null : planId, extraSeats } : { planId: null, extraSeats: null };
    await applyEvent(tx, changed.subscription, "planNext", next);
  });

/** Longer than a request of ours to a service can be under way, with its retry. */
const UNDER_WAY_S = 120;

/** Whether the service may still be about to carry out a change: nothing can be said about it yet. */
export const isUnderWay = ({ polledAt, createdAt }: PlanOrder, now: number): boolean =>
  polledAt === 0 && createdAt > now - UNDER_WAY_S;
