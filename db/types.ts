import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import type * as schema from "./schema/index.ts";

export type Db = PostgresJsDatabase<typeof schema>;
/** A transaction's handle: inside its callback only this may be used, the embedded engine has one connection. */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
export type DbOrTx = Db | Tx;

/** bigint columns and sums are read as numbers: amounts stay below 2^53. */
export type Sql = postgres.Sql<{ bigint: number }>;

/** The driver, or a transaction of it. */
export type Statements = Sql | postgres.TransactionSql<{ bigint: number }>;

export type Database = Readonly<{
  db: Db;
  /** The same for what a relayed call waits for: its statements have 5 s, those of `db` three times as long. */
  callDb: Db;
  /** The driver, for statements that the query builder cannot say. */
  sql: Sql;
  /** A driver for sessions that last, such as LISTEN: it goes past a pooler that gives a session to each transaction. */
  sessionSql: Sql;
  kind: "embedded" | "server";
  /** Resolves when the database answers; rejects with why not. */
  health(): Promise<void>;
  close(): Promise<void>;
}>;

/** The database cannot be used; the message says what to do. */
export class DatabaseError extends Error {
  override name: string = "DatabaseError";
}

/** Nothing answers at the database's address, or not yet: it may be back in a moment. */
export class DatabaseUnreachable extends DatabaseError {
  override name = "DatabaseUnreachable";
}
