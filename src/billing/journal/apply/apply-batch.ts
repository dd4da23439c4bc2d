import { LOGS_CLEARED_ROW } from "../../../../db/maintenance/partitions.ts";
import { LOG_ELSEWHERE_ROW } from "../../../../db/schema/logs/deliveries.ts";
import { UNLOGGED_SHIFT_S } from "../../../../db/schema/logs/logs.ts";
import type { Sql, Statements } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Subject } from "../../subject.ts";
import {
  drawnWindows,
  forAny,
  forNew,
  planDraws,
  planWindows,
  withBudgets,
  withIncluded,
  withLabels,
  withLogElsewhere,
  withOwnLog,
  withoutBudgets,
  withoutIncluded,
  withoutLabels,
  withoutPlans,
  withPlans,
} from "./batch-parts.ts";
import { addCosts, hasAnyCost, noCosts } from "./cost-parts.ts";
import { addCacheUse, addOwnKeys, hasCacheUse, hasOwnKey } from "./day-parts.ts";
import { batchText, FIELD, hasBudgets, hasLabels, RECORD, readRecord } from "./record-text.ts";

/** An account after a batch. Without the last three: nothing of it was new to the database, its row was not read. */
export type SettledAccount = Readonly<{
  subject: Subject;
  id: number;
  /** Sum of the batch's charges, before balances were looked at. */
  requested: number;
  quota: number | null;
  held: number | null;
  /** What the process still holds of it. */
  own: number | null;
}>;

/** What a batch has changed: accounts, and windows of subscriptions that its charges have opened (ids). */
type AppliedBatch = Readonly<{ accounts: readonly SettledAccount[]; openedWindows: readonly number[] }>;

type SettledRow = Omit<SettledAccount, "subject"> & Readonly<{ subject: Subject | "window" }>;

const isAccount = (row: SettledRow): row is SettledAccount => row.subject !== "window";

/**
 * Batches of all processes take turns, so that they can't deadlock over shared channel rows. Users, then
 * keys, are locked in the order of their ids, as the other statements of the ledger do.
 */
export const SETTLING = 7_302_001;

/**
 * Writes a batch of records (`recordText`s) as log rows and applies their sums to users, limited tokens, budgets, channels,
 * roll-ups and the holds of `processId`: one statement, each record exactly once by (request id, time). A balance stops
 * at zero: in the order of the batch, a record's `quota` is what could be taken, the rest is `uncovered`. Records that
 * are already in the log change nothing. A limited key with nothing left becomes exhausted. Records that are `unlogged` leave a note in its place, and roll-ups out of sight.
 *
 * `logElsewhere`: the log is in another database. Its rows are left for delivery there, and each record leaves a note here.
 *
 * `areNew`: nobody can have written any of them yet, so none is looked for, which takes a fifth of the time off. Should one
 * be there all the same, nothing of the batch is written: rejects with SQLSTATE 23505.
 */
export async function applyBatch(
  sql: Statements,
  processId: string,
  records: readonly string[],
  { areNew = false, logElsewhere = false }: Readonly<{ areNew?: boolean; logElsewhere?: boolean }> = {},
): Promise<AppliedBatch> {
  const { unlessLogged, unlessNoted, applied } = areNew ? forNew(sql) : forAny(sql);
  const withPayers = records.filter(hasBudgets).map(readRecord);
  const hasPlans = withPayers.some(({ plan }) => plan !== undefined);
  const plans = hasPlans ? withPlans(sql, areNew) : withoutPlans(sql);
  const hasIncluded = withPayers.some((record) => record.included !== undefined);
  const included = hasIncluded ? withIncluded(sql, areNew) : withoutIncluded(sql);
  const budgets = withPayers.length > 0 ? withBudgets(sql, processId, { hasPlans, hasIncluded }) : withoutBudgets(sql);
  const labels = records.some(hasLabels) ? withLabels(sql) : withoutLabels(sql);
  const costs = records.some(hasAnyCost)
    ? addCosts(sql, sql`select *, taken as charged from applied where not unlogged`)
    : noCosts(sql);
  const cached = records.some(hasCacheUse) ? addCacheUse(sql) : noCosts(sql);
  const ownKeyed = records.some(hasOwnKey) ? addOwnKeys(sql) : noCosts(sql);
  const log = logElsewhere ? withLogElsewhere(sql, labels) : withOwnLog(sql, labels, unlessLogged);
  const rows = await sql<SettledRow[]>`
    with turn as materialized (select pg_advisory_xact_lock(${SETTLING})),
    entries as materialized (
      select f[1] as request_id, f[2]::bigint as created_at, f[3]::integer as user_id, f[4] as username,
        f[5]::integer as token_id, f[6] as token_name, f[7]::boolean as token_limited, f[8] as model_name,
        f[9]::integer as channel_id, f[10] as "group", f[11]::boolean as is_stream, f[12]::boolean as failed,
        f[13]::integer as elapsed_ms, f[14]::integer as prompt_tokens, f[15]::integer as completion_tokens,
        f[16]::bigint as asked, f[17] as ip, f[18] as content, f[19] as other, ${log.flags} ${budgets.column} ${plans.column} ${included.column}
        place
      from turn, (
        select string_to_array(record, ${FIELD}) as f, place
        from string_to_table(${batchText(records)}, ${RECORD}) with ordinality as r(record, place)
        -- A subquery of its own: otherwise each field would split its record again.
        offset 0
      ) split
    ),
    asked_of as materialized (
      select user_id, coalesce(${plans.ownRequested}, 0)::bigint as asked from entries group by user_id
    ),
    payers as materialized (
      select id, quota, used_quota from users where id = any(array(select user_id from asked_of)) order by id for update
    ),
    ${planWindows(sql)},
    ${plans.planned}
    short as materialized (
      select e.place, greatest(0, least(e.asked, s.quota - coalesce(sum(e.asked) over (
        partition by e.user_id order by e.place rows between unbounded preceding and 1 preceding), 0)))::bigint as taken
      from ${plans.entries} e join (
        select a.user_id, coalesce(p.quota, 0) as quota from ${plans.requestedBy} a left join payers p on p.id = a.user_id
        where a.asked > coalesce(p.quota, 0)
      ) s using (user_id)
    ),
    charged as materialized (
      ${plans.charged}
    ),
    ${included.calls}
    ${planDraws(sql, areNew, plans, included)},
    keys as materialized (
      select id from tokens where id = any(array(select distinct token_id from charged where token_id > 0)) order by id for update
    ),
    written as (${log.written}),
    noted as (
      insert into unlogged_calls (request_id, created_at, user_id, token_id, token_name, model_name, channel_id, quota, uncovered, plan_draws${budgets.notedColumn}${included.notedColumn})
      select request_id, created_at, user_id, token_id, token_name, model_name, channel_id, taken, asked - taken, coalesce(d.draws, '')${budgets.notedValue}${included.notedValue}
      from charged c left join plan_draws d using (place) where unlogged ${unlessNoted}
      returning request_id, created_at
    ),
    applied as ${applied},
    ${log.delivered}
    ${costs}
    ${cached}
    ${ownKeyed}
    sums as materialized (
      select created_at - created_at % 3600 as hour, user_id, username, token_id, token_name, token_limited, channel_id,
        model_name, "group", unlogged, min(created_at) as first, max(created_at) as last, count(*) as calls,
        count(*) filter (where failed) as failed,
        count(*) filter (where not failed and asked + prompt_tokens + completion_tokens > 0) as requests,
        sum(taken)::bigint as taken, sum(asked)::bigint as asked, ${plans.sums} sum(prompt_tokens)::bigint as prompt_tokens,
        sum(completion_tokens)::bigint as completion_tokens, sum(elapsed_ms)::bigint as elapsed_ms
      from applied group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    ),
    user_sums as (
      select s.*, least(coalesce(h.amount, 0), s.asked) as spent, coalesce(h.amount, 0) as own
      from (
        select user_id, sum(taken)::bigint as taken, ${plans.userSums} sum(requests)::bigint as requests
        from sums group by user_id
      ) s left join holds h on h.process_id = ${processId} and h.subject = 'user' and h.subject_id = s.user_id
    ),
    paid_users as (
      update users u set quota = u.quota - ${plans.wallet}, used_quota = u.used_quota + s.taken,
        request_count = u.request_count + s.requests, held = greatest(0, u.held - s.spent)
      from user_sums s where u.id = s.user_id
      returning u.id, u.quota, u.held, s.own - s.spent as own
    ),
    token_sums as (
      select s.*, least(coalesce(h.amount, 0), s.asked) as spent, coalesce(h.amount, 0) as own
      from (
        select token_id, sum(taken)::bigint as taken, max(last) as used_at,
          coalesce(sum(taken) filter (where token_limited), 0)::bigint as limited,
          coalesce(sum(asked) filter (where token_limited), 0)::bigint as asked
        from sums where token_id > 0 group by token_id
      ) s left join holds h on h.process_id = ${processId} and h.subject = 'token' and h.subject_id = s.token_id
    ),
    paid_tokens as (
      update tokens t set remain_quota = greatest(0, t.remain_quota - s.limited), used_quota = t.used_quota + s.taken,
        accessed_time = greatest(t.accessed_time, s.used_at), held = greatest(0, t.held - s.spent),
        status = case when t.status = 1 and not t.unlimited_quota and s.limited > 0 and t.remain_quota <= s.limited
          then 4 else t.status end
      from token_sums s join keys k on k.id = s.token_id where t.id = s.token_id
      returning t.id, t.remain_quota as quota, t.held, s.own - s.spent as own
    ),
    ${budgets.paid}
    ${drawnWindows(sql, plans)},
    ${plans.counted}
    paid_channels as (
      update channels c set used_quota = c.used_quota + s.taken
      from (select channel_id, sum(taken)::bigint as taken from sums where channel_id > 0 group by channel_id) s
      where c.id = s.channel_id
    ),
    spent_holds as (
      update holds h set amount = h.amount - s.spent
      from (
        select 'user' as subject, user_id as id, spent from user_sums
        union all select 'token', token_id, spent from token_sums
        ${budgets.spent}
      ) s
      where h.process_id = ${processId} and h.subject = s.subject and h.subject_id = s.id and s.spent > 0
    ),
    rolled_up as (
      insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group",
        count, failed, quota, uncovered, prompt_tokens, completion_tokens, elapsed_ms)
      select hour, user_id, username, token_id, token_name, channel_id, model_name, "group", sum(calls), sum(failed),
        sum(taken), sum(asked - taken), sum(prompt_tokens), sum(completion_tokens), sum(elapsed_ms)
      from sums where not unlogged group by 1, 2, 3, 4, 5, 6, 7, 8
      union all
      select hour - hour % 86400 - ${UNLOGGED_SHIFT_S}::bigint, user_id, '', token_id, token_name, channel_id, model_name, '', sum(calls), sum(failed),
        sum(taken), sum(asked - taken), sum(prompt_tokens), sum(completion_tokens), 0
      from sums where unlogged group by 1, 2, 4, 5, 6, 7
      order by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group") do update set
        count = r.count + excluded.count, failed = r.failed + excluded.failed, quota = r.quota + excluded.quota,
        uncovered = r.uncovered + excluded.uncovered, prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = r.completion_tokens + excluded.completion_tokens,
        elapsed_ms = r.elapsed_ms + excluded.elapsed_ms
    ),
    late as (
      -- The statement may have waited for its turn with an old view of how far the totals go: only the new value counts.
      -- By a clock that was ahead they may go beyond the hours that are not over.
      update usage_fold set until = least(until, s.hour)
      from (select min(hour) as hour from sums where not unlogged) s
      where s.hour + 3600 <= extract(epoch from now()) or until > s.hour
    )
    select 'user' as subject, e.user_id as id, e.asked as requested, p.quota, p.held, p.own
    from asked_of e
    left join paid_users p on p.id = e.user_id
    union all
    select 'token', e.token_id, e.asked, p.quota, p.held, p.own
    from (select token_id, sum(asked)::bigint as asked from entries where token_limited group by token_id) e
    left join paid_tokens p on p.id = e.token_id
    union all
    select 'window', id, 0, null, null, null from drawn_windows where opens
    ${budgets.settled}`;
  return {
    accounts: rows.filter(isAccount),
    openedWindows: rows.flatMap(({ subject, id }) => (subject === "window" ? [id] : [])),
  };
}

/** So long the database remembers which calls were charged that are not in the log. */
export const UNLOGGED_MEMORY_S = 30 * 86_400;

/** Why a record is put aside that is older than what the database remembers. */
export const TOO_OLD =
  "the log was cleared since this call, so it is unknown whether it was charged already (charge it: sluice journal replay --force)";

/**
 * Charges records (texts) that another process left, whoever else may be charging them at the same time: each once, out of
 * what is still held under `processId`. Records that the database does not know, but may have forgotten because log rows of
 * their time were cleared, are not charged but returned; `force` charges them too.
 */
export function applyOrphanBatch(
  sql: Sql,
  processId: string,
  records: readonly string[],
  { force = false }: Readonly<{ force?: boolean }> = {},
): Promise<{ charged: number; tooOld: string[]; openedWindows: readonly number[] }> {
  return sql.begin(async (tx) => {
    // All batches take turns. A statement sees what was there when it began, so those below begin after the lock is ours.
    await tx`select pg_advisory_xact_lock(${SETTLING})`;
    const unwritten = await withoutWritten(tx, records);
    const { logElsewhere, ...memory } = await readMemory(tx);
    const isForgotten = (text: string) => {
      const { createdAt, unlogged } = readRecord(text);
      return !force && createdAt < (unlogged ? memory.unlogged : memory.logged);
    };
    const fresh = unwritten.filter((text) => !isForgotten(text));
    const openedWindows =
      fresh.length > 0 ? (await applyBatch(tx, processId, fresh, { logElsewhere })).openedWindows : [];
    return { charged: fresh.length, tooOld: unwritten.filter(isForgotten), openedWindows };
  });
}

/** Calls that began at this time (epoch seconds) or later are remembered, by whether they were logged; and where the log is. */
async function readMemory(tx: Statements): Promise<{ logged: number; unlogged: number; logElsewhere: boolean }> {
  const rows = await tx<{ key: string; value: string }[]>`
    select key, value from options where key in (${LOGS_CLEARED_ROW}, ${LOG_ELSEWHERE_ROW})`;
  const cleared = Number(rows.find(({ key }) => key === LOGS_CLEARED_ROW)?.value ?? 0);
  const logElsewhere = rows.some(({ key }) => key === LOG_ELSEWHERE_ROW);
  const unlogged = nowSeconds() - UNLOGGED_MEMORY_S;
  // Rows that were moved to a database of the log's own left notes, which are forgotten like all others.
  return { logged: logElsewhere ? Math.max(cleared, unlogged) : cleared, unlogged, logElsewhere };
}

/** Of these records (texts), those that were not charged yet: what a dead process could not write any more. */
export async function withoutWritten(sql: Statements, records: readonly string[]): Promise<string[]> {
  const keys = records.map(readRecord);
  const rows = await sql<{ place: number }[]>`
    select k.place::integer as place
    from unnest(${keys.map((key) => key.requestId)}::text[], ${keys.map((key) => key.createdAt)}::bigint[])
      with ordinality as k(request_id, created_at, place)
    where exists (select from logs l where l.request_id = k.request_id and l.created_at = k.created_at)
      or exists (select from unlogged_calls u where u.request_id = k.request_id and u.created_at = k.created_at)`;
  const written = new Set(rows.map((row) => row.place - 1));
  return records.filter((_, index) => !written.has(index));
}
