import { and, desc, eq, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { LOGS_CLEARED_ROW } from "../../../../db/maintenance/partitions.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { logs, usageTotals } from "../../../../db/schema/logs/logs.ts";
import { options } from "../../../../db/schema/settings.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { startsWith } from "../../../lib/values/sql-text.ts";
import { isNarrow, isOfType, type LogFilter, logConditions } from "../log-filter.ts";
import { type LogRow, type LogView, readChannelNames, viewForAdmin, viewForOwner } from "../log-view.ts";
import { HOUR_S, readFolded } from "../usage/totals/totals.ts";
import { bigint, sumUsage } from "../usage/usage-sums.ts";
import { LOG_TYPE } from "../write-log.ts";

/** The place behind which a list goes on: that of its last row. */
export type LogCursor = Readonly<{ createdAt: number; id: number }>;
/** `asOf`: the newest row of the list, so that pages stay where they are while calls come in. */
type LogPage = Readonly<{ page: number; pageSize: number; before?: LogCursor; asOf?: LogCursor }>;
export type Viewer = "admin" | "owner";

/** Rows that are no calls are counted one by one up to here; a total beyond it is a lower bound. */
const COUNTED_EVENTS = 10_000;
const EVENT_TYPES = [LOG_TYPE.topUp, LOG_TYPE.management, LOG_TYPE.system, LOG_TYPE.checkIn];
const MOST_FOUND = 100;
/** Rows that are skipped together with their contents. */
const FAR_BACK = 1000;

/** A page of log rows, newest first, by number (from 0) or behind a cursor, which stays fast however far back it is. */
export async function readLogs(db: Db, filter: LogFilter, page: LogPage, viewer: Viewer): Promise<LogView[]> {
  const { before, asOf } = page;
  const where = and(
    logConditions(filter),
    before ? sql`(${logs.createdAt}, ${logs.id}) < (${before.createdAt}, ${before.id})` : undefined,
    // Says nothing new, but shows which months need not be looked at.
    before ? lte(logs.createdAt, before.createdAt) : undefined,
    asOf ? sql`(${logs.createdAt}, ${logs.id}) <= (${asOf.createdAt}, ${asOf.id})` : undefined,
  );
  const skipped = before ? 0 : page.page * page.pageSize;
  if (skipped < FAR_BACK) return viewRows(db, await readNear(db, where, skipped, page), viewer);
  const hours = await skipHours(db, filter, { where, newest: asOf?.createdAt ?? nowSeconds(), skipped });
  const older = hours ? and(where, lt(logs.createdAt, hours.from)) : where;
  return viewRows(db, await readFar(db, older, skipped - (hours?.rows ?? 0), page), viewer);
}

const readNear = (db: Db, where: SQL | undefined, skipped: number, { pageSize }: LogPage): Promise<LogRow[]> =>
  db.select().from(logs).where(where).orderBy(desc(logs.createdAt), desc(logs.id)).limit(pageSize).offset(skipped);

/** What is skipped is counted off in an index, without looking at the rows themselves. */
async function readFar(db: Db, where: SQL | undefined, skipped: number, { pageSize }: LogPage): Promise<LogRow[]> {
  const places = await db
    .select({ createdAt: logs.createdAt, id: logs.id })
    .from(logs)
    .where(where)
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(pageSize)
    .offset(skipped);
  const [first] = places;
  const last = places.at(-1);
  if (!first || !last) return [];
  return db
    .select()
    .from(logs)
    .where(
      and(
        gte(logs.createdAt, last.createdAt),
        lte(logs.createdAt, first.createdAt),
        sql`${logs.id} = any(${`{${places.map(({ id }) => id).join(",")}}`}::bigint[])`,
      ),
    )
    .orderBy(desc(logs.createdAt), desc(logs.id));
}

/** The newest rows, 100 at most, of the type whose number the keyword is, or whose text begins with it, of those that fit. */
export async function searchLogs(db: Db, keyword: string, filter: LogFilter, viewer: Viewer): Promise<LogView[]> {
  const found = /^[1-5]$/.test(keyword) ? isOfType(Number(keyword)) : startsWith(logs.content, keyword);
  const rows = await db
    .select()
    .from(logs)
    .where(and(logConditions(filter), found))
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(MOST_FOUND);
  return viewRows(db, rows, viewer);
}

/** How many rows fit: calls by the roll-ups, other events one by one (they are few; at most 10,000 are counted). */
export async function totalLogs(db: Db, filter: LogFilter): Promise<number> {
  const calls = !filter.type || filter.type === LOG_TYPE.consumption ? await countCalls(db, filter) : 0;
  const events = filter.type === LOG_TYPE.consumption ? 0 : await countEvents(db, filter);
  return calls + events;
}

async function countCalls(db: Db, { failed, ...filter }: LogFilter): Promise<number> {
  // Roll-ups reach further back than the log, of which old parts may have been deleted, of some users earlier than of others.
  const [oldest] = await db
    .select({ at: logs.createdAt })
    .from(logs)
    .where(filter.userId === undefined ? undefined : eq(logs.userId, filter.userId))
    .orderBy(logs.createdAt, logs.id)
    .limit(1);
  if (!oldest) return 0;
  const sums = await sumUsage(db, { ...filter, start: Math.max(filter.start ?? 0, oldest.at) });
  if (failed === undefined) return sums.count;
  return failed ? sums.failed : sums.count - sums.failed;
}

async function countEvents(db: Db, filter: LogFilter): Promise<number> {
  // Events have neither of these: none need be looked at.
  const {
    modelName,
    modelNames,
    tokenId,
    tokenName,
    channelId,
    group,
    requestId,
    tag,
    verdict,
    projectId,
    memberId,
    failed,
  } = filter;
  if (modelName || modelNames || tokenId || tokenName || channelId || group || requestId || failed) return 0;
  if (tag || verdict || projectId !== undefined || memberId !== undefined) return 0;
  // Type by type: a plan that is made for any values reads all calls of a user otherwise, to find the few events among them.
  const types = filter.type ? [filter.type] : EVENT_TYPES;
  const counts = await Promise.all(
    types.map((type) => countUpTo(db, logConditions({ ...filter, type }), COUNTED_EVENTS)),
  );
  return Math.min(
    COUNTED_EVENTS,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** Rows as administrators, or those they are about, see them. */
export async function viewRows(db: Db, rows: readonly LogRow[], viewer: Viewer): Promise<LogView[]> {
  if (viewer === "owner") return rows.map(viewForOwner);
  const names = await readChannelNames(db, rows);
  return rows.map((row) => viewForAdmin(row, names.get(row.channelId) ?? ""));
}

/** Hours that a far page need not read: the rows at or after `from` (epoch seconds) are `rows` in number. */
type SkippedHours = Readonly<{ from: number; rows: number }>;

const t = usageTotals;
const floorHour = (time: number) => time - (time % HOUR_S);

/**
 * Finds whole hours of the log that lie before the row number `skipped` of a list, newest first, whose condition is `where`
 * and whose newest row is no newer than `newest`, by the totals of hours instead of row by row. Totals have the calls, each
 * with its model; what has none, events and tasks that were not taken, is counted by its index. Null where totals can't say:
 * for filters beyond times, and for hours of which rows may have been deleted.
 */
export async function skipHours(
  db: Db,
  filter: LogFilter,
  { where, newest, skipped }: Readonly<{ where: SQL | undefined; newest: number; skipped: number }>,
): Promise<SkippedHours | null> {
  if (filter.type || filter.withoutAudit || isNarrow(filter)) return null;
  const [cleared] = await db.select({ value: options.value }).from(options).where(eq(options.key, LOGS_CLEARED_ROW));
  const end = floorHour(Math.min(filter.end ?? newest, newest));
  const until = Math.min(end, (await readFolded(db)).hours);
  const since = floorHour(Math.max(0, filter.start ?? 0, Number(cleared?.value ?? 0)) + HOUR_S - 1);
  if (since >= until) return null;
  const rest = skipped - (await countUpTo(db, and(where, gte(logs.createdAt, until)), skipped + 1));
  if (rest < 0) return null;
  const places = await db.execute<{ start: number; rows: number }>(sql`
    with hours as materialized (
      select start, count from (
        select ${t.start} as start, ${t.count} as count, sum(${t.count}) over (order by ${t.start} desc) as rows
        from ${t} where ${and(eq(t.dimension, "all"), gte(t.start, since), lt(t.start, until))}
      ) calls where rows <= ${rest}
    ), rows as (
      select start, count from hours
      union all
      select hours.start, -nameless.count from hours cross join lateral (
        select ${t.count} as count from ${t}
        where ${and(eq(t.dimension, "model"), eq(t.key, ""))} and ${t.start} = hours.start offset 0
      ) nameless
      union all
      select created_at - created_at % ${sql.raw(String(HOUR_S))}, sum(1) from ${logs}
      where ${and(eq(logs.modelName, ""), lt(logs.createdAt, until))} and created_at >= (select min(start) from hours)
      group by 1
    )
    select start, rows from (
      select start, sum(sum(count)) over (order by start desc) as rows from rows group by start
    ) places where rows <= ${rest} order by start limit 1`);
  const found = [...places].at(0);
  return found ? { from: Number(found.start), rows: skipped - rest + Number(found.rows) } : null;
}

/** How many log rows fit, of which at most `most` are looked at: the total of a list of rows that are no calls. */
export async function countUpTo(db: Db, where: SQL | undefined, most: number): Promise<number> {
  // Added up there: thousands of rows that came here to be counted would hold up calls.
  const some = db
    .select({ one: sql<number>`1`.as("one") })
    .from(logs)
    .where(where)
    .limit(most)
    .as("some");
  return Number(requireRow(await db.select({ found: bigint(sql`sum(${some.one})`) }).from(some)).found);
}
