import type { Sql } from "../../../../db/types.ts";
import { BALANCES, type Balance, type Subject } from "../subject.ts";

/** The balances of these accounts and what this process holds of them; accounts that don't exist are missing. */
export async function readBalances(
  sql: Sql,
  processId: string,
  subject: Subject,
  ids: readonly number[],
): Promise<Balance[]> {
  const { table, quota } = BALANCES[subject];
  return sql<Balance[]>`
    select t.id, t.${sql(quota)} as quota, t.held, coalesce(h.amount, 0) as own
    from ${sql(table)} t
    left join holds h on h.process_id = ${processId} and h.subject = ${subject} and h.subject_id = t.id
    where t.id = any(${ids as number[]}::integer[])`;
}
