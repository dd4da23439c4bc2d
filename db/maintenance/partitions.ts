import { sql as statement } from "drizzle-orm";
import { requireRow } from "../require-row.ts";
import { DEADLINES_MS, liftTimeouts, withDeadline } from "../server/deadlines.ts";
import { failureCode } from "../server/explain-server-failure.ts";
import type { Database, Db, DbOrTx, Statements } from "../types.ts";
import { carryOff } from "./carried-balances.ts";
import { createPace, rested } from "./pace.ts";

/** One partition of the log: rows with from <= created_at < until (epoch seconds). */
export type LogMonth = Readonly<{ name: string; from: number; until: number }>;

/** A row of the options table that is no option: log rows older than this (epoch seconds) may have been cleared. */
export const LOGS_CLEARED_ROW = "_logs_cleared_before";

/** Months of which partitions are made ahead of time. */
const MONTHS_AHEAD = 2;
/** Any number, the same in all replicas. */
const LOCK = 7_583_002;

/** Makes the monthly partitions of the log for now and the next months, and the one that takes what fits nowhere. */
export async function ensurePartitions(
  { sql, kind }: Database,
  now = new Date(),
  monthsAhead = MONTHS_AHEAD,
): Promise<void> {
  const months = Array.from({ length: monthsAhead + 1 }, (_, ahead) => monthOf(now, ahead));
  if ((await missingOf(sql, months)).length === 0) return;
  await withDeadline(DEADLINES_MS.long, () =>
    sql.begin(async (tx) => {
      if (kind === "server") await liftTimeouts(tx);
      await createLogMonths(tx, months);
    }),
  );
}

/** Makes the partition for rows of months that have none. */
export const CREATE_REST = "create table if not exists logs_rest partition of logs default";

/** Makes those of the given partitions that are missing; in a transaction, for whose end others that use the log wait. */
export async function createLogMonths(tx: Statements, months: readonly LogMonth[]): Promise<void> {
  // Replicas that come here at the same time take turns.
  await tx`select pg_advisory_xact_lock(${LOCK})`;
  const missing = await missingOf(tx, months);
  if (missing.length === 0) return;
  await tx.unsafe("lock table logs in share row exclusive mode");
  await tx.unsafe(CREATE_REST);
  for (const { name, from, until } of missing) {
    await tx.unsafe(`create table ${name} (like logs including defaults including constraints)`);
    // Rows of a month that had no partition yet wait in logs_rest and would forbid its attachment.
    await tx.unsafe(
      `with moved as (delete from logs_rest where created_at >= ${from} and created_at < ${until} returning *)
       insert into ${name} select * from moved`,
    );
    await tx.unsafe(`alter table logs attach partition ${name} for values from (${from}) to (${until})`);
  }
}

async function missingOf(sql: Statements, months: readonly LogMonth[]): Promise<LogMonth[]> {
  const present = new Set((await listLogMonths(sql)).map(({ name }) => name));
  return months.filter(({ name }) => !present.has(name));
}

/**
 * Deletes log rows older than `before` (epoch seconds): whole months by dropping their partition, the rest in slices that
 * hold nobody up. Roll-ups stay: statistics reach further back than the log; what balances owe to the rows is kept with
 * each step. Yields how many rows went with it; whoever stops asking keeps the rest.
 */
export async function* dropLogsInSteps({ db, sql }: Database, before: number): AsyncGenerator<number, void> {
  const now = Date.now() / 1000;
  await recordCleared(sql, before);
  for (const { name, until } of await listLogMonths(sql)) {
    if (until > Math.min(before, now)) continue;
    // A row that is added between the two is not counted, but nothing is added to a month that is over.
    const sum = requireRow(
      await inTime(() => sql.unsafe<{ rows: number }[]>(`select count(*)::int as rows from ${name}`)),
    );
    // As dropping does, and before it: whoever adds a row comes first, and is carried off, or waits.
    await withLockedLog(db, async (tx) => {
      await tx.execute(statement`with ${carryOff(statement.raw(name), Math.floor(now))} select`);
      await tx.execute(statement`drop table ${statement.raw(name)}`);
    });
    yield sum.rows;
  }
  const pace = createPace();
  for (;;) {
    const deleteSlice = (rows: number) =>
      db.execute<{ count: number }>(statement`
        with gone as (
          delete from logs where (created_at, id) in (
            select created_at, id from logs where created_at < ${before} order by created_at, id limit ${rows})
          returning *),
        ${carryOff(statement.raw("gone"), Math.floor(now))}
        select count(*)::int as count from gone`);
    const slice = pace.rows;
    const { count } = requireRow(await inTime(() => pace.run(deleteSlice)));
    yield count;
    if (count < slice) return;
  }
}

/** How long the lock on the log is waited for at a time: behind it, everybody waits who wants to read or add a row. */
const LOCK_WAIT_MS = 250;
/** Then they go on, until the next try. */
const LOCK_PAUSE_MS = 1000;
const LOCKED_WITHIN_MS = 10 * 60_000;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available */
const LOCK_NOT_AVAILABLE = "55P03";

/** Runs a transaction while nobody else uses the log; tries for ten minutes to find such a moment. Rejects as `work` does. */
async function withLockedLog(db: Db, work: (tx: DbOrTx) => Promise<void>): Promise<void> {
  const until = performance.now() + LOCKED_WITHIN_MS;
  for (;;) {
    try {
      return await inTime(() =>
        db.transaction(async (tx) => {
          await tx.execute(statement.raw(`set local lock_timeout = ${LOCK_WAIT_MS}`));
          await tx.execute(statement`lock table only logs in access exclusive mode`);
          await work(tx);
        }),
      );
    } catch (error) {
      if (failureCode(error) !== LOCK_NOT_AVAILABLE || performance.now() > until) throw error;
      await Bun.sleep(LOCK_PAUSE_MS);
    }
  }
}

/**
 * Records that rows older than `before` (epoch seconds) may have been deleted; to be called before any is, for whoever brings
 * an old charge must know that its row may be gone.
 */
export async function recordCleared(sql: Statements, before: number): Promise<void> {
  await sql`
    insert into options as o (key, value) values (${LOGS_CLEARED_ROW}, ${String(Math.trunc(before))})
    on conflict (key) do update set value = greatest(o.value::bigint, excluded.value::bigint)::text`;
}

/** Names a row of the log. */
export type LogKey = Readonly<{ createdAt: number; id: number }>;

/**
 * Deletes these rows, at most some thousand, in one statement that carries over what balances owe to them, and rests then as
 * long as that took. Rows that are missing already count nothing. Resolves with how many were deleted. `recordCleared` comes first.
 */
export async function deleteLogRows({ db }: Pick<Database, "db">, keys: readonly LogKey[]): Promise<number> {
  const times = keys.map(({ createdAt }) => createdAt);
  const listed = (values: readonly number[]) => `{${values.join(",")}}`;
  const deleteRows = () =>
    db.execute<{ count: number }>(statement`
      with gone as (
        delete from logs l using unnest(${listed(times)}::bigint[], ${listed(keys.map(({ id }) => id))}::bigint[]) as k(at, id)
        where l.created_at = k.at and l.id = k.id
          and l.created_at between ${Math.min(...times)}::bigint and ${Math.max(...times)}::bigint
        returning l.*),
      ${carryOff(statement.raw("gone"), Math.floor(Date.now() / 1000))}
      select count(*)::int as count from gone`);
  return requireRow(await inTime(() => rested(deleteRows))).count;
}

/** Drops the partitions of months that ended by `before` (epoch seconds) and have no rows left. */
export async function dropEmptyMonths({ db, sql }: Pick<Database, "db" | "sql">, before: number): Promise<void> {
  const isEmpty = (name: string) => statement`not exists (select from ${statement.raw(name)}) as empty`;
  for (const { name, until } of await listLogMonths(sql)) {
    if (until > Math.min(before, Date.now() / 1000)) continue;
    // First without a lock, for which calls would wait.
    if (!requireRow(await db.execute<{ empty: boolean }>(statement`select ${isEmpty(name)}`)).empty) continue;
    await withLockedLog(db, async (tx) => {
      const { empty } = requireRow(await tx.execute<{ empty: boolean }>(statement`select ${isEmpty(name)}`));
      if (empty) await tx.execute(statement`drop table ${statement.raw(name)}`);
    });
  }
}

const inTime = <Result>(work: () => PromiseLike<Result>): Promise<Result> => withDeadline(DEADLINES_MS.long, work);

/** The same at a stretch. Returns how many rows went. */
export async function dropLogsBefore(database: Database, before: number): Promise<number> {
  let deleted = 0;
  for await (const count of dropLogsInSteps(database, before)) deleted += count;
  return deleted;
}

/** The log's months as the database has them, oldest first. */
export async function listLogMonths(sql: Statements): Promise<LogMonth[]> {
  const rows = await sql<{ name: string; bounds: string }[]>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'logs'::regclass order by 1`;
  return rows.flatMap(({ name, bounds }) => {
    const range = /FROM \('?(\d+)'?\) TO \('?(\d+)'?\)/.exec(bounds);
    return range ? [{ name, from: Number(range[1]), until: Number(range[2]) }] : [];
  });
}

/** The month of the log that `now` lies in, or one `ahead` of it. */
export function monthOf(now: Date, ahead: number): LogMonth {
  const start = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1);
  const first = new Date(start(ahead));
  const name = `logs_${first.getUTCFullYear()}_${String(first.getUTCMonth() + 1).padStart(2, "0")}`;
  return { name, from: start(ahead) / 1000, until: start(ahead + 1) / 1000 };
}
