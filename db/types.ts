import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import type * as schema from "./schema/index.ts";

export type Db = PostgresJsDatabase<typeof schema>;
/** A transaction's handle: use only this inside the callback, because the embedded engine has one connection. */
export type Tx = Parameters<Parameters<Db["transaction"]>[0]>[0];
export type DbOrTx = Db | Tx;

/** bigint columns and sums are read as numbers: amounts stay below 2^53. */
export type Sql = postgres.Sql<{ bigint: number }>;

/** The driver, or a transaction of it. */
export type Statements = Sql | postgres.TransactionSql<{ bigint: number }>;

export type Database = Readonly<{
  db: Db;
  /** For statements that a relayed call waits for: they time out after 5 s, those of `db` after 15 s. */
  callDb: Db;
  /** For lists and charts, which filter by what a user chose: each statement is planned for its own values. */
  listDb: Db;
  /** The driver, for statements that the query builder cannot express. */
  sql: Sql;
  /** A driver for long-lived sessions such as LISTEN: it bypasses a pooler in transaction mode. */
  sessionSql: Sql;
  kind: "embedded" | "server";
  /** Resolves when the database answers; rejects with the reason if it does not. */
  health(): Promise<void>;
  close(): Promise<void>;
}>;

/** The database cannot be used; the message says what to do. */
export class DatabaseError extends Error {
  override name: string = "DatabaseError";
}

/** The database does not answer, or not yet; a retry may succeed. */
export class DatabaseUnreachable extends DatabaseError {
  override name = "DatabaseUnreachable";
}
