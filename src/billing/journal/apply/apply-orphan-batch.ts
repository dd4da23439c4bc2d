import { LOGS_CLEARED_ROW } from "../../../../db/maintenance/partitions.ts";
import type { Sql, Statements } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { applyBatch, SETTLING } from "./apply-batch.ts";
import { readRecord } from "./record-text.ts";

/** So long the database remembers which calls were charged that are not in the log. */
export const UNLOGGED_MEMORY_S = 30 * 86_400;

/** Why a record is put aside that is older than what the database remembers. */
export const TOO_OLD =
  "the log was cleared since this call, so it is unknown whether it was charged already (charge it: sluice journal replay --force)";

/**
 * Charges records (texts) that another process left, whoever else may be charging them at the same time: each once, out of
 * what is still held under `processId`. Records that the database does not know, but may have forgotten because log rows of
 * their time were cleared, are not charged but returned; `force` charges them too.
 */
export function applyOrphanBatch(
  sql: Sql,
  processId: string,
  records: readonly string[],
  { force = false }: Readonly<{ force?: boolean }> = {},
): Promise<{ charged: number; tooOld: string[]; openedWindows: readonly number[] }> {
  return sql.begin(async (tx) => {
    // All batches take turns. A statement sees what was there when it began, so those below begin after the lock is ours.
    await tx`select pg_advisory_xact_lock(${SETTLING})`;
    const unwritten = await withoutWritten(tx, records);
    const memory = force ? null : await readMemory(tx);
    const isForgotten = (text: string) => {
      if (memory === null) return false;
      const { createdAt, unlogged } = readRecord(text);
      return createdAt < (unlogged ? memory.unlogged : memory.logged);
    };
    const fresh = unwritten.filter((text) => !isForgotten(text));
    const openedWindows = fresh.length > 0 ? (await applyBatch(tx, processId, fresh)).openedWindows : [];
    return { charged: fresh.length, tooOld: unwritten.filter(isForgotten), openedWindows };
  });
}

/** Calls that began at this time (epoch seconds) or later are remembered, by whether they were logged. */
async function readMemory(tx: Statements): Promise<{ logged: number; unlogged: number }> {
  const [row] = await tx<{ value: string }[]>`select value from options where key = ${LOGS_CLEARED_ROW}`;
  return { logged: Number(row?.value ?? 0), unlogged: nowSeconds() - UNLOGGED_MEMORY_S };
}

/** Of these records (texts), those that were not charged yet: what a dead process could not write any more. */
export async function withoutWritten(sql: Statements, records: readonly string[]): Promise<string[]> {
  const keys = records.map(readRecord);
  const rows = await sql<{ place: number }[]>`
    select k.place::integer as place
    from unnest(${keys.map((key) => key.requestId)}::text[], ${keys.map((key) => key.createdAt)}::bigint[])
      with ordinality as k(request_id, created_at, place)
    where exists (select from logs l where l.request_id = k.request_id and l.created_at = k.created_at)
      or exists (select from unlogged_calls u where u.request_id = k.request_id and u.created_at = k.created_at)`;
  const written = new Set(rows.map((row) => row.place - 1));
  return records.filter((_, index) => !written.has(index));
}
