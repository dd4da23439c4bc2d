import { requireRow } from "../../../../db/require-row.ts";
import type { Sql } from "../../../../db/types.ts";
import { storedHoldName } from "./hold-name.ts";

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
