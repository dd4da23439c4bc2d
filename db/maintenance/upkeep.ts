import { requireRow } from "../require-row.ts";
import type { Database, Sql } from "../types.ts";
import { ensurePartitions } from "./partitions.ts";

const TIDY_MS = 60_000;
const PARTITIONS_MS = 6 * 3600_000;

/**
 * Looks after the database while it is in use: partitions for the months to come; on the embedded engine, which has nobody
 * who would tidy up by itself, also checkpoints and VACUUM. Both hold everybody up while they run, so it is done little
 * and often. Failures are told and tried again. Returns what ends it.
 */
export function startUpkeep(database: Database, onFailure: (error: unknown) => void): () => void {
  const ends = [every(PARTITIONS_MS, () => ensurePartitions(database), onFailure)];
  if (database.kind === "embedded") {
    const checkpoint = checkpointer(database.sql);
    const tidy = async () => {
      await vacuumWorst(database.sql);
      await checkpoint();
    };
    ends.push(every(TIDY_MS, tidy, onFailure));
  }
  return () => {
    for (const end of ends) end();
  };
}

function every(periodMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): () => void {
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
  return () => clearInterval(timer);
}

/** Returns what writes a checkpoint if anything was written since the last: else the write-ahead log grows for ever. */
export function checkpointer(sql: Sql): () => Promise<boolean> {
  const position = async () =>
    requireRow(await sql<{ place: string }[]>`select pg_current_wal_insert_lsn()::text as place`).place;
  let written = "";
  return async () => {
    if ((await position()) === written) return false;
    await sql.unsafe("checkpoint");
    written = await position();
    return true;
  };
}

/**
 * Clears away the dead rows of the table that needs it most and refreshes what the planner knows of it, if any does: after
 * changes to a tenth of its rows, or once many were added. Returns its name.
 */
export async function vacuumWorst(sql: Sql): Promise<string | null> {
  const [worst] = await sql<{ name: string; need: string }[]>`
    select relid::regclass::text as name, greatest(
        n_dead_tup / (200 + 0.1 * n_live_tup),
        n_mod_since_analyze / (500 + 0.1 * n_live_tup),
        n_ins_since_vacuum / (10000 + 0.2 * n_live_tup)) as need
    from pg_stat_user_tables where schemaname = 'public' order by need desc limit 1`;
  if (!worst || Number(worst.need) < 1) return null;
  await sql.unsafe(`vacuum (analyze) ${worst.name}`);
  return worst.name;
}
