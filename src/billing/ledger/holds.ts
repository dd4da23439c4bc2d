import { requireRow } from "../../../db/require-row.ts";
import { storedHoldName } from "../../../db/schema/wallet/ledger.ts";
import type { Sql } from "../../../db/types.ts";
import { BALANCES, type Balance, type Subject } from "../subject.ts";
import type { Account } from "./balances/account.ts";

/** Balance set aside for one call; it ends once, by a charge or by a refund. */
export type Hold = {
  state: "held" | "settled" | "refunded";
  /** Quota units. */
  readonly amount: number;
  /**
   * Who pays: the user's balance, or what is left of a plan (a budget); the API key's own balance when it is limited; what is left
   * of hard budgets that the call counts in, the narrowest first.
   */
  readonly accounts: readonly [payer: Account, ...narrower: Account[]];
};

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

/** Which accounts a hold is on; `tokenId` null: no limited key pays along. */
type HoldSubjects = Readonly<{ userId: number; tokenId: number | null; budgetIds: readonly number[] }>;

/** It ends when it is settled, not when a process dies. */
const FOR_EVER = 9_999_999_999;

/**
 * Makes a hold of `processId` one that outlives it, under a name: what the process had set aside of these accounts is moved,
 * the rest is taken of what is free. Answers false, and changes nothing, where that is too little or the name is taken.
 */
export async function keepHold(
  sql: Sql,
  {
    processId,
    name,
    amount,
    userId,
    tokenId,
    budgetIds,
  }: HoldSubjects & Readonly<{ processId: string; name: string; amount: number }>,
): Promise<boolean> {
  const retained = storedHoldName(name);
  const accounts = (tokenId === null ? 1 : 2) + budgetIds.length;
  const row = requireRow(
    await sql<{ done: boolean }[]>`
    with locked_user as materialized (
      select id, quota - held as free from users where id = ${userId} for update
    ),
    locked_token as materialized (
      select id, remain_quota - held as free from tokens
      where id = ${tokenId}::integer and (select count(*) from locked_user) >= 0 for update
    ),
    locked_budgets as materialized (
      select id, remaining - held as free from budgets
      where id = any(${budgetIds as number[]}::integer[]) and (select count(*) from locked_token) >= 0
      order by id for update
    ),
    parts as materialized (
      select a.*, least(coalesce(h.amount, 0), ${amount}::bigint) as moved,
        ${amount}::bigint - least(coalesce(h.amount, 0), ${amount}::bigint) as fresh
      from (
        select 'user' as subject, * from locked_user
        union all select 'token', * from locked_token
        union all select 'budget', * from locked_budgets
      ) a
      left join holds h on h.process_id = ${processId} and h.subject = a.subject and h.subject_id = a.id
    ),
    ready as materialized (
      select 1 from parts having count(*) = ${accounts} and bool_and(free >= fresh)
        and not exists (select 1 from processes where id = ${retained})
    ),
    registered as (
      insert into processes (id, started_at, lease_until)
      select ${retained}, extract(epoch from now())::bigint, ${FOR_EVER} from ready
    ),
    taken_users as (
      update users u set held = u.held + p.fresh from parts p, ready where p.subject = 'user' and u.id = p.id
    ),
    taken_tokens as (
      update tokens t set held = t.held + p.fresh from parts p, ready where p.subject = 'token' and t.id = p.id
    ),
    taken_budgets as (
      update budgets b set held = b.held + p.fresh from parts p, ready where p.subject = 'budget' and b.id = p.id
    ),
    moved as (
      update holds h set amount = h.amount - p.moved from parts p, ready
      where h.process_id = ${processId} and h.subject = p.subject and h.subject_id = p.id and p.moved > 0
    ),
    held as (
      insert into holds (process_id, subject, subject_id, amount)
      select ${retained}, subject, id, ${amount}::bigint from parts, ready
    )
    select exists (select 1 from ready) as done`,
  );
  return row.done;
}
