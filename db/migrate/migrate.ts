import { requireRow } from "../require-row.ts";
import { DEADLINES_MS } from "../server/deadlines.ts";
import { openDriver } from "../server/driver.ts";
import { explainServerFailure } from "../server/explain-server-failure.ts";
import { type Database, DatabaseError, type Sql, type Statements } from "../types.ts";
import { readMigrations, readTimes } from "./read-migrations.ts";

const BEFORE_FIRST_RELEASE =
  "this database was made by a version before the first release: write a backup with that version (sluice backup FILE), and " +
  "restore it with this one (sluice restore FILE) into an empty DATA_DIR or database, with the same encryption key";
const TOO_NEW =
  "a newer release of sluice has changed this database so that this one cannot use it: start that release, or restore a backup " +
  "from before";
/** Any number, the same in all replicas. */
const LOCK = 7_583_001;

/** What the tables are. Times are milliseconds since 1970; 0: there are none yet. */
export type AppliedMigrations = Readonly<{
  newest: number;
  /** Releases whose newest migration is at least this one work with the tables. */
  compatibleFrom: number;
}>;

/**
 * Brings the tables up to this release, one replica at a time: all missing migrations in one transaction. Tables that a newer
 * release has brought further are left as they are where this release works with them. Throws DatabaseError when a migration
 * fails, or when this release cannot work with the tables. `folder`: migrations other than this release's.
 */
export async function migrateDatabase(database: Database, url: string | null, folder?: string): Promise<void> {
  // At most starts everything is there: neither the files of all migrations are read nor a connection opened.
  if (await isCurrent(database.sql, folder)) return;
  try {
    if (url === null) return await applyMissing(database.sql, folder);
    const { sql } = openDriver(
      { max: 1, deadlineMs: DEADLINES_MS.long, connection: { application_name: "sluice migrate" } },
      url,
    );
    try {
      await sql`select pg_advisory_lock(${LOCK})`;
      await applyMissing(sql, folder);
    } finally {
      await sql.end({ timeout: 5 });
    }
  } catch (error) {
    throw explainServerFailure("the tables could not be brought up to date", error);
  }
}

/** Milliseconds since 1970 of the newest migration in this release. */
export const newestMigration = async (): Promise<number> => (await readTimes()).at(-1) ?? 0;

/** What has been done to the tables, by which release does not matter. */
export async function readApplied(sql: Statements): Promise<AppliedMigrations> {
  const known = requireRow(await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as present`);
  if (!known.present) return { newest: 0, compatibleFrom: 0 };
  // Through JSON: the column comes with the first migration that is applied by itself.
  const row = requireRow(
    await sql<{ newest: number | null; compatibleFrom: number | null }[]>`
      select max(created_at)::bigint as newest, max((to_jsonb(m) ->> 'compatible_from')::bigint) as "compatibleFrom"
      from drizzle.__drizzle_migrations m`,
  );
  return { newest: Number(row.newest ?? 0), compatibleFrom: Number(row.compatibleFrom ?? 0) };
}

/**
 * Whether nothing is to be done. Throws DatabaseError where this release cannot work with the tables: a newer one has taken
 * something away, or they are from before the first release, whose migrations are in no release.
 */
async function isCurrent(sql: Sql, folder?: string): Promise<boolean> {
  const { newest, compatibleFrom } = await readApplied(sql);
  const times = await readTimes(folder);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  if (newest > 0 && newest < first) throw new DatabaseError(BEFORE_FIRST_RELEASE);
  if (compatibleFrom > last) throw new DatabaseError(TOO_NEW);
  return newest >= last;
}

async function applyMissing(sql: Sql, folder?: string): Promise<void> {
  const migrations = await readMigrations(folder);
  await sql.begin(async (tx) => {
    await tx.unsafe("create schema if not exists drizzle");
    await tx.unsafe(
      "create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)",
    );
    await tx.unsafe("alter table drizzle.__drizzle_migrations add column if not exists compatible_from bigint");
    const { newest } = await readApplied(tx);
    for (const { time, hash, statements, compatibleFrom } of migrations.filter(({ time }) => time > newest)) {
      for (const statement of statements) await tx.unsafe(statement);
      await tx`insert into drizzle.__drizzle_migrations (hash, created_at, compatible_from)
        values (${hash}, ${time}, ${compatibleFrom})`;
    }
  });
}
