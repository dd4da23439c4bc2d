import type { Sql } from "../../../../db/types.ts";
import { BALANCES, type Balance, type Subject } from "../subject.ts";

/** Of what is free, the part that a process takes at once when less would do. */
export const CHUNK_DIVISOR = 32;

/** What a process wants of one account; whole quota units. */
export type Ask = Readonly<{
  id: number;
  need: number;
  /** Where less than this is free, only `owed` is of use. */
  least: number;
  /** Part of `need` that is spent already: any part of it is of use. */
  owed: number;
  /** Where 1/32 of what is free is more than `need`, so much is set aside. */
  inChunks: boolean;
}>;

/**
 * Sets balance aside for this process, for many accounts in one statement, never more than is free. Answers each account's
 * balance afterwards; accounts that don't exist are missing. The process must be registered.
 */
export async function acquireHolds(
  sql: Sql,
  processId: string,
  subject: Subject,
  asks: readonly Ask[],
): Promise<Balance[]> {
  const { table, quota } = BALANCES[subject];
  const ids = asks.map((ask) => ask.id);
  return sql<Balance[]>`
    with asked as materialized (
      select * from unnest(
        ${ids}::integer[], ${asks.map((ask) => ask.need)}::bigint[], ${asks.map((ask) => ask.least)}::bigint[],
        ${asks.map((ask) => ask.owed)}::bigint[], ${asks.map((ask) => Number(ask.inChunks))}::integer[]
      ) as a(id, need, least, owed, in_chunks)
    ),
    locked as materialized (
      select id, ${sql(quota)} as quota, held from ${sql(table)} where id = any(${ids}::integer[]) order by id for update
    ),
    granted as materialized (
      select l.id, l.quota, l.held, case
        when a.need = 0 then 0
        when l.quota - l.held < a.least then least(a.owed, greatest(0, l.quota - l.held))
        else least(
          greatest(a.need, case when a.in_chunks = 1 then (l.quota - l.held) / ${CHUNK_DIVISOR}::bigint else 0 end),
          greatest(0, l.quota - l.held))
        end as amount
      from locked l join asked a using (id)
    ),
    taken as (
      update ${sql(table)} t set held = t.held + g.amount
      from granted g where t.id = g.id and g.amount > 0 and t.${sql(quota)} - t.held >= g.amount
      returning t.id, g.amount
    ),
    kept as (
      insert into holds (process_id, subject, subject_id, amount)
      select ${processId}, ${subject}, id, amount from taken order by id
      on conflict (process_id, subject, subject_id) do update set amount = holds.amount + excluded.amount
      returning subject_id, amount
    )
    select g.id, g.quota, g.held + coalesce(t.amount, 0) as held, coalesce(k.amount, h.amount, 0) as own
    from granted g
    left join taken t using (id)
    left join kept k on k.subject_id = g.id
    left join holds h on h.process_id = ${processId} and h.subject = ${subject} and h.subject_id = g.id`;
}
