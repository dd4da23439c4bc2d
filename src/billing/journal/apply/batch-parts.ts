import type { Statements } from "../../../../db/types.ts";

/** A part of a statement. */
type Part = ReturnType<typeof forNew>["unlessLogged"];

/** What charges a batch has but those of balances. */
type BatchKinds = Readonly<{ hasPlans: boolean; hasIncluded: boolean }>;

/** What a batch may contain: records that nobody can have written, or any. */
export const forNew = (sql: Statements) => ({
  unlessLogged: sql``,
  unlessNoted: sql``,
  applied: sql`not materialized (select * from charged)`,
});
export const forAny = (sql: Statements) => ({
  unlessLogged: sql`on conflict (request_id, created_at, user_id) do nothing`,
  unlessNoted: sql`and not exists (
      select from logs l where l.request_id = c.request_id and l.created_at = c.created_at
    ) on conflict (request_id, created_at) do nothing`,
  applied: sql`materialized (
      select c.* from charged c join (select * from written union all select * from noted) w using (request_id, created_at)
    )`,
});

/** Nothing shows that the record of a row was charged: neither a row of the log nor a note. */
const isUnknown = (sql: Statements, row: Part) => sql`not exists (
      select from logs l where l.request_id = ${row}.request_id and l.created_at = ${row}.created_at)
      and not exists (select from unlogged_calls n where n.request_id = ${row}.request_id and n.created_at = ${row}.created_at)`;

/** Charges that plans pay count in the budgets of their windows. */
const planCharges = (sql: Statements) =>
  sql`union all select plan, created_at, planned, asked from applied where plan is not null`;
const planSums = (sql: Statements) =>
  sql`union all select plan, sum(asked)::bigint from entries where plan is not null group by plan`;

/** Included calls count in the budgets of their windows, each as 1. */
const includedCharges = (sql: Statements) =>
  sql`union all select included, created_at, 1, 1 from applied where included is not null`;
const includedSums = (sql: Statements) =>
  sql`union all select included, count(*) from entries where included is not null group by included`;

/** What only batches do that have charges in budgets: each counts in the period in which its call began, if that is not over. */
export const withBudgets = (sql: Statements, processId: string, { hasPlans, hasIncluded }: BatchKinds) => ({
  column: sql`f[21] as budgets,`,
  notedColumn: sql`, budgets`,
  notedValue: sql`, coalesce(budgets, '')`,
  paid: sql`budget_charges as (
      select b.id::integer as budget_id, a.created_at, a.taken, a.asked
      from applied a, unnest(string_to_array(a.budgets, ',')) as b(id)
      ${hasPlans ? planCharges(sql) : sql``}
      ${hasIncluded ? includedCharges(sql) : sql``}
    ),
    budget_keys as materialized (
      select id, case when scope in ('plan', 'calls') then 0 else period_start end as period_start, renews_at from budgets where id = any(array(select budget_id from budget_charges))
        and (select count(*) from keys) >= 0 order by id for update
    ),
    budget_sums as (
      select s.*, least(coalesce(h.amount, 0), s.asked) as spent, coalesce(h.amount, 0) as own
      from (
        select k.id as budget_id, sum(c.asked)::bigint as asked,
          coalesce(sum(c.taken) filter (
            where c.created_at >= k.period_start and (k.renews_at = 0 or c.created_at < k.renews_at)), 0)::bigint as taken,
          coalesce(sum(c.taken) filter (where k.renews_at > 0 and c.created_at >= k.renews_at), 0)::bigint as ahead
        from budget_charges c join budget_keys k on k.id = c.budget_id group by k.id
      ) s left join holds h on h.process_id = ${processId} and h.subject = 'budget' and h.subject_id = s.budget_id
    ),
    paid_budgets as (
      update budgets b set remaining = greatest(0, b.remaining - s.taken), spent = b.spent + s.taken,
        spent_ahead = b.spent_ahead + s.ahead, held = greatest(0, b.held - s.spent)
      from budget_sums s join budget_keys k on k.id = s.budget_id where b.id = s.budget_id
      returning b.id, b.remaining as quota, b.held, s.own - s.spent as own
    ),`,
  spent: sql`union all select 'budget', budget_id, spent from budget_sums`,
  settled: sql`union all
    select 'budget', e.budget_id, e.asked, p.quota, p.held, p.own
    from (
      select b.id::integer as budget_id, sum(asked)::bigint as asked
      from entries, unnest(string_to_array(budgets, ',')) as b(id) group by 1
      ${hasPlans ? planSums(sql) : sql``}
      ${hasIncluded ? includedSums(sql) : sql``}
    ) e left join paid_budgets p on p.id = e.budget_id`,
});
export const withoutBudgets = (sql: Statements): ReturnType<typeof withBudgets> => ({
  column: sql``,
  notedColumn: sql``,
  notedValue: sql``,
  paid: sql``,
  spent: sql``,
  settled: sql``,
});

/**
 * What only batches do that have charges paid by plans: each takes what is left of the window, in the order of the batch, and the
 * rest from the balance. The windows count them at once, so `distributed` counts them too.
 */
export const withPlans = (sql: Statements, areNew: boolean) => ({
  column: sql`nullif(f[22], '')::integer as plan,`,
  planned: sql`planned as materialized (
      select e.place, w.id as subscription, w.plan_id, case when w.rolling_seconds = 0 then w.window_end end as until, greatest(0, least(e.asked, w.remaining - coalesce(sum(e.asked) over (
        partition by w.id order by e.place rows between unbounded preceding and 1 preceding), 0)))::bigint as units
      from entries e join budgets b on b.id = e.plan join plan_windows w on w.id = b.scope_id and w.own_quota
      ${areNew ? sql`` : sql`where ${isUnknown(sql, sql`e`)}`}
    ),
    wallet_entries as materialized (
      select e.place, e.user_id, e.asked - coalesce(p.units, 0) as asked from entries e left join planned p using (place)
    ),
    wallet_asked as materialized (select user_id, sum(asked)::bigint as asked from wallet_entries group by user_id),`,
  entries: sql`wallet_entries`,
  requestedBy: sql`wallet_asked`,
  charged: sql`select e.*, coalesce(p.units, 0) + coalesce(s.taken, w.asked) as taken, coalesce(p.units, 0) as planned
      from entries e join wallet_entries w using (place) left join short s using (place) left join planned p using (place)`,
  fromWallet: sql`c.taken - c.planned`,
  draws: sql`union all
        select d.place, d.subscription, p.name, -1, d.units, null, null, d.until from planned d join plans p on p.id = d.plan_id
        where d.units > 0`,
  ownRequested: sql`sum(asked) filter (where plan is null)`,
  sums: sql`sum(taken - planned)::bigint as wallet, coalesce(sum(asked) filter (where plan is null), 0)::bigint as wallet_asked,`,
  userSums: sql`sum(wallet)::bigint as wallet, sum(wallet_asked)::bigint as asked,`,
  wallet: sql`s.wallet`,
  units: sql`sum(p.units) filter (where w.own_quota)::bigint`,
  counted: sql`counted as (
      update plan_accounts a set distributed = a.distributed + d.units
      from (select user_id, sum(planned)::bigint as units from applied group by user_id) d
      where a.user_id = d.user_id and (select count(*) from plan_positions) >= 0 -- They are read before.
    ),`,
});
export const withoutPlans = (sql: Statements): ReturnType<typeof withPlans> => ({
  column: sql``,
  planned: sql``,
  entries: sql`entries`,
  requestedBy: sql`asked_of`,
  charged: sql`select e.*, coalesce(s.taken, e.asked) as taken from entries e left join short s using (place)`,
  fromWallet: sql`c.taken`,
  draws: sql``,
  ownRequested: sql`sum(asked)`,
  sums: sql``,
  userSums: sql`sum(asked)::bigint as asked,`,
  wallet: sql`s.taken`,
  units: sql`0`,
  counted: sql``,
});

/**
 * What only batches do that have calls which plans include: each takes one of those that are left of its window, in the order of the
 * batch. One that ends after its plan, or is one too many since its process was taken for dead, is included all the same.
 */
export const withIncluded = (sql: Statements, areNew: boolean) => ({
  column: sql`f[23]::integer as included,`,
  notedColumn: sql`, included, prompt_tokens, completion_tokens, worth`,
  notedValue: sql`, included, case when included is null then 0 else prompt_tokens end,
        case when included is null then 0 else completion_tokens end,
        case when included is null then 0 else coalesce((other::json -> 'receipt' ->> 'total')::bigint, 0) end`,
  calls: sql`included_calls as materialized (
      select e.place, s.id as subscription, s.plan_id, w.window_calls as calls,
        w.calls_left - row_number() over (partition by s.id order by e.place) as rest
      from entries e join budgets b on b.id = e.included join subscriptions s on s.id = b.scope_id
        left join plan_windows w on w.id = s.id
      ${areNew ? sql`` : sql`where ${isUnknown(sql, sql`e`)}`}
    ),`,
  draws: sql`union all
        select c.place, c.subscription, p.name, -2, 0, case when c.rest >= 0 then c.calls - c.rest end, coalesce(c.calls, 0), null
        from included_calls c join plans p on p.id = c.plan_id`,
});
export const withoutIncluded = (sql: Statements): ReturnType<typeof withIncluded> => ({
  column: sql``,
  notedColumn: sql``,
  notedValue: sql``,
  calls: sql``,
  draws: sql``,
});

/** What only batches do that have calls with tags or end users. */
export const withLabels = (sql: Statements) => ({
  column: sql`, tags, end_user`,
  value: sql`, case when position('"tags":[' in other) > 0
    then (select array_agg(tag) from jsonb_array_elements_text(other::jsonb -> 'tags') tag) end as tags,
    case when position('"end_user":' in other) > 0 then other::jsonb ->> 'end_user' end as end_user`,
});
export const withoutLabels = (sql: Statements): ReturnType<typeof withLabels> => ({ column: sql``, value: sql`` });

/** The columns of a call's log row, and their values in `charged` next to what plans paid. */
const logRow = (sql: Statements, labels: ReturnType<typeof withLabels>) => ({
  columns: sql`created_at, type, user_id, username, token_id, token_name, model_name, channel_id, "group",
        is_stream, failed, use_time, elapsed_ms, prompt_tokens, completion_tokens, quota, uncovered, ip, request_id,
        content, other${labels.column}`,
  values: sql`created_at, 2 as type, user_id, username, token_id, token_name, model_name, channel_id, "group",
        is_stream, failed, elapsed_ms / 1000 as use_time, elapsed_ms, prompt_tokens, completion_tokens, taken as quota,
        asked - taken as uncovered, ip, request_id, content,
        case when d.draws is null then other else left(other, -1) || ',"plan_draws":' || d.draws || '}' end as other${labels.value}`,
});

/** Where the log is in this database: its rows are written. Records that are `unlogged` leave a note, and roll-ups out of sight. */
export const withOwnLog = (sql: Statements, labels: ReturnType<typeof withLabels>, unlessLogged: Part) => {
  const { columns, values } = logRow(sql, labels);
  return {
    flags: sql`f[20]::boolean as unlogged,`,
    written: sql`
      insert into logs (${columns})
      select ${values} from charged left join plan_draws d using (place) where not unlogged ${unlessLogged}
      returning request_id, created_at`,
    delivered: sql``,
  };
};

/**
 * Where the log is in another database: every record leaves a note and roll-ups of days, which statements read, and those that are
 * logged are left for delivery as one batch.
 */
export const withLogElsewhere = (
  sql: Statements,
  labels: ReturnType<typeof withLabels>,
): ReturnType<typeof withOwnLog> => ({
  flags: sql`true as unlogged, f[20]::boolean as unseen,`,
  written: sql`select request_id, created_at from charged where false`,
  delivered: sql`delivered as (
      insert into log_deliveries (kind, rows, body, created_at)
      select 'rows', count(*), json_agg(row_to_json(r))::text, extract(epoch from now())::bigint
      from (select ${logRow(sql, labels).values} from applied left join plan_draws d using (place) where not unseen) r
      having count(*) > 0
    ),`,
});

/**
 * Which part of each charge the windows of plans pay, as JSON for its log row: parts of the statement that applies a batch,
 * after `payers` and `charged`. What is left of windows for some models is known already (`withPlans`). The other windows were last reduced when the account had used `distributed`
 * (`src/domain/wallet/plans/plan-account.ts`): what it used since, and each charge after that, takes its place along them, in
 * their order (`drawOrder`). What lies behind all windows is paid by the wallet.
 */
export const planDraws = (
  sql: Statements,
  areNew: boolean,
  { fromWallet, draws }: Pick<ReturnType<typeof withPlans>, "fromWallet" | "draws">,
  included: Pick<ReturnType<typeof withIncluded>, "draws">,
) => sql`
    plan_positions as materialized (
      select a.user_id, u.used_quota - a.distributed as position from plan_accounts a join payers u on u.id = a.user_id
      where a.user_id = any(array(select user_id from plan_windows)) order by a.user_id for update of a
    ),
    plan_charges as materialized (
      select place, user_id, taken, before from (
        select c.place, c.user_id, ${fromWallet} as taken, (p.position + coalesce(sum(${fromWallet}) over (
          partition by c.user_id order by c.place rows between unbounded preceding and 1 preceding), 0))::bigint as before
        from charged c join plan_positions p using (user_id)
        ${areNew ? sql`` : sql`where ${isUnknown(sql, sql`c`)}`}
      ) c where taken > 0
    ),
    plan_parts as materialized (
      select * from (
        select c.place, w.id as subscription, p.name, w.low,
          least(w.low + w.remaining, c.before + c.taken) - greatest(w.low, c.before) as units,
          null::bigint as call, null::integer as calls, case when w.rolling_seconds = 0 then w.window_end end as until
        from plan_charges c
        join (
          select *, (sum(remaining) over (
            partition by user_id order by case when rolling_seconds > 0 then 0 else window_end end, id
          ) - remaining)::bigint as low
          from plan_windows where status <> 'ended' and not own_quota
        ) w using (user_id)
        join plans p on p.id = w.plan_id
        where least(w.low + w.remaining, c.before + c.taken) > greatest(w.low, c.before)
        ${draws}
        ${included.draws}
      ) parts
    ),
    plan_draws as materialized (
      select place, json_agg(case when calls is null
          then json_strip_nulls(json_build_object('subscription', subscription, 'plan', name, 'units', units, 'until', until))
          else json_build_object('subscription', subscription, 'plan', name, 'units', units, 'call', call, 'calls', calls)
        end order by low, subscription)::text as draws
      from plan_parts group by place
    )`;

/**
 * What charges do to windows: those for some models count them at once, and one that waits for its first charge opens when that
 * call arrived, or when the window was filled if that was later. It lasts its time from then, but not beyond the paid period.
 */
export const drawnWindows = (sql: Statements, { units }: Pick<ReturnType<typeof withPlans>, "units">) => sql`
    drawn_windows as (
      update subscriptions s set remaining = s.remaining - d.units, drawn = s.drawn + d.units,
        calls_left = greatest(0, s.calls_left - d.calls), drawn_calls = s.drawn_calls + d.calls, is_window_open = s.is_window_open or d.opens,
        window_start = case when d.opens then greatest(s.window_start, d.first) else s.window_start end,
        window_end = case when d.opens then least(s.period_end, greatest(s.window_start, d.first) + s.rolling_seconds)
          else s.window_end end
      from (
        select p.subscription, coalesce(${units}, 0) as units,
          count(p.calls) as calls, not w.is_open as opens, min(a.created_at) as first
        from applied a join plan_parts p using (place) join plan_windows w on w.id = p.subscription
        where w.own_quota or p.calls is not null or not w.is_open group by 1, w.is_open
      ) d where s.id = d.subscription
      returning s.id, d.opens
    )`;

/** The windows of the batch's accounts, locked: their newest state is read, as the accounts' rows are. */
export const planWindows = (sql: Statements) => sql`
    plan_windows as materialized (
      select s.id, s.user_id, s.plan_id, s.window_end, s.remaining, s.status, s.own_quota,
        s.rolling_seconds, s.window_calls, s.calls_left, s.is_window_open or s.status = 'ending' as is_open
      from subscriptions s
      where s.user_id = any(array(select id from payers)) and s.status <> 'ended' order by s.user_id, s.id for update
    )`;
