import { and, count, desc, eq, or } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { contains } from "../lib/sql-text.ts";
import { type UserView, viewUsers } from "./user-view.ts";

export type UserFilter = Readonly<{
  /** Part of the username, e-mail or display name, or the whole id. */
  keyword?: string;
  group?: string;
}>;

/** A page of users, newest first, deleted ones included; `page` counts from 0. */
export async function listUsers(
  db: Db,
  filter: UserFilter,
  page: Readonly<{ page: number; pageSize: number }>,
): Promise<{ items: UserView[]; total: number }> {
  const keyword = filter.keyword?.trim();
  const where = and(
    keyword ? matchesKeyword(keyword) : undefined,
    filter.group ? eq(users.group, filter.group) : undefined,
  );
  const [sum] = await db.select({ total: count() }).from(users).where(where);
  const rows = await db
    .select()
    .from(users)
    .where(where)
    .orderBy(desc(users.id))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: await viewUsers(db, rows), total: sum?.total ?? 0 };
}

const matchesKeyword = (keyword: string) =>
  or(
    contains(users.username, keyword),
    contains(users.email, keyword),
    contains(users.displayName, keyword),
    /^\d{1,9}$/.test(keyword) ? eq(users.id, Number(keyword)) : undefined,
  );
