import { type SQL, sql } from "drizzle-orm";
import { GIFTS } from "../../../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../../../db/require-row.ts";
import { ownLogOf } from "../../../../../db/server/log-database.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import { LOG_TYPE } from "../../../logs/write-log.ts";
import { FOREVER, hourOf, MOVED, type Range, rolledUpDuring } from "./read-movements.ts";

/** Charges as one line a day, or each call with those of the day that the log does not have as one more line. */
export const CHARGES_BY = ["day", "call"] as const;
export type ChargesBy = (typeof CHARGES_BY)[number];

/** What changed a balance: `at` epoch seconds, `quota` units, negative when taken. `ref` tells rows of one kind and second apart. */
export type MovementRow = Readonly<{ at: number; kind: string; ref: string; quota: number; detail: string }>;

const DAY_S = 86_400;

/**
 * Up to `limit` movements of `userId` within the range, oldest first; `after`: only those behind this one. A day's charges stand
 * at its last second, or at the range's where it ends earlier.
 */
export async function readMovementRows(
  db: DbOrTx,
  userId: number,
  range: Range,
  by: ChargesBy,
  limit: number,
  after?: MovementRow,
): Promise<MovementRow[]> {
  const ownLog = by === "call" ? ownLogOf(db) : null;
  if (ownLog) return readWithOwnLog(db, ownLog, { userId, range, limit, ...(after && { after }) });
  return readPage(db, sql`${eventsOf(userId, range)} union all ${chargesOf(userId, range, by)}`, limit, after);
}

async function readPage(db: DbOrTx, movements: SQL, limit: number, after?: MovementRow): Promise<MovementRow[]> {
  const behind = after
    ? sql`where (at, kind collate "C", ref collate "C") > (${after.at}::bigint, ${after.kind}, ${after.ref})`
    : sql``;
  const rows = await db.execute<Record<keyof MovementRow, string>>(sql`
    select at::text as at, kind, ref, quota::text as quota, detail
    from (${movements}) m ${behind}
    order by m.at, m.kind collate "C", m.ref collate "C" limit ${limit}`);
  return [...rows].map(({ at, kind, ref, quota, detail }) => ({
    ...{ at: Number(at), kind, ref, detail },
    quota: Number(quota),
  }));
}

/** The same where calls have rows in another database: its page and that of all others, in one order. */
async function readWithOwnLog(
  db: DbOrTx,
  ownLog: Db,
  question: Readonly<{ userId: number; range: Range; limit: number; after?: MovementRow }>,
): Promise<MovementRow[]> {
  const { userId, range, limit, after } = question;
  const calls = callsOf(userId, range);
  const days = await ownLog.execute<{ json: string }>(sql`
    select coalesce(json_agg(d), '[]')::text as json
    from (select ${endOfDay(sql`l.created_at`, range)} as at, sum(l.quota) as quota from (${calls}) l group by 1) d`);
  const logged = sql`select * from json_to_recordset(${requireRow(days).json}::text::json) as d(at bigint, quota bigint)`;
  const others = sql`${eventsOf(userId, range)} union all ${unloggedOf(userId, range, logged)}`;
  const pages = [await readPage(db, others, limit, after), await readPage(ownLog, eachOf(calls), limit, after)];
  return pages.flat().sort(inOrder).slice(0, limit);
}

const inOrder = (one: MovementRow, other: MovementRow): number =>
  one.at - other.at || compare(one.kind, other.kind) || compare(one.ref, other.ref);
const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** The time of the first movement of `userId` in epoch seconds; null: there is none. */
export async function firstMovementAt(db: DbOrTx, userId: number): Promise<number | null> {
  const forever = { from: 0, until: FOREVER };
  const rows = await db.execute<{ first: string | null }>(sql`
    select least((select min(m.at) from (${eventsOf(userId, forever)}) m),
      (select min(${hourOf(sql`r.hour`)}) from usage_rollups r where r.user_id = ${userId} and r.quota <> 0))::text as first`);
  const first = rows[0]?.first ?? null;
  return first === null ? null : Number(first);
}

/** All that is no charge. */
function eventsOf(userId: number, { from, until }: Range): SQL {
  const during = (column: SQL) => sql`${column} >= ${from} and ${column} < ${until}`;
  return sql`
    select o.completed_time as at, 'top_up'::text as kind, o.trade_no as ref, o.quota::bigint as quota, o.method as detail
      from top_up_orders o where o.user_id = ${userId} and o.status = 'success' and ${during(sql`o.completed_time`)}
    union all
    select u.used_time, 'code', u.id::text, u.quota, c.name
      from redemption_uses u join redemption_codes c on c.id = u.code_id
      where u.user_id = ${userId} and u.quota <> 0 and ${during(sql`u.used_time`)}
    union all
    select r.created_time, 'cashback', r.id::text, r.quota, ''
      from rebates r where r.user_id = ${userId} and r.kind = 'cashback' and ${during(sql`r.created_time`)}
    union all
    select d.created_time, 'check_in', d.day::text, d.quota, ''
      from check_ins d where d.user_id = ${userId} and ${during(sql`d.created_time`)}
    union all
    select l.created_at, case when ${MOVED} then 'earnings' else 'gift' end, l.id::text, l.quota, l.content
      from logs l where l.user_id = ${userId} and ${during(sql`l.created_at`)} and ((${GIFTS}) or (${MOVED}))
    union all
    select l.created_at,
      case when l.other::jsonb->>'target' = 'subscription' then 'plan' when l.other::jsonb->>'target' = 'organization' then 'transfer'
        when l.other::jsonb->>'target' = 'order' or l.other::jsonb ? 'trade_no' then 'refund' else 'adjustment' end,
      l.id::text, (l.other::jsonb->>'quota_delta')::bigint, l.content
      from (select * from logs x where x.type = ${LOG_TYPE.management} and ${during(sql`x.created_at`)}
        and x.request_id is null and x.other like '%"quota_delta"%') l
      where (l.other::jsonb->>'user_id')::int = ${userId} and (l.other::jsonb->>'quota_delta')::bigint <> 0`;
}

/** The last second of a day, or of the range where that ends earlier. */
const endOfDay = (column: SQL, { until }: Range): SQL =>
  sql`least(${column} - ${column} % ${DAY_S} + ${DAY_S - 1}, ${until - 1}::bigint)`;

const daysOf = (userId: number, range: Range): SQL => sql`
  select ${endOfDay(hourOf(sql`r.hour`), range)} as at, sum(r.quota) as quota, sum(r.count) as calls from usage_rollups r
  where r.user_id = ${userId} and ${rolledUpDuring(sql`r.hour`, range)} group by 1`;

const callsOf = (userId: number, { from, until }: Range): SQL => sql`
  select * from logs l where l.user_id = ${userId} and l.type = ${LOG_TYPE.consumption} and l.quota <> 0
    and l.created_at >= ${from} and l.created_at < ${until}`;

const eachOf = (calls: SQL): SQL => sql`
  select l.created_at as at, 'call' as kind, coalesce(l.request_id, l.id::text) as ref, -l.quota as quota, l.model_name as detail
  from (${calls}) l`;

/** What days charged beyond the calls that have rows: `logged` (at, quota). */
const unloggedOf = (userId: number, range: Range, logged: SQL): SQL => sql`
  select d.at, 'charges', '', (coalesce(c.quota, 0) - d.quota)::bigint, 'calls that the log does not have'
  from (${daysOf(userId, range)}) d left join (${logged}) c on c.at = d.at
  where d.quota <> coalesce(c.quota, 0)`;

function chargesOf(userId: number, range: Range, by: ChargesBy): SQL {
  if (by === "day") {
    return sql`
      select d.at, 'charges', '', -d.quota::bigint, d.calls || ' calls' from (${daysOf(userId, range)}) d where d.quota <> 0`;
  }
  const calls = callsOf(userId, range);
  const logged = sql`select ${endOfDay(sql`l.created_at`, range)} as at, sum(l.quota) as quota from (${calls}) l group by 1`;
  return sql`${eachOf(calls)} union all ${unloggedOf(userId, range, logged)}`;
}
