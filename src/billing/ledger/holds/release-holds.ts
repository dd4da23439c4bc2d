import type { Sql } from "../../../../db/types.ts";
import { BALANCES, type Balance, type Subject } from "../subject.ts";

type Surplus = Readonly<{ id: number; amount: number }>;

/** Gives back part of what this process holds of these accounts. Answers the balances of those that it held. */
export async function releaseHolds(
  sql: Sql,
  processId: string,
  subject: Subject,
  surplus: readonly Surplus[],
): Promise<Balance[]> {
  const { table, quota } = BALANCES[subject];
  const ids = surplus.map((part) => part.id);
  return sql<Balance[]>`
    with locked as materialized (
      select id from ${sql(table)} where id = any(${ids}::integer[]) order by id for update
    ),
    returned as materialized (
      select h.subject_id as id, h.amount, least(h.amount, a.amount) as part
      from unnest(${ids}::integer[], ${surplus.map((part) => part.amount)}::bigint[]) as a(id, amount)
      join locked using (id)
      join holds h on h.process_id = ${processId} and h.subject = ${subject} and h.subject_id = a.id
    ),
    emptied as (
      delete from holds h using returned r
      where h.process_id = ${processId} and h.subject = ${subject} and h.subject_id = r.id and r.part = r.amount
    ),
    lessened as (
      update holds h set amount = h.amount - r.part from returned r
      where h.process_id = ${processId} and h.subject = ${subject} and h.subject_id = r.id and r.part < r.amount
    )
    update ${sql(table)} t set held = greatest(0, t.held - r.part)
    from returned r where t.id = r.id
    returning t.id, t.${sql(quota)} as quota, t.held, r.amount - r.part as own`;
}
