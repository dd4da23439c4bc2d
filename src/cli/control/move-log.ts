import { openExistingDatabase } from "../../../db/connect.ts";
import { DatabaseError } from "../../../db/types.ts";
import { moveLog } from "../../domain/logs/delivery/move-log.ts";
import { loadCommandConfig } from "./command-config.ts";

const REPORTED_EVERY_MS = 2000;

/**
 * Moves an existing log to its own database, also while gateways serve: they deliver what this leaves for it. Returns the exit code.
 * Throws DatabaseError.
 */
export async function moveLogRows(): Promise<number> {
  const { config } = await loadCommandConfig();
  if (config.logDatabaseUrl === null)
    throw new DatabaseError("set LOG_DATABASE_URL to the database that is to have the log");
  if (config.databaseUrl === null) {
    throw new DatabaseError(
      "the embedded database is open in one process at a time: set DATABASE_URL, or leave the log where it is",
    );
  }
  const database = await openExistingDatabase(config);
  const moved = { rollups: 0, sessions: 0, archives: 0, rows: 0 };
  const report = () =>
    process.stdout.write(`${moved.rollups} sums, ${moved.sessions} sessions and ${moved.rows} rows moved\n`);
  let reportedAt = performance.now();
  try {
    for await (const step of moveLog(database)) {
      moved[step.what] += step.moved;
      if (performance.now() - reportedAt < REPORTED_EVERY_MS) continue;
      reportedAt = performance.now();
      report();
    }
    report();
    const [left] = await database.sql<{ is: boolean }[]>`select exists (select from logs where type = 2) as is`;
    if (left?.is) process.stdout.write("Rows that an export has not had yet are left: run this again when it has.\n");
    return 0;
  } finally {
    await database.close();
  }
}
