import { eq, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { orderRefunds, topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { partOf } from "./refund-parts.ts";

/** What a service paid back of an order by itself. */
type OrderRefund = Readonly<{
  tradeNo: string;
  /** The service's number of what it reports, with the service's name. */
  reference: string;
  /** In the currency's smallest coin: what this report paid back or, with `isTotal`, all that was paid back so far. */
  units: number;
  isTotal: boolean;
  currency: string;
  now: number;
}>;

/**
 * Records what a service paid back of an order without Sluice, once for each reference, in any order, with the share of the tax in it:
 * the statement lists it. What does not fit the order, because it is in another currency or more than was paid, is left to the payment
 * reports. Returns whether it was recorded.
 */
export const recordOrderRefund = (db: Db, refund: OrderRefund): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { tradeNo, reference, units, isTotal, now } = refund;
    const [order] = await tx.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo)).for("update");
    if (order?.status !== "success" || order.currency !== refund.currency.toUpperCase()) return false;
    const sums = requireRow(
      await tx
        .select({
          money: sql<string>`coalesce(sum(${orderRefunds.money}), 0)`,
          tax: sql<string>`coalesce(sum(${orderRefunds.tax}), 0)`,
        })
        .from(orderRefunds)
        .where(eq(orderRefunds.orderId, order.id)),
    );
    const part = partOf({ units, isTotal }, order, sums, order.currency);
    if (!part) return false;
    const rows = await tx
      .insert(orderRefunds)
      .values({ orderId: order.id, reference, refundedAt: now, ...part })
      .onConflictDoNothing()
      .returning({ id: orderRefunds.id });
    return rows.length > 0;
  });
