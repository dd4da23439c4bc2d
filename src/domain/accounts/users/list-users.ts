import { and, asc, count, eq, gt, ne, or, type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { type AccountKind, users } from "../../../../db/schema/accounts/users.ts";
import { runLongStatement } from "../../../../db/server/deadlines.ts";
import type { Database, Db } from "../../../../db/types.ts";
import { csvById } from "../../../lib/values/csv.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { byBytes, escapeLike, isOneOf } from "../../../lib/values/sql-text.ts";
import { type AdminUserView, viewForAdmins } from "./user-view.ts";

export type UserFilter = Readonly<{
  /** Part of the username, e-mail or display name, or the whole id. */
  keyword?: string;
  group?: string;
  role?: number;
  status?: number;
  kind?: AccountKind;
}>;

/** What users can be sorted by. */
export const USER_SORTS = {
  id: users.id,
  username: users.username,
  role: users.role,
  quota: users.quota,
  used_quota: users.usedQuota,
  request_count: users.requestCount,
  aff_count: users.affCount,
  last_login_time: users.lastLoginAt,
  created_time: users.createdAt,
} as const;

/** Up to so many users what looks at each takes a few milliseconds. */
const FEW_USERS = 20_000;

type UserPage = Readonly<{ page: number; pageSize: number }> & Sorting<keyof typeof USER_SORTS>;

/** A page of users, deleted ones included, newest first unless sorted; `page` counts from 0. */
export async function listUsers(
  db: Db,
  filter: UserFilter,
  page: UserPage,
): Promise<{ items: AdminUserView[]; total: number }> {
  const where = whereUsers(filter);
  if (filter.keyword?.trim()) return searchUsers(db, where, page);
  const total = Object.values(filter).some(Boolean) ? await countUsers(db, where) : await countAll(db);
  const skipped = page.page * page.pageSize;
  const limit = Math.min(page.pageSize, Math.max(0, total - skipped));
  const read = (order: readonly SQL[], offset: number) =>
    db
      .select()
      .from(users)
      .where(where)
      .orderBy(...order)
      .limit(limit)
      .offset(offset);
  // Of a hundred thousand users the last pages are counted off from the end.
  const isFarBack = !page.sort && limit > 0 && skipped > total / 2;
  const rows = isFarBack
    ? (await read([asc(users.id)], total - skipped - limit)).reverse()
    : await read(orderBy(USER_SORTS, users.id, page), skipped);
  return { items: await viewForAdmins(db, rows), total };
}

const countUsers = async (db: Db, where: SQL | undefined): Promise<number> =>
  requireRow(await db.select({ total: count() }).from(users).where(where)).total;

/** How many users there were up to an id. */
type Counted = Readonly<{ upTo: number; total: number; at: number }>;
const countedBefore = new WeakMap<Db, Counted>();
/** For one whose id was given out before and that was written only later. */
const COUNT_AGAIN_MS = 600_000;

/** Counts a million users once, afterwards those that are new: none is ever deleted from the table. */
async function countAll(db: Db): Promise<number> {
  const before = countedBefore.get(db);
  if (before && performance.now() - before.at < COUNT_AGAIN_MS)
    return before.total + (await countUsers(db, and(whereUsers({}), gt(users.id, before.upTo))));
  const found = { total: count(), upTo: sql<number>`coalesce(max(${users.id}), 0)` };
  const { total, upTo } = requireRow(await db.select(found).from(users).where(whereUsers({})));
  if (total > FEW_USERS) countedBefore.set(db, { total, upTo, at: performance.now() });
  return total;
}

/** The same when every user has to be looked at: once for both the page and the total. */
async function searchUsers(
  db: Db,
  where: SQL | undefined,
  page: UserPage,
): Promise<{ items: AdminUserView[]; total: number }> {
  const { pageSize, sort = "id", descending = true } = page;
  const order = orderBy({ value: sql`value` }, sql`id`, { sort: "value", descending });
  const found = requireRow(
    await db.execute<{ total: number; ids: number[] }>(sql`
    with found as materialized (
      select ${users.id} as id, ${USER_SORTS[sort]} as value from ${users} where ${where})
    select (select count(*)::int from found) as total,
      array(select id from found order by ${sql.join(order, sql`, `)} limit ${pageSize} offset ${page.page * pageSize}) as ids`),
  );
  if (found.ids.length === 0) return { items: [], total: found.total };
  const rows = await db.select().from(users).where(isOneOf(users.id, found.ids));
  const placeOf = new Map(found.ids.map((id, index) => [id, index]));
  rows.sort((a, b) => (placeOf.get(a.id) ?? 0) - (placeOf.get(b.id) ?? 0));
  return { items: await viewForAdmins(db, rows), total: found.total };
}

/** The condition of a filter; service accounts have a list of their own. */
function whereUsers({ keyword, group, role, status, kind }: UserFilter): SQL | undefined {
  const text = keyword?.trim();
  return and(
    text ? matchesKeyword(text) : undefined,
    group ? eq(users.group, group) : undefined,
    role ? eq(users.role, role) : undefined,
    status ? eq(users.status, status) : undefined,
    kind ? eq(users.kind, kind) : ne(users.kind, "service"),
  );
}

/** Searched as one, in lower case: that takes half the time of looking through each in any case. */
const SEARCHED = sql`${users.username} || chr(10) || ${users.displayName} || chr(10) || coalesce(${users.email}, '')`;
const matchesKeyword = (keyword: string) => {
  const searched = sql`lower(${byBytes(SEARCHED, keyword)})`;
  const pattern = `%${escapeLike(keyword)}%`;
  const rough = roughPattern(keyword);
  return or(
    // The index is not asked for what has more than its expression: few of its entries are read, and few rows looked at.
    rough
      ? sql`(${searched} like lower(${rough}) and ${searched} || '' like lower(${pattern}))`
      : sql`${searched} like lower(${pattern})`,
    /^\d{1,9}$/.test(keyword) ? eq(users.id, Number(keyword)) : undefined,
  );
};

const MAIL = /^([^@]{2,})@.*(.{3})$/su;

/**
 * What fits all that fits an e-mail address, or a part of one with its @, and less besides: without the most of a domain, which the
 * addresses of a million users have in common. Null for other keywords.
 */
function roughPattern(keyword: string): string | null {
  const [, name, end] = MAIL.exec(keyword) ?? [];
  return name && end ? `%${escapeLike(name)}@%${escapeLike(end)}%` : null;
}

const SEARCH_INDEX = "users_search_idx";

/**
 * Makes the index that searches of many users are answered by, where there are many and the server has trigrams (a part of
 * Postgres that the owner of a database may switch on). Users are written meanwhile. Elsewhere searches look at each user.
 */
export async function ensureSearchIndex(database: Pick<Database, "db" | "kind" | "sql" | "sessionSql">): Promise<void> {
  const { db, kind } = database;
  if (kind === "embedded") return;
  const [index] = await db.execute<{ valid: boolean }>(sql`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${SEARCH_INDEX})`);
  if (index?.valid) return;
  const [{ many } = { many: false }] = await db.execute<{ many: boolean }>(sql`
    select exists (select from ${users} offset ${FEW_USERS}) as many`);
  if (!many) return;
  // The rest of one that was interrupted.
  if (index) await db.execute(sql`drop index ${sql.identifier(SEARCH_INDEX)}`);
  const has = db.execute(sql`create extension if not exists pg_trgm`).then(
    () => true,
    () => false,
  );
  if (!(await has)) return;
  await runLongStatement(
    database,
    sql`create index concurrently ${sql.identifier(SEARCH_INDEX)} on ${users}
      using gin (lower(${byBytes(SEARCHED, "")}) gin_trgm_ops)`,
  );
}

const COLUMNS = [
  "id",
  "username",
  "display_name",
  "email",
  "group",
  "role",
  "status",
  "quota",
  "used_quota",
  "request_count",
  "aff_count",
  "inviter_id",
  "max_concurrency",
  "requests_per_minute",
  "note",
  "created_time",
  "last_login_time",
  "DeletedAt",
] as const satisfies readonly (keyof AdminUserView)[];

/** Users as CSV, oldest first, read while it is sent. */
export const exportUsers = (db: Db, filter: UserFilter, unitsPerDollar: number): ReadableStream<Uint8Array> =>
  csvById(COLUMNS, { columns: ["quota", "used_quota"], unitsPerDollar }, async (after, limit) => {
    const rows = await db
      .select()
      .from(users)
      .where(and(whereUsers(filter), gt(users.id, after)))
      .orderBy(asc(users.id))
      .limit(limit);
    return viewForAdmins(db, rows);
  });
