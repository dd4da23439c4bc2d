import { join } from "node:path";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { requireRow } from "./require-row.ts";
import { DEADLINES_MS } from "./server/deadlines.ts";
import { openDriver } from "./server/driver.ts";
import { explainServerFailure } from "./server/explain-server-failure.ts";
import { type Database, DatabaseError } from "./types.ts";

/** Embedded in the executable under its last name; in the sources next to this file. */
const MIGRATIONS = Bun.isStandaloneExecutable ? "/$bunfs/root/migrations" : join(import.meta.dir, "migrations");
const BEFORE_FIRST_RELEASE =
  "this database was made by a version before the first release: write a backup with that version (sluice backup FILE), and " +
  "restore it with this one (sluice restore FILE) into an empty DATA_DIR or database, with the same encryption key";
/** Any number, the same in all replicas. */
const LOCK = 7_583_001;

/**
 * Brings the tables up to this release, one replica at a time. Nothing is ever dropped.
 * Throws DatabaseError when a migration fails, or when a newer release has already changed the tables.
 */
export async function migrateDatabase(database: Database, url: string | null): Promise<void> {
  // At most starts everything is there: neither the files of all migrations are read nor a connection opened.
  if (await isCurrent(database)) return;
  try {
    if (url === null) return await migrate(database.db, { migrationsFolder: MIGRATIONS });
    const { sql, db } = openDriver(
      { max: 1, deadlineMs: DEADLINES_MS.long, connection: { application_name: "sluice migrate" } },
      url,
    );
    try {
      await sql`select pg_advisory_lock(${LOCK})`;
      await migrate(db, { migrationsFolder: MIGRATIONS });
    } finally {
      await sql.end({ timeout: 5 });
    }
  } catch (error) {
    throw explainServerFailure("the tables could not be brought up to date", error);
  }
}

/** Milliseconds since 1970 of the newest migration in this release. */
export const newestMigration = async (): Promise<number> => Math.max(...(await migrationTimes()));

async function migrationTimes(): Promise<number[]> {
  const journal = (await Bun.file(join(MIGRATIONS, "meta/_journal.json")).json()) as { entries: { when: number }[] };
  return journal.entries.map(({ when }) => when);
}

/**
 * Whether this release's newest migration has been applied. Throws DatabaseError when a newer one has, and for tables from
 * before the first release, whose migrations are in no release.
 */
async function isCurrent({ sql }: Database): Promise<boolean> {
  const known = requireRow(await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as present`);
  if (!known.present) return false;
  const row = requireRow(await sql`select max(created_at)::bigint as newest from drizzle.__drizzle_migrations`);
  const times = await migrationTimes();
  const [applied, first, newest] = [Number(row.newest ?? 0), Math.min(...times), Math.max(...times)];
  if (applied > 0 && applied < first) throw new DatabaseError(BEFORE_FIRST_RELEASE);
  if (applied <= newest) return applied === newest;
  throw new DatabaseError("a newer release of sluice has already changed this database: start that release");
}
