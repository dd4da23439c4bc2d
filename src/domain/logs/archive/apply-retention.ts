import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { deleteLogRows, dropEmptyMonths, type LogKey, recordCleared } from "../../../../db/maintenance/partitions.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { usageSinks } from "../../../../db/schema/logs/sinks.ts";
import { options } from "../../../../db/schema/settings.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import { logDatabaseOf, mainOf } from "../../../../db/server/log-database.ts";
import type { Database, Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { LogRow } from "../log-view.ts";
import { readBacklog } from "../sinks/read-calls.ts";
import { LOG_TYPE } from "../write-log.ts";
import { archiveRows, resumeArchives } from "./archive-file.ts";
import { type ArchivePlace, openPlace, type PlaceDeps } from "./place.ts";

export type RetentionDeps = PlaceDeps & Readonly<{ database: Database }>;

const DAY_S = 86_400;
/** A row of the options table that is no option: how far each rule has been applied. */
const PROGRESS_ROW = "_log_retention";
/** After so long all rows are looked at again: users may have moved to a group whose rows stay shorter. */
const FULL_PASS_S = 30 * DAY_S;
/** A run ends by itself before the limit of jobs, and the next one continues. */
const RUN_MS = 50 * 60_000;

/** Up to which time (epoch seconds) the rule of each group was applied, under which rules, and since when. */
type Progress = { rules: string; since: number; until: Record<string, number> };

/**
 * Takes rows out of the log that are older than the rules let them stay: into files where archiving is on, else for good.
 * Sums and balances don't change. `now`: epoch seconds.
 */
export async function applyRetention(deps: RetentionDeps, signal: AbortSignal, now = nowSeconds()): Promise<void> {
  const { settings } = deps;
  const database = logDatabaseOf(deps.database);
  const { db } = database;
  await resumeArchives(database, (kind) => openPlace(kind, deps));
  const rules = settings.get("LogRetention");
  if (rules.size === 0) return;
  const kind = settings.get("LogArchive");
  const place = kind === "off" ? null : await openPlace(kind, deps);
  const stopAt = performance.now() + RUN_MS;
  const isOver = () => signal.aborted || performance.now() >= stopAt;
  const newest = await readOldestUnexported(db);
  const progress = await readProgress(db, rules, now);
  for (const [group, days] of rules) {
    const from = progress.until[group] ?? 0;
    const until = Math.min(now - days * DAY_S, newest);
    const isDone = await takeOut(database, place, readExpired(db, rules, { group, from, until }), isOver);
    if (!isDone) return;
    progress.until[group] = Math.max(from, until);
    await writeProgress(db, progress);
  }
  const forgotten = now - Math.min(...rules.values()) * DAY_S;
  await dropEmptyMonths(database, forgotten);
  if (deps.database !== database) await dropEvents(deps.database, rules, isOver, now);
}

/** Where the log has a database of its own, events stand in the main one too, which needs them no longer than the longest rule. */
async function dropEvents(main: Database, rules: RetentionRules, isOver: () => boolean, now: number): Promise<void> {
  if (!rules.has(OTHERS)) return;
  const before = now - Math.max(...rules.values()) * DAY_S;
  const isEvent = sql`${logs.type} <> ${LOG_TYPE.consumption}`;
  for (let after: LogKey = { createdAt: 0, id: -1 }; !isOver(); ) {
    const rows = await readPage(main.db, after, before, isEvent);
    const last = rows.at(-1);
    if (!last) return dropEmptyMonths(main, before);
    await deleteLogRows(main, rows);
    after = last;
  }
}

/** Archives or deletes all rows of the pages. Resolves with false if `isOver` ended it before. */
async function takeOut(
  database: Database,
  place: ArchivePlace | null,
  pages: AsyncGenerator<LogRow[], void>,
  isOver: () => boolean,
): Promise<boolean> {
  const next = async () => {
    const { value, done } = await pages.next();
    return done ? null : value;
  };
  let page: readonly LogRow[] | null = await next();
  while (page) {
    if (isOver()) {
      await pages.return();
      return false;
    }
    if (place) {
      page = await archiveRows(database, place, page, pages);
    } else {
      await recordCleared(database.sql, (page.at(-1)?.createdAt ?? 0) + 1);
      await deleteLogRows(database, page);
      page = await next();
    }
  }
  return true;
}

/** When the oldest call arrived that an enabled export has not delivered yet (epoch seconds): the log is its queue. */
async function readOldestUnexported(db: Db): Promise<number> {
  const enabled = eq(usageSinks.enabled, true);
  const sinks = await mainOf(db).select({ position: usageSinks.position }).from(usageSinks).where(enabled);
  let oldest = Number.MAX_SAFE_INTEGER;
  for (const { position } of sinks) oldest = Math.min(oldest, (await readBacklog(db, position, 1)).oldest ?? oldest);
  return oldest;
}

async function readProgress(db: Db, rules: RetentionRules, now: number): Promise<Progress> {
  const text = JSON.stringify([...rules]);
  const [row] = await db.select({ value: options.value }).from(options).where(eq(options.key, PROGRESS_ROW));
  const stored = parseProgress(row?.value ?? "");
  if (stored && stored.rules === text && stored.since > now - FULL_PASS_S) return stored;
  return { rules: text, since: now, until: {} };
}

function parseProgress(text: string): Progress | null {
  if (text === "") return null;
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) return null;
  const { rules, since, until } = { rules: "", since: 0, until: {}, ...value };
  return { rules: String(rules), since: Number(since), until: { ...until } };
}

async function writeProgress(db: Db, progress: Progress): Promise<void> {
  await db
    .insert(options)
    .values({ key: PROGRESS_ROW, value: JSON.stringify(progress) })
    .onConflictDoUpdate({ target: options.key, set: { value: sql`excluded.value` } });
}

/** Days that rows stay, by user group; `OTHERS`: all other users'. Groups without an entry are not in it. */
type RetentionRules = ReadonlyMap<string, number>;

const OTHERS = "*";

const PAGE = 1000;

/**
 * Pages of the rows that the rule of a group covers with from <= created_at < until (epoch seconds), in order of time and id.
 * No page reaches over a day (UTC). What administrators did follows the rule for all others, whatever their group.
 */
async function* readExpired(
  db: Db,
  rules: RetentionRules,
  { group, from, until }: Readonly<{ group: string; from: number; until: number }>,
): AsyncGenerator<LogRow[], void> {
  const main = mainOf(db);
  const covers = group === OTHERS ? coversOthers([...rules.keys()]) : coversGroup(group);
  // Users have their groups in the other database: each page is asked about there.
  const covered = main === db ? covers : undefined;
  let after: LogKey = { createdAt: Math.max(from, await readOldest(db)), id: -1 };
  while (after.createdAt < until) {
    const endOfDay = Math.min(until, after.createdAt - (after.createdAt % DAY_S) + DAY_S);
    const rows = await readPage(db, after, endOfDay, covered);
    const expired = main === db ? rows : await ofCovered(main, rows, covers);
    if (expired.length > 0) yield expired;
    const last = rows.at(-1);
    after = last && rows.length === PAGE ? last : { createdAt: endOfDay, id: -1 };
  }
}

const readPage = (db: Db, after: LogKey, until: number, covered: SQL | undefined): Promise<LogRow[]> =>
  withDeadline(DEADLINES_MS.long, () =>
    db
      .select()
      .from(logs)
      .where(
        and(
          // Says nothing new, but shows which months need not be looked at.
          gte(logs.createdAt, after.createdAt),
          lt(logs.createdAt, until),
          sql`(${logs.createdAt}, ${logs.id}) > (${after.createdAt}, ${after.id})`,
          covered,
        ),
      )
      .orderBy(asc(logs.createdAt), asc(logs.id))
      .limit(PAGE),
  );

async function readOldest(db: Db): Promise<number> {
  const [oldest] = await db.select({ at: logs.createdAt }).from(logs).orderBy(logs.createdAt, logs.id).limit(1);
  return oldest?.at ?? Number.MAX_SAFE_INTEGER;
}

/** Those of the rows that a rule covers, whose users `main` knows. */
async function ofCovered(main: Db, rows: LogRow[], covers: SQL | undefined): Promise<LogRow[]> {
  if (rows.length === 0 || !covers) return rows;
  const owners = JSON.stringify(rows.map(({ id, type, userId }) => ({ id, type, user_id: userId })));
  const found = await main.execute<{ id: number }>(sql`
    select ${sql.raw("logs.id")} from json_to_recordset(${owners}::text::json) as logs(id bigint, type smallint, user_id int)
    where ${covers}`);
  const ids = new Set([...found].map(({ id }) => Number(id)));
  return rows.filter(({ id }) => ids.has(id));
}

const isOwnedBy = (condition: SQL): SQL =>
  sql`exists (select from users u where u.id = ${logs.userId} and ${condition})`;

const coversGroup = (group: string): SQL =>
  sql`${logs.type} <> ${LOG_TYPE.management} and ${isOwnedBy(sql`u."group" = ${group}`)}`;

function coversOthers(groups: readonly string[]): SQL | undefined {
  const ruled = groups.filter((group) => group !== OTHERS);
  if (ruled.length === 0) return undefined;
  const listed = JSON.stringify(ruled);
  return sql`(${logs.type} = ${LOG_TYPE.management}
    or not ${isOwnedBy(sql`u."group" in (select json_array_elements_text(${listed}::text::json))`)})`;
}
