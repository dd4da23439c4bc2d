import type { Statements } from "../../../../db/types.ts";

/**
 * Which part of each charge the windows of plans pay, as JSON for its log row: parts of the statement that applies a batch,
 * after `payers` and `charged`. The windows were last reduced when the account had used `distributed`
 * (`src/domain/wallet/plans/plan-account.ts`): what it used since, and each charge after that, takes its place along them, the
 * window that ends first in front. What lies behind all windows is paid by the wallet. The rows are locked so that their
 * newest state is read, as the account's row is.
 */
export const planDraws = (sql: Statements, areNew: boolean) => sql`
    plan_windows as materialized (
      select s.id, s.user_id, s.plan_id, s.window_end, s.remaining, s.status from subscriptions s
      where s.user_id = any(array(select id from payers)) and s.status <> 'ended' order by s.user_id, s.id for update
    ),
    plan_positions as materialized (
      select a.user_id, u.used_quota - a.distributed as position from plan_accounts a join payers u on u.id = a.user_id
      where a.user_id = any(array(select user_id from plan_windows)) order by a.user_id for update of a
    ),
    plan_charges as materialized (
      select place, user_id, taken, before from (
        select c.place, c.user_id, c.taken, (p.position + coalesce(sum(c.taken) over (
          partition by c.user_id order by c.place rows between unbounded preceding and 1 preceding), 0))::bigint as before
        from charged c join plan_positions p using (user_id)
        ${areNew ? sql`` : sql`where not exists (select from logs l where l.request_id = c.request_id and l.created_at = c.created_at)`}
      ) c where taken > 0
    ),
    plan_draws as materialized (
      select place, json_agg(json_build_object('subscription', id, 'plan', name, 'units', units) order by low, id)::text as draws
      from (
        select c.place, w.id, p.name, w.low,
          least(w.low + w.remaining, c.before + c.taken) - greatest(w.low, c.before) as units
        from plan_charges c
        join (
          select *, (sum(remaining) over (partition by user_id order by window_end, id) - remaining)::bigint as low
          from plan_windows where status <> 'ended'
        ) w using (user_id)
        join plans p on p.id = w.plan_id
      ) parts
      where units > 0 group by place
    )`;
