import type { Statements } from "../../../../db/types.ts";

/**
 * The cost that `other` of a log row has (`upstream_cost`), in quota units; null: it has none. Inside a text of `other` the
 * name's quotes would be escaped.
 */
export const COST = `substring(other from '"upstream_cost":(\\d+)')::bigint`;
export const costOf = (sql: Statements) => sql.unsafe(COST);

/** The member as a pattern, and what takes its place where a charge is given back. */
export const COST_MEMBER = '"upstream_cost":\\d+';
export const NO_COST = '"upstream_cost":0';

/** Whether a record, as its text, has a cost of the response that its caller got. */
export const hasCost = (text: string): boolean => text.includes('"upstream_cost":');

const OF_ATTEMPTS = '"channel_cost":';

/** The same, or of responses that nobody got. */
export const hasAnyCost = (text: string): boolean => hasCost(text) || text.includes(OF_ATTEMPTS);

/**
 * A part of a statement: adds the costs of calls to the sums of their hours, those of responses that nobody got to their own channels.
 * `calls`: a query for created_at, channel_id, model_name, other and `charged`, the quota units that were taken.
 */
export const addCosts = (sql: Statements, calls: ReturnType<typeof sumCosts>) =>
  sumCosts(
    sql,
    sql`select created_at - created_at % 3600 as hour, channel_id, model_name, sum(calls) as count, sum(charged) as quota, sum(cost) as cost
        from (
          select created_at, channel_id, model_name, 1 as calls, charged, ${costOf(sql)} as cost from (${calls}) calls
          union all
          select created_at, (attempt ->> 'channelId')::integer, model_name, 0, 0, (attempt ->> 'channel_cost')::bigint
          from (${calls}) calls, lateral jsonb_array_elements(
            case when position(${OF_ATTEMPTS} in other) > 0 then other::jsonb #> '{admin_info,attempts}' end) attempt
        ) costed where cost is not null group by 1, 2, 3`,
  );

/** The same of sums: hour, channel_id, model_name, count, quota and cost. */
export const sumCosts = (sql: Statements, sums: ReturnType<typeof noCosts>) => sql`
    costs as (
      insert into usage_costs as r (hour, channel_id, model_name, count, quota, cost)
      select hour, channel_id, model_name, count, quota, cost from (${sums}) sums order by 1, 2, 3
      on conflict (hour, channel_id, model_name) do update set
        count = r.count + excluded.count, quota = r.quota + excluded.quota, cost = r.cost + excluded.cost
    ),`;

/** The part of a statement whose calls have no cost. */
export const noCosts = (sql: Statements) => sql``;
