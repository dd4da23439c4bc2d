import { type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "../types.ts";

const RECENT_S = 48 * 3600;

/** Rows `l` of the log that record gifts to the log's owner. Rows that came from another gateway have a request's id. */
export const GIFTS: SQL = sql`l.type = 4 and l.request_id is null
  and l.content in ('Quota for a new user', 'Quota for using an invitation', 'Quota to start with')`;

/** What administrators gave and took, by user, as far as `rows` (a table of log rows) record it: columns user_id and quota. */
export const changesIn = (rows: SQL): SQL => sql`
  select (l.other::jsonb->>'user_id')::int as user_id, sum((l.other::jsonb->>'quota_delta')::bigint)::bigint as quota
  from ${rows} l where l.type = 3 and l.request_id is null and l.other like '%"quota_delta"%' group by 1`;

/** The step of a WITH that keeps what budgets counted of rows about to go: `budget_rows` (id, quota), ends it. */
export const CARRY_BUDGETS: SQL = sql`
  budget_locks as materialized (select id from budgets where id in (select id from budget_rows) order by id for update),
  carried_budgets as (
    update budgets b set cleared = b.cleared + r.quota from budget_rows r join budget_locks k on k.id = r.id where b.id = r.id
  )`;

/**
 * Steps of a WITH that keep what the books need of log rows about to go: `rows` is their table, `now` epoch seconds. They
 * belong into the transaction in which the rows go.
 */
export const carryOff = (rows: SQL, now: number): SQL => sql`
  carried as (
    insert into carried_balances as b (user_id, quota)
    select u.id, sum(c.quota) from (
      select l.user_id, l.quota from ${rows} l where ${GIFTS}
      union all select * from (${changesIn(rows)}) changed
    ) c join users u on u.id = c.user_id group by u.id having sum(c.quota) <> 0 order by u.id
    on conflict (user_id) do update set quota = b.quota + excluded.quota
  ),
  forgotten as (delete from cleared_hours where hour < ${now - RECENT_S}::bigint - 3600),
  cleared as (
    insert into cleared_hours as h (hour, quota)
    select l.created_at - l.created_at % 3600, sum(l.quota) from ${rows} l
    where l.type = 2 and l.created_at >= ${now - RECENT_S}::bigint group by 1 having sum(l.quota) <> 0 order by 1
    on conflict (hour) do update set quota = h.quota + excluded.quota
  ),
  budget_rows as (
    select b.id, sum(l.quota)::bigint as quota from budgets b join ${rows} l on l.user_id = b.organization_id
      and l.created_at >= b.period_start and l.type = 2
    where b.deleted_at is null and case when l.other like '%"budgets":[%'
      then l.other::jsonb->'budgets' @> jsonb_build_array(jsonb_build_object('id', b.id)) end group by b.id
  ),
  ${CARRY_BUDGETS}`;

/** Adds quota units to what balances owe to no row of the log, several times the same user too. */
export async function carryBalances(
  tx: DbOrTx,
  owed: readonly Readonly<{ userId: number; quota: number }>[],
): Promise<void> {
  if (owed.length === 0) return;
  await tx.execute(sql`
    insert into carried_balances as b (user_id, quota)
    select o."userId", sum(o.quota) from json_to_recordset(${JSON.stringify(owed)}::text::json) as o("userId" int, quota bigint)
    group by 1 having sum(o.quota) <> 0 order by 1
    on conflict (user_id) do update set quota = b.quota + excluded.quota`);
}
