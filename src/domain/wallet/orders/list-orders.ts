import { and, asc, count, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { csvById } from "../../../lib/values/csv.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { contains } from "../../../lib/values/sql-text.ts";
import type { Listed, Page } from "../operation.ts";

/** What a user's orders can be sorted by. */
export const OWN_ORDER_SORTS = {
  id: topUpOrders.id,
  method: topUpOrders.method,
  money: topUpOrders.money,
  quota: topUpOrders.quota,
  status: topUpOrders.status,
  created_time: topUpOrders.createdTime,
} as const;

/** What everybody's orders can be sorted by. */
export const ORDER_SORTS = { ...OWN_ORDER_SORTS, username: users.username } as const;

/** A user's orders, newest first unless sorted. */
export async function listOwnOrders(
  db: Db,
  userId: number,
  page: Page & Sorting<keyof typeof OWN_ORDER_SORTS>,
): Promise<Listed<OwnOrder>> {
  const where = eq(topUpOrders.userId, userId);
  const { total } = requireRow(await db.select({ total: count() }).from(topUpOrders).where(where));
  const items = await db
    .select(ownOrderFields)
    .from(topUpOrders)
    .where(where)
    .orderBy(...orderBy(OWN_ORDER_SORTS, topUpOrders.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items, total };
}

type OrderFilter = Readonly<{
  /** Part of the order's number or of the user's name. */
  keyword?: string;
  status?: string;
}>;

/** Everybody's orders, newest first unless sorted. */
export async function listOrders(
  db: Db,
  filter: OrderFilter,
  page: Page & Sorting<keyof typeof ORDER_SORTS>,
): Promise<Listed<AnyOrder>> {
  const where = whereOrders(filter);
  const isOwner = eq(users.id, topUpOrders.userId);
  const { total } = requireRow(
    await db.select({ total: count() }).from(topUpOrders).innerJoin(users, isOwner).where(where),
  );
  const items = await db
    .select(orderFields)
    .from(topUpOrders)
    .innerJoin(users, isOwner)
    .where(where)
    .orderBy(...orderBy(ORDER_SORTS, topUpOrders.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items, total };
}

/** The condition of a filter, for orders joined with their users. */
function whereOrders({ keyword, status }: OrderFilter): SQL | undefined {
  const text = keyword?.trim();
  return and(
    text ? or(contains(topUpOrders.tradeNo, text), contains(users.username, text)) : undefined,
    status ? eq(topUpOrders.status, status) : undefined,
  );
}

/** An order as its owner sees it. */
export const ownOrderFields = {
  id: topUpOrders.id,
  trade_no: topUpOrders.tradeNo,
  method: topUpOrders.method,
  quota: topUpOrders.quota,
  money: topUpOrders.money,
  currency: topUpOrders.currency,
  status: topUpOrders.status,
  created_time: topUpOrders.createdTime,
  completed_time: topUpOrders.completedTime,
  refund_started_time: topUpOrders.refundStartedTime,
  refunded_time: topUpOrders.refundedTime,
  plan_name: sql<string | null>`(select p.name from plan_purchases b join plans p on p.id = b.plan_id
    where b.order_id = top_up_orders.id)`,
  is_automatic: sql<boolean>`exists (select 1 from card_charges c where c.trade_no = top_up_orders.trade_no)`,
};

/** An order as administrators see it. */
const orderFields = {
  ...ownOrderFields,
  user_id: topUpOrders.userId,
  username: users.username,
  gateway_no: topUpOrders.gatewayNo,
  completed_by: topUpOrders.completedBy,
};

export type OwnOrder = {
  id: number;
  trade_no: string;
  /** zfb, wx, alipay, wechat, paypal, stripe or manual. */
  method: string;
  quota: number;
  /** Decimal text. */
  money: string;
  currency: string;
  /** pending, success, expired or failed. */
  status: string;
  created_time: number;
  completed_time: number;
  /** When a refund began, and when it was paid; 0: not. */
  refund_started_time: number;
  refunded_time: number;
  /** The plan that it pays a period of; null: it adds quota to the balance. */
  plan_name: string | null;
  /** A saved card pays it, because the balance was low. */
  is_automatic: boolean;
};

export type AnyOrder = OwnOrder & {
  user_id: number;
  username: string;
  gateway_no: string;
  completed_by: number | null;
};

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
export const exportOrders = (db: Db, filter: OrderFilter, unitsPerDollar: number): ReadableStream<Uint8Array> =>
  csvById(
    COLUMNS,
    { columns: ["quota"], unitsPerDollar },
    (after, limit): Promise<AnyOrder[]> =>
      db
        .select(orderFields)
        .from(topUpOrders)
        .innerJoin(users, eq(users.id, topUpOrders.userId))
        .where(and(whereOrders(filter), gt(topUpOrders.id, after)))
        .orderBy(asc(topUpOrders.id))
        .limit(limit),
  );
