import type { Database } from "../../../db/types.ts";
import { UNLOGGED_MEMORY_S } from "../../billing/journal/apply/apply-orphan-batch.ts";

const ROWS_PER_STEP = 2000;

/** Forgets charges of calls that were not logged, once nothing can ask for them any more. `now`: epoch seconds. */
export async function forgetUnloggedCalls(database: Pick<Database, "sql">, now: number): Promise<void> {
  while ((await forgetUnlogged(database, now)) === ROWS_PER_STEP);
}

/** One short step; resolves with how many were forgotten. `now`: epoch seconds. */
export async function forgetUnlogged({ sql }: Pick<Database, "sql">, now: number): Promise<number> {
  const removed = await sql`
    delete from unlogged_calls where (request_id, created_at) in (
      select request_id, created_at from unlogged_calls where created_at < ${now - UNLOGGED_MEMORY_S} limit ${ROWS_PER_STEP})
    returning 1`;
  return removed.length;
}
