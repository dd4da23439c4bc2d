import { and, count, eq, or, type SQL } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { contains } from "../../../lib/values/sql-text.ts";
import { type AnyOrder, type OwnOrder, orderFields, ownOrderFields } from "./order-view.ts";

/** `page` counts from 0. */
export type Page = Readonly<{ page: number; pageSize: number }>;
export type Listed<T> = { items: T[]; total: number };

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

export type OrderFilter = Readonly<{
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
export function whereOrders({ keyword, status }: OrderFilter): SQL | undefined {
  const text = keyword?.trim();
  return and(
    text ? or(contains(topUpOrders.tradeNo, text), contains(users.username, text)) : undefined,
    status ? eq(topUpOrders.status, status) : undefined,
  );
}
