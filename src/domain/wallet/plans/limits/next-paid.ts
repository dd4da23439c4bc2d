import { and, eq } from "drizzle-orm";
import { planPurchases } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import type { DbOrTx } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";

/** Whether the period after the present one is paid. */
export const isNextPaid = async (db: DbOrTx, subscriptionId: number): Promise<boolean> =>
  (await findNext(db, subscriptionId)) !== undefined;

/** Checks that it is not: it could not follow a change. Throws OperationError. */
export async function requireNextUnpaid(db: DbOrTx, subscriptionId: number): Promise<void> {
  if (await isNextPaid(db, subscriptionId)) throw new OperationError("plan_next_paid");
}

/** The purchase of the period after the present one with its order; undefined: it is not paid. */
export async function findNext(db: DbOrTx, subscriptionId: number) {
  const [paid] = await db
    .select({ purchase: planPurchases, order: topUpOrders })
    .from(planPurchases)
    .innerJoin(topUpOrders, eq(topUpOrders.id, planPurchases.orderId))
    .where(and(eq(planPurchases.subscriptionId, subscriptionId), eq(planPurchases.status, "next")));
  return paid;
}
