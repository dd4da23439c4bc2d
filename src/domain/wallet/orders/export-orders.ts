import { and, asc, eq, gt } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { csvOf } from "../../../lib/values/csv.ts";
import { type OrderFilter, whereOrders } from "./list-orders.ts";
import { type AnyOrder, orderFields } from "./order-view.ts";

const SLICE = 500;
const COLUMNS = [
  "id",
  "trade_no",
  "user_id",
  "username",
  "method",
  "money",
  "currency",
  "quota",
  "status",
  "created_time",
  "completed_time",
  "gateway_no",
  "completed_by",
] as const satisfies readonly (keyof AnyOrder)[];

/** Everybody's orders as CSV, oldest first, read in slices while it is sent. */
export const exportOrders = (db: Db, filter: OrderFilter): ReadableStream<Uint8Array> =>
  csvOf(COLUMNS, slicesOf(db, filter));

async function* slicesOf(db: Db, filter: OrderFilter) {
  let last = 0;
  for (;;) {
    const rows: AnyOrder[] = await db
      .select(orderFields)
      .from(topUpOrders)
      .innerJoin(users, eq(users.id, topUpOrders.userId))
      .where(and(whereOrders(filter), gt(topUpOrders.id, last)))
      .orderBy(asc(topUpOrders.id))
      .limit(SLICE);
    if (rows.length === 0) return;
    yield rows.map((row) => COLUMNS.map((column) => row[column]));
    if (rows.length < SLICE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
