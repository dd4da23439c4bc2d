import { sql } from "drizzle-orm";
import { CARRY_BUDGETS } from "../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../db/require-row.ts";
import type { Database } from "../../../db/types.ts";
import { UNLOGGED_MEMORY_S } from "../../billing/journal/apply/apply-orphan-batch.ts";

const ROWS_PER_STEP = 2000;
/** Calls that plans included stand on the statement of their month, which is issued a day after its end, or some days late. */
const INCLUDED_MEMORY_S = 45 * 86_400;

/** Forgets charges of calls that were not logged, once nothing can ask for them any more. `now`: epoch seconds. */
export async function forgetUnloggedCalls(database: Pick<Database, "db">, now: number): Promise<void> {
  while ((await forgetUnlogged(database, now)) === ROWS_PER_STEP);
}

/** One short step; resolves with how many were forgotten. `now`: epoch seconds. */
export async function forgetUnlogged({ db }: Pick<Database, "db">, now: number): Promise<number> {
  const removed = await db.execute<{ rows: number }>(sql`
    with gone as (
      delete from unlogged_calls where (request_id, created_at) in (
        select request_id, created_at from unlogged_calls
        where created_at < ${now - UNLOGGED_MEMORY_S} and (included is null or created_at < ${now - INCLUDED_MEMORY_S}) limit ${ROWS_PER_STEP})
      returning created_at, quota, budgets
    ),
    budget_rows as (
      select b.id, sum(g.quota)::bigint as quota from gone g cross join string_to_table(g.budgets, ',') as x(id)
        join budgets b on b.id = x.id::int and b.deleted_at is null and g.created_at >= b.period_start
      where g.budgets <> '' group by b.id
    ),
    ${CARRY_BUDGETS}
    select count(*)::int as rows from gone`);
  return requireRow(removed).rows;
}
