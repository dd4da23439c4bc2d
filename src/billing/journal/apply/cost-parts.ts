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

/** Whether a record, as its text, has a cost. */
export const hasCost = (text: string): boolean => text.includes('"upstream_cost":');

/**
 * A part of a statement: adds the costs of calls to the sums of their hours. `calls`: a query for created_at, channel_id, model_name,
 * other and `charged`, the quota units that were taken.
 */
export const addCosts = (sql: Statements, calls: ReturnType<typeof sumCosts>) =>
  sumCosts(
    sql,
    sql`select created_at - created_at % 3600 as hour, channel_id, model_name, sum(1) as count, sum(charged) as quota, sum(cost) as cost
        from (select *, ${costOf(sql)} as cost from (${calls}) calls) costed where cost is not null group by 1, 2, 3`,
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
