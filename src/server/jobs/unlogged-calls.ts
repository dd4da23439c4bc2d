import type { Database } from "../../../db/types.ts";
import { UNLOGGED_MEMORY_S } from "../../billing/journal/apply/apply-orphan-batch.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { every } from "./every.ts";

type JobDeps = Readonly<{ database: Database; log: Logger }>;

const EVERY_MS = 10 * 60_000;
const ROWS_A_STEP = 2000;

/** Forgets charges of calls that were not logged, once nothing can ask for them any more. Returns what ends it. */
export const startUnloggedCallsJob = ({ database, log }: JobDeps): (() => void) =>
  every(
    EVERY_MS,
    async () => {
      while ((await forgetUnlogged(database, nowSeconds())) === ROWS_A_STEP);
    },
    (error) => log.warn({ error }, "charges of calls that were not logged could not be forgotten"),
  );

/** One short step; resolves with how many were forgotten. `now`: epoch seconds. */
export async function forgetUnlogged({ sql }: Pick<Database, "sql">, now: number): Promise<number> {
  const gone = await sql`
    delete from unlogged_calls where (request_id, created_at) in (
      select request_id, created_at from unlogged_calls where created_at < ${now - UNLOGGED_MEMORY_S} limit ${ROWS_A_STEP})
    returning 1`;
  return gone.length;
}
