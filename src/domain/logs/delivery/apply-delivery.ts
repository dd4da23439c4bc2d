import { recordCleared } from "../../../../db/maintenance/partitions.ts";
import type { Statements } from "../../../../db/types.ts";
import { addCosts, COST_MEMBER, costOf, NO_COST, sumCosts } from "../../../billing/journal/apply/cost-parts.ts";

/** What waits in the main database for the log's own (`logDeliveries`). */
export type Delivery = Readonly<{ id: string; place: number; kind: string; rows: number; body: string }>;

/**
 * What a refund changes of a call in the log; times are epoch seconds. `refunded`: quota units that went back; the row and its roll-up
 * then say that it cost nothing.
 */
export type RefundedCall = Readonly<{ requestId: string; createdAt: number; refunded: number }>;

const ROW_COLUMNS = `created_at, type, user_id, username, token_id, token_name, model_name, channel_id, "group", is_stream, failed,
  use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, uncovered, ip, request_id, tags, end_user, content, other`;
const HOUR_COLUMNS = `hour, user_id, username, token_id, token_name, channel_id, model_name, "group"`;
const SUM_COLUMNS = "count, failed, quota, uncovered, prompt_tokens, completion_tokens, elapsed_ms";

/**
 * Writes deliveries of one kind to the log's own database, in their order; several at a time only where `isJoined` says so. To be
 * called once for each, in a transaction; rejects as the database does.
 */
export async function applyDeliveries(tx: Statements, kind: string, bodies: readonly string[]): Promise<void> {
  const [body = "", ...others] = bodies;
  if (others.length > 0 || kind === ROWS) return addRows(tx, bodies);
  const write = KINDS[kind];
  if (!write) throw new TypeError(`a delivery of an unknown kind: ${kind}`);
  await write(tx, body);
}

const ROWS = "rows";

/** Whether deliveries of a kind that follow one another are written together: a quiet site has one for each call. */
export const isJoined = (kind: string): boolean => kind === ROWS;

/** What a delivery may be besides rows. Those behind `refund` are made once, by `moveLog`. */
const KINDS: Readonly<Record<string, (tx: Statements, body: string) => Promise<unknown>>> = {
  refund: (tx, body) => applyRefund(tx, JSON.parse(body)),
  moved: (tx, body) => tx`
    insert into logs (id, ${tx.unsafe(ROW_COLUMNS)})
    select id, ${tx.unsafe(ROW_COLUMNS)} from json_populate_recordset(null::logs, ${body}::text::json)
    on conflict do nothing`,
  rollups: (tx, body) => tx`
    with sums as (select * from json_populate_recordset(null::usage_rollups, ${body}::text::json)),
    ${addSums(tx)}`,
  costs: (tx, body) => tx`
    with ${sumCosts(tx, tx`select * from json_populate_recordset(null::usage_costs, ${body}::text::json)`)}
    done as (select 1) select from done`,
  sessions: (tx, body) => tx`
    insert into agent_sessions as s select * from json_populate_recordset(null::agent_sessions, ${body}::text::json)
    on conflict (user_id, id) do update set
      started_at = least(s.started_at, excluded.started_at), ended_at = greatest(s.ended_at, excluded.ended_at),
      calls = s.calls + excluded.calls, failed = s.failed + excluded.failed, quota = s.quota + excluded.quota,
      prompt_tokens = s.prompt_tokens + excluded.prompt_tokens, cached_tokens = s.cached_tokens + excluded.cached_tokens,
      completion_tokens = s.completion_tokens + excluded.completion_tokens, elapsed_ms = s.elapsed_ms + excluded.elapsed_ms,
      tool_calls = s.tool_calls + excluded.tool_calls`,
  session_calls: (tx, body) => tx`
    insert into agent_session_calls select * from json_populate_recordset(null::agent_session_calls, ${body}::text::json)
    on conflict do nothing`,
  archives: (tx, body) => tx`
    insert into log_archives (place, name, state, month, rows, bytes, sha256, first_at, first_id, last_at, last_id, created_at)
    select place, name, state, month, rows, bytes, sha256, first_at, first_id, last_at, last_id, created_at
    from json_populate_recordset(null::log_archives, ${body}::text::json)`,
  cleared: (tx, body) => recordCleared(tx, Number(JSON.parse(body))),
};

/** New log rows, calls with their roll-ups. A call whose row is there changes nothing. */
async function addRows(tx: Statements, bodies: readonly string[]): Promise<void> {
  await tx`
    with added as (
      insert into logs (${tx.unsafe(ROW_COLUMNS)})
      select created_at, type, coalesce(user_id, 0), coalesce(username, ''), coalesce(token_id, 0), coalesce(token_name, ''),
        coalesce(model_name, ''), coalesce(channel_id, 0), coalesce("group", ''), coalesce(is_stream, false),
        coalesce(failed, false), coalesce(use_time, 0), coalesce(elapsed_ms, 0), coalesce(prompt_tokens, 0),
        coalesce(completion_tokens, 0), coalesce(quota, 0), coalesce(uncovered, 0), coalesce(ip, ''), request_id, tags, end_user,
        coalesce(content, ''), coalesce(other, '')
      from json_array_elements_text(${JSON.stringify(bodies)}::text::json) body, json_populate_recordset(null::logs, body::json)
      on conflict (request_id, created_at, user_id) do nothing returning *
    ),
    ${addCosts(tx, tx`select *, quota as charged from added where type = 2`)}
    sums as (
      select created_at - created_at % 3600 as hour, user_id, username, token_id, token_name, channel_id, model_name, "group",
        sum(1) as count, sum(failed::int) as failed, sum(quota) as quota, sum(uncovered) as uncovered,
        sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens, sum(elapsed_ms) as elapsed_ms
      from added where type = 2 group by 1, 2, 3, 4, 5, 6, 7, 8
    ),
    ${addSums(tx)}`;
}

/** The end of a statement that adds `sums` to the roll-ups. Totals of long ranges that have one of their hours are made again. */
const addSums = (tx: Statements) => tx`
    rolled_up as (
      insert into usage_rollups as r (${tx.unsafe(HOUR_COLUMNS)}, ${tx.unsafe(SUM_COLUMNS)})
      select ${tx.unsafe(HOUR_COLUMNS)}, ${tx.unsafe(SUM_COLUMNS)} from sums order by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (${tx.unsafe(HOUR_COLUMNS)}) do update set
        count = r.count + excluded.count, failed = r.failed + excluded.failed, quota = r.quota + excluded.quota,
        uncovered = r.uncovered + excluded.uncovered, prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = r.completion_tokens + excluded.completion_tokens, elapsed_ms = r.elapsed_ms + excluded.elapsed_ms
    )
    update usage_fold set until = least(until, s.hour) from (select min(hour) as hour from sums) s
    where s.hour + 3600 <= extract(epoch from now()) or until > s.hour`;

/** Says in the call's row what went back, and takes its charge off the roll-up. */
async function applyRefund(tx: Statements, { requestId, createdAt, refunded }: RefundedCall): Promise<void> {
  await tx`
    with call as (
      select * from logs where request_id = ${requestId} and created_at = ${createdAt} and type = 2 for update
    ),
    changed as (
      update logs l set quota = 0, uncovered = 0,
        other = regexp_replace(left(l.other, -1), ${COST_MEMBER}, ${NO_COST}) || case when l.other = '{}' then '' else ',' end || '"refunded":' || ${refunded}::bigint || '}'
      from call c where l.created_at = c.created_at and l.id = c.id and l.other like '{%}'
    ),
    costs as (
      update usage_costs k set quota = k.quota - c.quota, cost = k.cost - c.cost
      from (select *, ${costOf(tx)} as cost from call) c
      where c.cost is not null and k.hour = c.created_at - c.created_at % 3600 and k.channel_id = c.channel_id
        and k.model_name = c.model_name
    ),
    taken_off as (
      update usage_rollups r set quota = r.quota - c.quota, uncovered = r.uncovered - c.uncovered from call c
      where r.hour = c.created_at - c.created_at % 3600 and r.user_id = c.user_id and r.username = c.username
        and r.token_id = c.token_id and r.token_name = c.token_name and r.channel_id = c.channel_id
        and r.model_name = c.model_name and r."group" = c."group"
    )
    update usage_fold f set until = least(f.until, c.created_at - c.created_at % 3600) from call c where f.until > c.created_at`;
}
