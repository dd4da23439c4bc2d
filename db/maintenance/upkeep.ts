import { requireRow } from "../require-row.ts";
import type { Sql } from "../types.ts";

/**
 * Returns what tidies up the embedded engine, which has no autovacuum and no checkpointer: one VACUUM and one checkpoint. Both
 * hold up other queries while they run, so run it often: each run is then short.
 */
export function createDatabaseTidier(sql: Sql): () => Promise<void> {
  const checkpoint = checkpointer(sql);
  return async () => {
    await vacuumWorst(sql);
    await checkpoint();
  };
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
