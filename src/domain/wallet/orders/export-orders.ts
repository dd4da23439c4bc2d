import { and, asc, eq, gt } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { csvById } from "../../../lib/values/csv.ts";
import { type OrderFilter, whereOrders } from "./list-orders.ts";
import { type AnyOrder, orderFields } from "./order-view.ts";

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

/** Everybody's orders as CSV, oldest first, read while it is sent. */
export const exportOrders = (db: Db, filter: OrderFilter): ReadableStream<Uint8Array> =>
  csvById(
    COLUMNS,
    (after, limit): Promise<AnyOrder[]> =>
      db
        .select(orderFields)
        .from(topUpOrders)
        .innerJoin(users, eq(users.id, topUpOrders.userId))
        .where(and(whereOrders(filter), gt(topUpOrders.id, after)))
        .orderBy(asc(topUpOrders.id))
        .limit(limit),
  );
