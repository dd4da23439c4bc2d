import { and, count, desc, eq, or } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import { topUpOrders } from "../../db/schema/wallet.ts";
import type { Db } from "../../db/types.ts";
import { contains } from "../lib/sql-text.ts";
import { type AnyOrder, type OwnOrder, orderFields, ownOrderFields } from "./order-view.ts";

/** `page` counts from 0. */
export type Page = Readonly<{ page: number; pageSize: number }>;
export type Listed<T> = { items: T[]; total: number };

/** A user's orders, newest first. */
export async function listOwnOrders(db: Db, userId: number, { page, pageSize }: Page): Promise<Listed<OwnOrder>> {
  const where = eq(topUpOrders.userId, userId);
  const [sum] = await db.select({ total: count() }).from(topUpOrders).where(where);
  const items = await db
    .select(ownOrderFields)
    .from(topUpOrders)
    .where(where)
    .orderBy(desc(topUpOrders.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items, total: sum?.total ?? 0 };
}

export type OrderFilter = Readonly<{
  /** Part of the order's number or of the user's name. */
  keyword?: string;
  status?: string;
}>;

/** Everybody's orders, newest first. */
export async function listOrders(db: Db, filter: OrderFilter, { page, pageSize }: Page): Promise<Listed<AnyOrder>> {
  const keyword = filter.keyword?.trim();
  const where = and(
    keyword ? or(contains(topUpOrders.tradeNo, keyword), contains(users.username, keyword)) : undefined,
    filter.status ? eq(topUpOrders.status, filter.status) : undefined,
  );
  const isOwner = eq(users.id, topUpOrders.userId);
  const [sum] = await db.select({ total: count() }).from(topUpOrders).innerJoin(users, isOwner).where(where);
  const items = await db
    .select(orderFields)
    .from(topUpOrders)
    .innerJoin(users, isOwner)
    .where(where)
    .orderBy(desc(topUpOrders.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items, total: sum?.total ?? 0 };
}
