import { and, eq } from "drizzle-orm";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";

/** Notes that an order will not be paid; one that was paid stays so. */
export async function closeOrder(db: Db, tradeNo: string, status: "expired" | "failed"): Promise<void> {
  await db
    .update(topUpOrders)
    .set({ status })
    .where(and(eq(topUpOrders.tradeNo, tradeNo), eq(topUpOrders.status, "pending")));
}
