import type { Statements } from "../../../../db/types.ts";
import { STORED_HOLD_NAMES } from "../holds/hold-name.ts";

/** Which processes count as dead: these, or all except one and holds that outlive processes. */
export type Dead = Readonly<{ ids: readonly string[] } | { except: string }>;

/** Gives back all that dead processes held and forgets them; locks users before keys before budgets. Answers their ids. */
export async function releaseDeadProcesses(sql: Statements, dead: Dead): Promise<string[]> {
  const ids = "ids" in dead ? [...dead.ids] : [];
  const except = "ids" in dead ? null : dead.except;
  const rows = await sql<{ id: string }[]>`
    with dead as materialized (
      select id from processes
      where id = any(${ids}::text[])
        or (id <> ${except}::text and id not like ${STORED_HOLD_NAMES})
      for update skip locked
    ),
    freed as (
      delete from holds h using dead d where h.process_id = d.id returning h.subject, h.subject_id, h.amount
    ),
    sums as materialized (
      select subject, subject_id as id, sum(amount)::bigint as amount from freed group by subject, subject_id
    ),
    locked_users as materialized (
      select u.id from users u join sums s on s.subject = 'user' and s.id = u.id order by u.id for update of u
    ),
    freed_users as (
      update users u set held = greatest(0, u.held - s.amount)
      from sums s join locked_users using (id) where s.subject = 'user' and u.id = s.id
    ),
    locked_tokens as materialized (
      select t.id from tokens t join sums s on s.subject = 'token' and s.id = t.id
      where (select count(*) from locked_users) >= 0 order by t.id for update of t
    ),
    freed_tokens as (
      update tokens t set held = greatest(0, t.held - s.amount)
      from sums s join locked_tokens using (id) where s.subject = 'token' and t.id = s.id
    ),
    locked_budgets as materialized (
      select b.id from budgets b join sums s on s.subject = 'budget' and s.id = b.id
      where (select count(*) from locked_tokens) >= 0 order by b.id for update of b
    ),
    freed_budgets as (
      update budgets b set held = greatest(0, b.held - s.amount)
      from sums s join locked_budgets using (id) where s.subject = 'budget' and b.id = s.id
    ),
    forgotten as (delete from processes p using dead d where p.id = d.id)
    select id from dead`;
  return rows.map((row) => row.id);
}
