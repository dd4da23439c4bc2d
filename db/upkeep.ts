import { ensurePartitions } from "./partitions.ts";
import type { Database } from "./types.ts";

const CHECKPOINT_MS = 60_000;
const VACUUM_MS = 120_000;
const PARTITIONS_MS = 6 * 3600_000;

/** Tables whose rows change; the embedded engine has nobody who would tidy up by itself. */
const CHURNED = ["users", "tokens", "holds", "usage_rollups", "channels", "sessions", "options", "logs_rest"] as const;

/**
 * Looks after the database while it is in use: partitions for the months to come; on the embedded engine also checkpoints
 * (without them its write-ahead log grows without bound) and VACUUM, one table at a time, since each holds everybody up.
 * Returns what ends it.
 */
export function startUpkeep(database: Database, onFailure: (error: unknown) => void): () => void {
  const every = (periodMs: number, work: () => Promise<unknown>) => {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      work()
        .catch(onFailure)
        .finally(() => {
          isRunning = false;
        });
    }, periodMs);
    timer.unref();
    return timer;
  };
  const timers = [every(PARTITIONS_MS, () => ensurePartitions(database))];
  if (database.kind === "embedded") {
    timers.push(every(CHECKPOINT_MS, checkpointer(database)), every(VACUUM_MS, vacuumer(database)));
  }
  return () => timers.forEach(clearInterval);
}

function checkpointer({ sql }: Database): () => Promise<void> {
  let written = "";
  return async () => {
    const [now] = await sql`select pg_current_wal_insert_lsn()::text as place`;
    if (now?.place === written) return;
    await sql.unsafe("checkpoint");
    const [after] = await sql`select pg_current_wal_insert_lsn()::text as place`;
    written = String(after?.place);
  };
}

function vacuumer({ sql }: Database): () => Promise<void> {
  let turn = 0;
  return async () => {
    const table = CHURNED[turn % CHURNED.length];
    turn += 1;
    await sql.unsafe(`vacuum (analyze) ${table}`);
  };
}
