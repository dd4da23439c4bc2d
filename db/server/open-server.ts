import { requireRow } from "../require-row.ts";
import { type Database, DatabaseError } from "../types.ts";
import { DEADLINES_MS } from "./deadlines.ts";
import { openDriver } from "./driver.ts";
import { explainServerFailure, refuseOldServer } from "./explain-server-failure.ts";
import { answersWithin } from "./health.ts";

const CONNECTIONS = 12;
const CONNECT_TIMEOUT_S = 5;
/** A peer that vanished without a word is noticed by probes of the operating system, also on idle connections. */
const KEEP_ALIVE_S = 10;
const STATEMENT_TIMEOUT_MS = 60_000;
/** What a client that vanished has locked is free again after this. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/**
 * Opens a Postgres server by its address. A statement that is not answered in time rejects with StatementTimeout and its
 * connection is destroyed (`withDeadline` gives more or less time). Throws DatabaseError when it can't be used, and
 * DatabaseUnreachable when it does not answer.
 */
export async function openServer(url: string, connections = CONNECTIONS): Promise<Database> {
  const database = openServerLazily(url, connections);
  const { sql, health } = database;
  try {
    await health();
    const server = requireRow(
      await sql<{ version: string }[]>`select current_setting('server_version_num') as version`,
    );
    refuseOldServer(Number(server.version));
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error instanceof DatabaseError ? error : explainServerFailure("the database does not answer", error);
  }
  return database;
}

/** The same without asking whether it answers: it is connected to with the first statement. */
export function openServerLazily(url: string, connections = CONNECTIONS): Database {
  const { sql, db, callDb } = openDriver(
    {
      max: connections,
      // A statement that was sent behind a long one would have to end the long one's connection with its own.
      max_pipeline: 0,
      connect_timeout: CONNECT_TIMEOUT_S,
      keep_alive: KEEP_ALIVE_S,
      idle_timeout: 600,
      deadlineMs: DEADLINES_MS.usual,
      connection: {
        application_name: "sluice",
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      },
    },
    url,
  );
  return { db, callDb, sql, kind: "server", health: () => answersWithin(sql), close: () => sql.end({ timeout: 2 }) };
}
