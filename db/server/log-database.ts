import { ensurePartitions } from "../maintenance/partitions.ts";
import { migrateDatabase } from "../migrate/migrate.ts";
import { requireRow } from "../require-row.ts";
import { type Database, DatabaseError, type Db, type DbOrTx, type Tx } from "../types.ts";
import { openServerLazily } from "./open-server.ts";

/** A database that has the log alone: its rows, their roll-ups, and what is made of both. */
export type LogDatabase = Database &
  Readonly<{
    /** Makes its tables where they are missing; what succeeded once is not done again. Throws DatabaseError, or rejects as the database does. */
    prepare(): Promise<void>;
  }>;

/** Ids of its own rows begin here: those of rows that are moved to it, which keep their ids, are all smaller. */
export const OWN_LOG_IDS = 1_000_000_000_000;

const MAIN_OF = new WeakMap<Db, Db>();
const LOG_OF = new WeakMap<DbOrTx, Db>();
const DATABASES = new WeakMap<Db, LogDatabase>();

/** The database of users, API keys and channels that goes with one in which log rows are read; mostly the same. */
export const mainOf = (db: Db): Db => MAIN_OF.get(db) ?? db;

/** The database in which the log of a database is; mostly the same. */
export const logOf = (db: Db): Db => LOG_OF.get(db) ?? db;

/** The same where it is another one; null: the log is in the same. */
export const ownLogOf = (db: DbOrTx): Db | null => LOG_OF.get(db) ?? null;

/** Log rows of what happens in a transaction are where those of its database are. */
export function inheritLog(db: Db, tx: Tx): void {
  const own = ownLogOf(db);
  if (own) LOG_OF.set(tx, own);
}

/** The same with its driver. */
export const logDatabaseOf = (database: Database): Database => DATABASES.get(database.db) ?? database;

/** Notes that log rows are read in `db`, and users, API keys and channels in `main`. */
export function linkToMain(db: Db, main: Db): void {
  if (db !== main) MAIN_OF.set(db, main);
}

/** Opens the log's own database, which may be away; `main`: the other one. */
export const openLogDatabase = (url: string, main: Database, connections?: number): LogDatabase =>
  toLogDatabase(openServerLazily(url, connections), url, main);

/** Makes a database the log's own. `url`: null for the embedded engine. */
export function toLogDatabase(database: Database, url: string | null, main: Database): LogDatabase {
  for (const name of ["db", "callDb", "listDb"] as const) {
    linkToMain(database[name], main[name]);
    LOG_OF.set(main[name], database[name]);
  }
  let prepared: Promise<void> | null = null;
  const prepare = async () => {
    await migrateDatabase(database, url);
    const { sql } = database;
    const found = requireRow(await sql<{ filled: boolean }[]>`select exists (select from users) as filled`);
    if (found.filled) {
      throw new DatabaseError("LOG_DATABASE_URL names a database that has accounts: it needs one of its own");
    }
    await ensurePartitions(database);
    await sql`
      select setval('logs_id_seq', ${OWN_LOG_IDS}::bigint)
      from pg_sequences where sequencename = 'logs_id_seq' and coalesce(last_value, 0) < ${OWN_LOG_IDS}::bigint`;
  };
  const logDatabase: LogDatabase = {
    ...database,
    prepare() {
      prepared ??= prepare().catch((error) => {
        prepared = null;
        throw error;
      });
      return prepared;
    },
  };
  DATABASES.set(main.db, logDatabase);
  return logDatabase;
}
