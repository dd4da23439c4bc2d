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
 * DatabaseUnreachable when it does not answer. `directUrl`: the server itself, where `url` names a pooler in transaction
 * mode; what needs a session of its own goes there.
 */
export async function openServer(
  url: string,
  connections = CONNECTIONS,
  directUrl: string | null = null,
): Promise<Database> {
  const database = openServerLazily(url, connections, directUrl);
  const { sql, health, close } = database;
  try {
    await health();
    const server = requireRow(
      await sql<{ version: string }[]>`select current_setting('server_version_num') as version`,
    );
    refuseOldServer(Number(server.version));
  } catch (error) {
    await close();
    throw error instanceof DatabaseError ? error : explainServerFailure("the database does not answer", error);
  }
  return database;
}

/** The same without asking whether it answers: it is connected to with the first statement. */
export function openServerLazily(url: string, connections = CONNECTIONS, directUrl: string | null = null): Database {
  const options = {
    max: connections,
    // A statement that was sent behind a long one would have to end the long one's connection with its own.
    max_pipeline: 0,
    connect_timeout: CONNECT_TIMEOUT_S,
    keep_alive: KEEP_ALIVE_S,
    idle_timeout: 600,
    deadlineMs: DEADLINES_MS.usual,
  };
  const session = {
    application_name: "sluice",
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // Compiling a query for a chart takes longer than the query.
    jit: "off",
  };
  // A pooler refuses settings of a session that it can't keep: there the server's own settings count.
  const connection = directUrl === null ? session : { application_name: "sluice" };
  const { sql, ...handles } = openDriver({ ...options, connection }, url);
  const sessionSql = directUrl === null ? sql : openDriver({ ...options, max: 1, connection: session }, directUrl).sql;
  return {
    ...handles,
    ...{ sql, sessionSql, kind: "server" },
    health: () => answersWithin(sql),
    close: async () => void (await Promise.all([...new Set([sql, sessionSql])].map((one) => one.end({ timeout: 2 })))),
  };
}
