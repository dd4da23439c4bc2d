import { openDriver } from "./driver.ts";
import { answersWithin } from "./health.ts";
import { type Database, DatabaseError } from "./types.ts";

const CONNECTIONS = 12;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Opens a Postgres server by its address. Throws DatabaseError when it does not answer. */
export async function openServer(url: string, connections = CONNECTIONS): Promise<Database> {
  const { sql, db } = openDriver(
    {
      max: connections,
      connect_timeout: 10,
      idle_timeout: 600,
      connection: { application_name: "sluice", statement_timeout: STATEMENT_TIMEOUT_MS },
    },
    url,
  );
  const health = () => answersWithin(sql);
  try {
    await health();
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw new DatabaseError(`the database does not answer: ${error instanceof Error ? error.message : error}`);
  }
  return { db, sql, kind: "server", health, close: () => sql.end({ timeout: 5 }) };
}
