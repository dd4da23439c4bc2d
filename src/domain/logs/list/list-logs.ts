import { and, desc, eq, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { startsWith } from "../../../lib/values/sql-text.ts";
import { sumUsage } from "../usage/usage-sums.ts";
import { LOG_TYPE } from "../write-log.ts";
import { readChannelNames } from "./channel-names.ts";
import { countUpTo } from "./count-up-to.ts";
import { isOfType, type LogFilter, logConditions } from "./log-filter.ts";
import { type LogRow, type LogView, viewForAdmin, viewForOwner } from "./log-view.ts";
import { skipHours } from "./skip-hours.ts";

/** The place behind which a list goes on: that of its last row. */
export type LogCursor = Readonly<{ createdAt: number; id: number }>;
/** `asOf`: the newest row of the list, so that pages stay where they are while calls come in. */
export type LogPage = Readonly<{ page: number; pageSize: number; before?: LogCursor; asOf?: LogCursor }>;
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
  const { modelName, modelNames, tokenId, tokenName, channelId, group, requestId, tag, projectId, memberId, failed } =
    filter;
  if (modelName || modelNames || tokenId || tokenName || channelId || group || requestId || failed) return 0;
  if (tag || projectId !== undefined || memberId !== undefined) return 0;
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
