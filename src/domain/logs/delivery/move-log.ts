import { LOGS_CLEARED_ROW } from "../../../../db/maintenance/partitions.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { LOG_ELSEWHERE_ROW } from "../../../../db/schema/logs/deliveries.ts";
import { UNLOGGED_SHIFT_S } from "../../../../db/schema/logs/logs.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import { type Database, DatabaseError, type Statements } from "../../../../db/types.ts";
import { SETTLING } from "../../../billing/journal/apply/apply-batch.ts";
import { nowSeconds } from "../../../lib/clock.ts";

const ROWS_A_STEP = 2000;
/** Calls that began earlier are asked for by nobody: neither by a journal nor by the refund of a task or a statement. */
const MEMORY_S = 45 * 86_400;
/** So much may wait before more is moved. */
const MOST_WAITING_ROWS = 50_000;
const WAIT_MS = 200;

/** What a step of moving the log has left for delivery. */
export type MovedStep = Readonly<{ what: "rollups" | "sessions" | "rows" | "archives"; moved: number }>;

/**
 * Leaves all that the main database has of the log for delivery to the log's own, in short steps while both are used: roll-ups,
 * sessions, archives, then rows of calls, the newest first. Each step is one transaction: what leaves the log of the main database
 * is in the delivery, and roll-ups become those of days, which statements and books read. Rows that an export has not
 * had stay until it has. Whoever stops, or was killed, begins again with what is left. Events stay, as books need them.
 */
export async function* moveLog({ sql }: Pick<Database, "sql">): AsyncGenerator<MovedStep, void> {
  const [elsewhere] = await sql`select from options where key = ${LOG_ELSEWHERE_ROW}`;
  if (!elsewhere) throw new DatabaseError("start the gateway with LOG_DATABASE_URL first");
  await moveOnce(sql);
  for (const { what, take } of STEPS) {
    for (;;) {
      const moved = await inTurn(sql, take);
      if (moved === 0) break;
      yield { what, moved };
      await untilDelivered(sql);
    }
  }
}

/** In turn with charges and refunds, which change the same rows. */
const inTurn = (sql: Database["sql"], take: (tx: Statements) => Promise<{ moved: number }[]>): Promise<number> =>
  withDeadline(DEADLINES_MS.long, () =>
    sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${SETTLING})`;
      return Number((await take(tx))[0]?.moved ?? 0);
    }),
  );

async function untilDelivered(sql: Statements): Promise<void> {
  for (;;) {
    const waiting = requireRow(
      await sql<{ rows: number }[]>`select coalesce(sum(rows), 0)::bigint as rows from log_deliveries`,
    );
    if (Number(waiting.rows) < MOST_WAITING_ROWS) return;
    await Bun.sleep(WAIT_MS);
  }
}

/** The end of a statement: leaves the rows of `gone` for delivery; answers how many there were. */
const leave = (tx: Statements, kind: string) => tx`
    left_over as (
      insert into log_deliveries (kind, rows, body, created_at)
      select ${kind}, sum(1), json_agg(row_to_json(g))::text, ${nowSeconds()} from gone g having sum(1) > 0
    )
    select coalesce(sum(1), 0)::int as moved from gone`;

const STEPS: readonly Readonly<{
  what: MovedStep["what"];
  take(tx: Statements): Promise<{ moved: number }[]>;
}>[] = [
  {
    what: "rollups",
    take: (tx) => tx<{ moved: number }[]>`
      with gone as (
        delete from usage_rollups where hour = (select max(hour) from usage_rollups where hour >= 0) returning *
      ),
      by_day as (
        insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group",
          count, failed, quota, uncovered, prompt_tokens, completion_tokens)
        select hour - hour % 86400 - ${UNLOGGED_SHIFT_S}::bigint, user_id, '', token_id, token_name, channel_id, model_name, '',
          sum(count), sum(failed), sum(quota), sum(uncovered), sum(prompt_tokens), sum(completion_tokens)
        from gone group by 1, 2, 4, 5, 6, 7 order by 1, 2, 4, 5, 6, 7
        on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group") do update set
          count = r.count + excluded.count, failed = r.failed + excluded.failed, quota = r.quota + excluded.quota,
          uncovered = r.uncovered + excluded.uncovered, prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
          completion_tokens = r.completion_tokens + excluded.completion_tokens
      ),
      ${leave(tx, "rollups")}`,
  },
  {
    what: "rollups",
    take: (tx) => tx<{ moved: number }[]>`
      with gone as (delete from usage_costs where hour = (select max(hour) from usage_costs) returning *),
      ${leave(tx, "costs")}`,
  },
  {
    what: "sessions",
    take: (tx) => tx<{ moved: number }[]>`
      with gone as (
        delete from agent_sessions where (user_id, id) in (select user_id, id from agent_sessions limit ${ROWS_A_STEP}) returning *
      ),
      ${leave(tx, "sessions")}`,
  },
  {
    what: "sessions",
    take: (tx) => tx<{ moved: number }[]>`
      with gone as (
        delete from agent_session_calls where (user_id, session_id, log_id) in (
          select user_id, session_id, log_id from agent_session_calls limit ${ROWS_A_STEP}) returning *
      ),
      ${leave(tx, "session_calls")}`,
  },
  {
    what: "archives",
    take: (tx) => tx<{ moved: number }[]>`
      with gone as (delete from log_archives where state = 'done' returning *),
      ${leave(tx, "archives")}`,
  },
  {
    what: "rows",
    // A note takes the place of a row that a journal may bring again, a refund may need, or a budget has counted.
    take: (tx) => tx<{ moved: number }[]>`
      with gone as (
        delete from logs l using (
          select created_at, id from logs where type = 2
            and id <= coalesce((select min(position) from usage_sinks where enabled), 9223372036854775807)
          order by created_at desc, id desc limit ${ROWS_A_STEP}
        ) k where l.created_at = k.created_at and l.id = k.id returning l.*
      ),
      paid as (
        select g.*, case when g.other like '%"plan_draws":[{%' then g.other::json -> 'plan_draws' end as draws,
          case when g.other like '%"budgets":[%' then (
            select string_agg(b ->> 'id', ',') from json_array_elements(g.other::json -> 'budgets') b) end as budget_ids
        from gone g where g.request_id is not null
      ),
      noted as (
        insert into unlogged_calls (request_id, created_at, user_id, token_id, token_name, model_name, channel_id, quota, uncovered,
          budgets, plan_draws, included, prompt_tokens, completion_tokens, worth)
        select p.request_id, p.created_at, p.user_id, p.token_id, p.token_name, p.model_name, p.channel_id, p.quota, p.uncovered,
          coalesce(p.budget_ids, ''), coalesce(p.draws::text, ''), i.budget, case when i.budget is null then 0 else p.prompt_tokens end,
          case when i.budget is null then 0 else p.completion_tokens end,
          case when i.budget is null then 0 else coalesce((p.other::json -> 'receipt' ->> 'total')::bigint, 0) end
        from paid p left join lateral (
          select b.id as budget from json_array_elements(p.draws) d
            join budgets b on b.scope = 'calls' and b.scope_id = (d ->> 'subscription')::int
          where d ->> 'calls' is not null and p.other::json ->> 'refunded' is null limit 1
        ) i on true
        where p.created_at >= ${nowSeconds() - MEMORY_S} or p.budget_ids is not null
        on conflict do nothing
      ),
      ${leave(tx, "moved")}`,
  },
];

/** What is made of roll-ups has no use here any more; and since when rows may be missing. */
async function moveOnce(sql: Database["sql"]): Promise<void> {
  await withDeadline(DEADLINES_MS.long, () =>
    sql.begin(async (tx) => {
      await tx`
        insert into log_deliveries (kind, rows, body, created_at)
        select 'cleared', 1, value, ${nowSeconds()} from options where key = ${LOGS_CLEARED_ROW}`;
      await tx`truncate usage_totals, usage_days`;
      await tx`delete from usage_fold`;
    }),
  );
}
