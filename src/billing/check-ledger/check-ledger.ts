import { type SQL, sql } from "drizzle-orm";
import { changesIn, GIFTS } from "../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../db/require-row.ts";
import { DEADLINES_MS, withDeadline } from "../../../db/server/deadlines.ts";
import { logOf } from "../../../db/server/log-database.ts";
import type { Db } from "../../../db/types.ts";

/** What can be re-added: balances against all that was credited and charged, counters and totals against roll-ups, roll-ups against the log, and what is set aside or used up. */
export const BOOKS = [
  "balances",
  "users",
  "channels",
  "tokens",
  "hours",
  "days",
  "holds",
  "budgets",
  "spending",
  "codes",
  "dividends",
  "statements",
] as const;
export type Book = (typeof BOOKS)[number];

/** A stored sum and the same sum recalculated, in quota units (uses for codes). */
export type Discrepancy = Readonly<{ id: number; name: string; stored: number; added: number }>;

export type BookSlice = Readonly<{
  checked: number;
  /** What is off: it must be nothing. */
  wrong: Discrepancy[];
  /** Where the next slice begins; null: that was all. */
  next: number | null;
}>;

type Row = { id: number | string; name: string; stored: number | string; added: number | string };

const SLICE = 500;
const HOUR_S = 3600;
const HOURS_CHECKED = 24;
const DAY_S = 24 * HOUR_S;
const DAYS_CHECKED = 31;

/** Checks one slice of a book, ids above `after`. `nowSeconds`: epoch seconds. Each slice is one short statement. */
export async function checkBooks(db: Db, book: Book, after: number, nowSeconds: number): Promise<BookSlice> {
  const isOfLog = book === "hours" || book === "days";
  const readSlice = () => (isOfLog ? logOf(db) : db).execute<Row>(statementOf(book, after, nowSeconds));
  const rows: Row[] = [...(await withDeadline(DEADLINES_MS.long, readSlice))];
  const read = rows.map(({ id, name, stored, added }) => ({
    id: Number(id),
    name,
    stored: Number(stored),
    added: Number(added),
  }));
  const isLast = rows.length < SLICE;
  return {
    checked: read.length,
    wrong: read.filter(({ stored, added }) => stored !== added),
    next: isLast ? null : (read.at(-1)?.id ?? null),
  };
}

/** What calls cost beyond the balances they were charged to, all of time, in quota units. */
export async function readUncovered(db: Db): Promise<number> {
  const readSum = () =>
    db.execute<{ total: string }>(
      sql`select coalesce(sum(uncovered), 0)::text as total from usage_rollups where uncovered > 0`,
    );
  return Number(requireRow(await withDeadline(DEADLINES_MS.long, readSum)).total);
}

function statementOf(book: Book, after: number, nowSeconds: number): SQL {
  switch (book) {
    case "balances":
      return balances(after);
    case "users":
      return sql`select u.id, u.username as name, u.used_quota as stored,
          (select coalesce(sum(r.quota), 0) from usage_rollups r where r.user_id = u.id) as added
        from users u where u.id > ${after} order by u.id limit ${SLICE}`;
    case "channels":
      return sql`select c.id, c.name, c.used_quota as stored,
          (select coalesce(sum(r.quota), 0) from usage_rollups r where r.channel_id = c.id) as added
        from channels c where c.id > ${after} order by c.id limit ${SLICE}`;
    case "tokens":
      return sql`select t.id, t.name, t.used_quota as stored,
          (select coalesce(sum(r.quota), 0) from usage_rollups r where r.user_id = t.user_id and r.token_id = t.id) as added
        from tokens t where t.id > ${after} order by t.id limit ${SLICE}`;
    case "hours": {
      const last = nowSeconds - (nowSeconds % HOUR_S);
      const first = Math.max(after + 1, last - HOURS_CHECKED * HOUR_S);
      return sql`select h.hour as id, to_char(to_timestamp(h.hour) at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"') as name,
          (select coalesce(sum(r.quota), 0) from usage_rollups r where r.hour = h.hour) as stored,
          (select coalesce(sum(l.quota), 0) from logs l
            where l.type = 2 and l.created_at >= h.hour and l.created_at < h.hour + ${HOUR_S})
            + coalesce((select d.quota from cleared_hours d where d.hour = h.hour), 0) as added
        from generate_series(${first}::bigint, ${last}::bigint, ${HOUR_S}::bigint) as h(hour) order by h.hour limit ${SLICE}`;
    }
    case "days":
      return days(after);
    case "holds":
      return sql`select u.id, u.username as name, u.held as stored,
          (select coalesce(sum(h.amount), 0) from holds h where h.subject = 'user' and h.subject_id = u.id) as added
        from users u where u.id > ${after} order by u.id limit ${SLICE}`;
    case "budgets":
      return sql`select b.id, concat_ws(' ', u.username, b.scope, b.period) as name, b.remaining + b.held as stored,
          coalesce((select case b.scope when 'plan' then s.remaining when 'calls' then s.calls_left end
              from subscriptions s where s.id = b.scope_id and b.scope in ('plan', 'calls') and b.deleted_at is null),
            greatest(0, b.limit_units - b.spent))
            + (select coalesce(sum(h.amount), 0) from holds h where h.subject = 'budget' and h.subject_id = b.id) as added
        from budgets b join users u on u.id = b.organization_id where b.id > ${after} order by b.id limit ${SLICE}`;
    case "spending":
      return spending(after);
    case "codes":
      return sql`select c.id, c.name,
          case when c.is_gift then c.used_count when c.status = 3 then 1 else 0 end as stored,
          (select count(*) from redemption_uses s where s.code_id = c.id) + c.carried_uses as added
        from redemption_codes c where c.id > ${after} order by c.id limit ${SLICE}`;
    case "dividends":
      return sql`select a.user_id as id, u.username as name, a.earned as stored,
          (select coalesce(sum(r.quota), 0) from rebates r where r.user_id = a.user_id and r.kind = 'dividend') as added
        from agents a join users u on u.id = a.user_id where a.user_id > ${after} order by a.user_id limit ${SLICE}`;
    case "statements":
      return statements(after);
  }
}

/** What budgets counted in their running periods against the charges that name them, logged or not. */
const spending = (after: number): SQL => sql`
  with slice as (
    select b.*, u.username from budgets b join users u on u.id = b.organization_id
    where b.id > ${after} and b.deleted_at is null and b.scope not in ('plan', 'calls') order by b.id limit ${SLICE}
  ),
  organizations as (select organization_id as id, min(period_start) as since from slice group by 1),
  charges as (
    select (x->>'id')::int as budget_id, l.created_at, l.quota from organizations o
      join logs l on l.user_id = o.id and l.created_at >= o.since and l.type = 2 and l.other like '%"budgets":[%'
      cross join jsonb_array_elements(l.other::jsonb->'budgets') as x
    union all
    select x.id::int, c.created_at, c.quota from organizations o
      join unlogged_calls c on c.user_id = o.id and c.created_at >= o.since and c.budgets <> ''
      cross join string_to_table(c.budgets, ',') as x(id)
  )
  select s.id, concat_ws(' ', s.username, s.scope, s.period) as name, s.spent + s.spent_ahead as stored,
    s.cleared + (select coalesce(sum(c.quota), 0) from charges c where c.budget_id = s.id and c.created_at >= s.period_start) as added
  from slice s order by s.id`;

/** The totals of each of the newest days that are in them, one row for each kind of total. */
const days = (after: number): SQL => sql`
  select d.day + k.place as id, to_char(to_timestamp(d.day) at time zone 'utc', 'YYYY-MM-DD "UTC"') || ': ' || k.dimension as name,
    case when k.of_days
      then (select coalesce(sum(u.quota), 0) from usage_days u where u.day = d.day and u.dimension = k.dimension)
      else (select coalesce(sum(t.quota), 0) from usage_totals t
        where t.dimension = k.dimension and t.start >= d.day and t.start < d.day + ${DAY_S}) end as stored,
    d.added
  from (
    select day, (select coalesce(sum(r.quota), 0) from usage_rollups r where r.hour >= day and r.hour < day + ${DAY_S}) as added
    from usage_fold f, generate_series(greatest(0, f.days_until - ${DAYS_CHECKED * DAY_S}), f.days_until - ${DAY_S}, ${DAY_S}) day
  ) d, (values (0, 'user', true), (1, 'channel', true), (2, 'token', true), (3, 'all', false), (4, 'model', false),
    (5, 'group', false), (6, 'all_day', false), (7, 'model_day', false), (8, 'group_day', false)) k(place, dimension, of_days)
  where d.day + k.place > ${after} order by 1 limit ${SLICE}`;

/** What each document closes with against the document before, corrections since, and what it lists itself. */
const statements = (after: number): SQL => sql`
  select d.id, d.number as name, d.closing as stored,
    case when d.kind = 'credit_note' then 0 when d.kind = 'correction' then -d.charged else coalesce(
      (select p.closing + (select coalesce(sum(c.closing), 0) from statements c
          where c.user_id = d.user_id and c.kind = 'correction' and c.id > p.id and c.id < d.id)
        from statements p where p.user_id = d.user_id and p.kind = 'statement' and p.id < d.id
        order by p.id desc limit 1), d.opening)
      + (select sum(v::bigint) from jsonb_each_text(d.content->'credits') as e(k, v))
      - (select coalesce(sum((m->>'quota')::bigint), 0) from jsonb_array_elements(d.content->'models') m) end as added
  from statements d where d.id > ${after} order by d.id limit ${SLICE}`;

/**
 * Left, also of plans for some models, and used against everything that was ever credited: top-ups, codes, cashback, check-ins, rewards and earnings that
 * were transferred, and, by the log, gifts and what administrators changed. What cleared rows of the log recorded, and what
 * imported users brought along, was carried over. Refunds take from what was used.
 */
const balances = (after: number): SQL => sql`
  with slice as (select * from users u where u.id > ${after} order by u.id limit ${SLICE}),
  changed as (${changesIn(sql`logs`)})
  select s.id, s.username as name, s.quota + s.used_quota
    + (select coalesce(sum(p.remaining), 0) from subscriptions p where p.user_id = s.id and p.own_quota) as stored,
    s.aff_history_quota - s.aff_quota
    + (select coalesce(sum(o.quota), 0) from top_up_orders o where o.user_id = s.id and o.status = 'success')
    + (select coalesce(sum(c.quota), 0) from redemption_uses c where c.user_id = s.id)
    + (select coalesce(sum(r.quota), 0) from rebates r where r.user_id = s.id and r.kind = 'cashback')
    + (select coalesce(sum(d.quota), 0) from check_ins d where d.user_id = s.id)
    + (select coalesce(sum(a.earned - a.balance), 0) from agents a where a.user_id = s.id)
    - (select coalesce(sum(w.quota), 0) from withdrawals w where w.user_id = s.id and w.status <> 'rejected')
    + (select coalesce(sum(l.quota), 0) from logs l where l.user_id = s.id and ${GIFTS})
    + coalesce((select c.quota from changed c where c.user_id = s.id), 0)
    + coalesce((select b.quota from carried_balances b where b.user_id = s.id), 0) as added
  from slice s order by s.id`;
