import { and, eq, lt, ne, or } from "drizzle-orm";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";

/** Nobody pays an order that is older; one that is paid all the same still counts. */
const STALE_SECONDS = 86_400;
/** Transfers to the operator take days. */
const STALE_MANUAL_SECONDS = 30 * 86_400;

/** Marks orders that nobody has paid for a day as expired (to the operator: 30 days), and returns how many. */
export async function expireOrders(db: Db, nowSeconds: number): Promise<number> {
  const expired = await db
    .update(topUpOrders)
    .set({ status: "expired" })
    .where(
      and(
        ...[eq(topUpOrders.status, "pending"), lt(topUpOrders.createdTime, nowSeconds - STALE_SECONDS)],
        or(ne(topUpOrders.method, "manual"), lt(topUpOrders.createdTime, nowSeconds - STALE_MANUAL_SECONDS)),
      ),
    )
    .returning({ id: topUpOrders.id });
  return expired.length;
}
