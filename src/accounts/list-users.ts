import { and, count, desc, eq, or, type SQL } from "drizzle-orm";
import { users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { contains } from "../lib/sql-text.ts";
import { type AdminUserView, viewForAdmins } from "./admin-user-view.ts";

export type UserFilter = Readonly<{
  /** Part of the username, e-mail or display name, or the whole id. */
  keyword?: string;
  group?: string;
  role?: number;
  status?: number;
}>;

/** A page of users, newest first, deleted ones included; `page` counts from 0. */
export async function listUsers(
  db: Db,
  filter: UserFilter,
  page: Readonly<{ page: number; pageSize: number }>,
): Promise<{ items: AdminUserView[]; total: number }> {
  const where = whereUsers(filter);
  const [sum] = await db.select({ total: count() }).from(users).where(where);
  const rows = await db
    .select()
    .from(users)
    .where(where)
    .orderBy(desc(users.id))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items: await viewForAdmins(db, rows), total: sum?.total ?? 0 };
}

/** The condition of a filter; undefined: everybody. */
export function whereUsers({ keyword, group, role, status }: UserFilter): SQL | undefined {
  const text = keyword?.trim();
  return and(
    text ? matchesKeyword(text) : undefined,
    group ? eq(users.group, group) : undefined,
    role ? eq(users.role, role) : undefined,
    status ? eq(users.status, status) : undefined,
  );
}

const matchesKeyword = (keyword: string) =>
  or(
    contains(users.username, keyword),
    contains(users.email, keyword),
    contains(users.displayName, keyword),
    /^\d{1,9}$/.test(keyword) ? eq(users.id, Number(keyword)) : undefined,
  );
