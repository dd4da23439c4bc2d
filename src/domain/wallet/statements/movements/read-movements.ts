import { type SQL, sql } from "drizzle-orm";
import { changesIn, GIFTS } from "../../../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../../../db/require-row.ts";
import { UNLOGGED_HOUR, UNLOGGED_SHIFT_S } from "../../../../../db/schema/logs/logs.ts";
import type { StatementOrder, UsageLine } from "../../../../../db/schema/wallet/statements.ts";
import type { DbOrTx } from "../../../../../db/types.ts";
import { LOG_TYPE } from "../../../logs/write-log.ts";

/** What changed a balance within a time: quota units. */
export type Movements = Readonly<{
  topUps: number;
  codes: number;
  /** Cashback, check-ins, gifts, and earnings that were moved to the balance. */
  rewards: number;
  /** Quota of plans, less what was paid for them. */
  plans: number;
  /** What administrators gave and took, and transfers between a person and an organization. */
  adjustments: number;
  charged: number;
}>;

/** By how much movements change a balance; quota units. */
export const netOf = ({ topUps, codes, rewards, plans, adjustments, charged }: Movements): number =>
  topUps + codes + rewards + plans + adjustments - charged;

/** Epoch seconds: `from` is included, `until` is not; both at the start of an hour, as roll-ups count by hours. */
export type Range = Readonly<{ from: number; until: number }>;

/** The end of a range that has none. */
export const FOREVER = Number.MAX_SAFE_INTEGER;

/**
 * Which hours of roll-ups are within the range: also those of days in which calls were not logged, moved back. `hour`: the column; the
 * range begins and ends with a day (UTC).
 */
export const rolledUpDuring = (
  hour: SQL,
  { from, until }: Range,
): SQL => sql`((${hour} >= ${from} and ${hour} < ${until})
  or (${hour} >= ${from - UNLOGGED_SHIFT_S}::bigint and ${hour} < least(${until - UNLOGGED_SHIFT_S}::bigint, ${UNLOGGED_HOUR}::bigint)))`;

/** The hour of a roll-up, or the day of one of calls that were not logged. */
export const hourOf = (hour: SQL): SQL =>
  sql`(case when ${hour} < ${UNLOGGED_HOUR}::bigint then ${hour} + ${UNLOGGED_SHIFT_S}::bigint else ${hour} end)`;

/** Rows of the log by which plans change a balance. */
export const OF_PLANS = '%"target":"subscription"%';

/** Rows `l` of the log by which earnings were moved to the balance. */
export const MOVED = sql`l.type = ${LOG_TYPE.system} and l.request_id is null
  and l.content in ('Invitation rewards transferred to the balance', 'Agent''s earnings transferred to the balance')`;

/** Sums of all that changed the balance of `userId` within the range, as far as the log and the orders show. */
export async function readMovements(db: DbOrTx, userId: number, { from, until }: Range): Promise<Movements> {
  const during = (column: SQL) => sql`${column} >= ${from} and ${column} < ${until}`;
  const rows = await db.execute<Record<keyof Movements, string>>(sql`
    with recent as (select * from logs l where l.type = ${LOG_TYPE.management} and ${during(sql`l.created_at`)}),
    of_plans as (select * from recent l where l.user_id = ${userId} and l.other like ${OF_PLANS}),
    others as (select * from recent l where l.other not like ${OF_PLANS})
    select
      (select coalesce(sum(o.quota), 0) from top_up_orders o
        where o.user_id = ${userId} and o.status = 'success' and ${during(sql`o.completed_time`)})::text as "topUps",
      (select coalesce(sum(c.quota), 0) from redemption_uses c
        where c.user_id = ${userId} and ${during(sql`c.used_time`)})::text as codes,
      ((select coalesce(sum(r.quota), 0) from rebates r
          where r.user_id = ${userId} and r.kind = 'cashback' and ${during(sql`r.created_time`)})
        + (select coalesce(sum(d.quota), 0) from check_ins d
          where d.user_id = ${userId} and ${during(sql`d.created_time`)})
        + (select coalesce(sum(l.quota), 0) from logs l
          where l.user_id = ${userId} and ${during(sql`l.created_at`)} and ((${GIFTS}) or (${MOVED}))))::text as rewards,
      (select coalesce(sum(c.quota), 0) from (${changesIn(sql`others`)}) c where c.user_id = ${userId})::text as adjustments,
      (select coalesce(sum(c.quota), 0) from (${changesIn(sql`of_plans`)}) c where c.user_id = ${userId})::text as plans,
      (select coalesce(sum(r.quota), 0) from usage_rollups r
        where r.user_id = ${userId} and ${rolledUpDuring(sql`r.hour`, { from, until })})::text as charged`);
  const { topUps, codes, rewards, plans, adjustments, charged } = requireRow(rows);
  return {
    topUps: Number(topUps),
    codes: Number(codes),
    rewards: Number(rewards),
    plans: Number(plans),
    adjustments: Number(adjustments),
    charged: Number(charged),
  };
}

/** Lines of a statement's longest list; the rest is one more line. */
const LONGEST_LIST = 200;

type RawLine = { name: string } & Record<Exclude<keyof UsageLine, "name">, string>;

/** Charges within the range by model, or by API key (by its last name), largest first. */
export async function readUsageLines(
  db: DbOrTx,
  userId: number,
  by: "model" | "key",
  range: Range,
): Promise<UsageLine[]> {
  const [key, name] =
    by === "model"
      ? [sql`r.model_name`, sql`r.model_name`]
      : [sql`r.token_id`, sql`(array_agg(r.token_name order by ${hourOf(sql`r.hour`)} desc))[1]`];
  return readLines(
    db,
    sql`
      select ${name} as name, sum(r.count) as calls, sum(r.prompt_tokens) as prompt, sum(r.completion_tokens) as completion,
        sum(r.quota) as quota, row_number() over (order by sum(r.quota) desc, ${key}) as place
      from usage_rollups r where r.user_id = ${userId} and ${rolledUpDuring(sql`r.hour`, range)} group by ${key}`,
  );
}

/** Charges within the range by tag, largest first; a call counts in each of its tags. From the log, as far as it goes back. */
export const readTagLines = (db: DbOrTx, userId: number, { from, until }: Range): Promise<UsageLine[]> =>
  readLines(
    db,
    sql`
      select t.tag as name, count(*) as calls, sum(l.prompt_tokens) as prompt, sum(l.completion_tokens) as completion,
        sum(l.quota) as quota, row_number() over (order by sum(l.quota) desc, t.tag) as place
      from logs l cross join lateral unnest(l.tags) as t(tag)
      where l.user_id = ${userId} and l.type = ${LOG_TYPE.consumption} and l.tags is not null
        and l.created_at >= ${from} and l.created_at < ${until}
      group by t.tag`,
  );

/**
 * Calls within the range that plans included, by the names of plans; `quota` is what they were worth. From the log and from the calls
 * that were not logged, as far as they go back, and only of accounts that have had such a plan.
 */
export const readIncludedLines = (db: DbOrTx, userId: number, { from, until }: Range): Promise<UsageLine[]> =>
  readLines(
    db,
    sql`
      select plan as name, count(*) as calls, sum(prompt_tokens) as prompt, sum(completion_tokens) as completion,
        coalesce(sum(worth), 0) as quota, row_number() over (order by plan) as place
      from (
      select d ->> 'plan' as plan, l.prompt_tokens, l.completion_tokens, (l.other::json -> 'receipt' ->> 'total')::bigint as worth
      from logs l cross join lateral json_array_elements(l.other::json -> 'plan_draws') d
      where l.user_id = ${userId} and l.type = ${LOG_TYPE.consumption} and l.created_at >= ${from} and l.created_at < ${until}
        and exists (select from subscriptions s where s.user_id = ${userId} and s.window_calls > 0)
        and l.other like '%"plan_draws":[{%"calls"%' and d ->> 'calls' is not null and l.other::json ->> 'refunded' is null
      union all
      select p.name, u.prompt_tokens, u.completion_tokens, u.worth
      from unlogged_calls u join budgets b on b.id = u.included join subscriptions s on s.id = b.scope_id join plans p on p.id = s.plan_id
      where u.user_id = ${userId} and u.created_at >= ${from} and u.created_at < ${until}
      ) calls group by plan`,
  );

async function readLines(db: DbOrTx, lines: SQL): Promise<UsageLine[]> {
  const rows = await db.execute<RawLine>(sql`
    with lines as (${lines})
    select case when place <= ${LONGEST_LIST} then name else '' end as name, sum(calls)::text as calls,
      sum(prompt)::text as "promptTokens", sum(completion)::text as "completionTokens", sum(quota)::text as quota
    from lines group by least(place, ${LONGEST_LIST + 1}), 1 order by min(place)`);
  return [...rows].map(({ name, calls, promptTokens, completionTokens, quota }) => ({
    name,
    calls: Number(calls),
    promptTokens: Number(promptTokens),
    completionTokens: Number(completionTokens),
    quota: Number(quota),
  }));
}

/**
 * Top-ups and periods of plans that were paid online within the range, and what was paid back of them in it (with amounts below
 * 0), oldest first; plans add no quota to the wallet.
 */
export async function readPaidOrders(db: DbOrTx, userId: number, { from, until }: Range): Promise<StatementOrder[]> {
  const rows = await db.execute<RawOrder>(sql`
    select trade_no, completed_time::text as time, money::text as money, currency, quota::text as quota, tax::text as tax,
      trim_scale(tax_rate)::text as rate, tax_country as country, reverse_charge_tax_id as tax_id, 'paid' as kind
    from top_up_orders
    where user_id = ${userId} and status = 'success' and completed_time >= ${from} and completed_time < ${until}
    union all
    select trade_no, refunded_time::text, (back.money - o.money)::text, currency, (-quota)::text, (back.tax - o.tax)::text,
      trim_scale(tax_rate)::text, tax_country, reverse_charge_tax_id, 'refund' from top_up_orders o,
      lateral (select coalesce(sum(r.money), 0) as money, coalesce(sum(r.tax), 0) as tax from order_refunds r
        where r.order_id = o.id) back
    where user_id = ${userId} and refunded_time >= ${from} and refunded_time < ${until}
    union all
    select o.trade_no, r.refunded_at::text, (-r.money)::text, o.currency, '0', (-r.tax)::text, trim_scale(o.tax_rate)::text,
      o.tax_country, o.reverse_charge_tax_id, 'refund'
    from order_refunds r join top_up_orders o on o.id = r.order_id
    where o.user_id = ${userId} and r.refunded_at >= ${from} and r.refunded_at < ${until}
    union all
    select p.invoice_no, p.paid_at::text, (case when p.is_discounted then o.first_money else o.money end)::text, o.currency,
      '0', (case when p.is_discounted then o.first_tax else o.tax end)::text, trim_scale(o.tax_rate)::text,
      o.tax_country, o.reverse_charge_tax_id, 'paid'
    from plan_payments p join plan_orders o on o.id = p.order_id
    where o.user_id = ${userId} and not p.is_trial and p.paid_at >= ${from} and p.paid_at < ${until}
    union all
    select p.invoice_no, r.refunded_at::text, (-r.money)::text, o.currency, '0', (-r.tax)::text, trim_scale(o.tax_rate)::text,
      o.tax_country, o.reverse_charge_tax_id, 'refund'
    from plan_refunds r join plan_payments p on p.id = r.payment_id join plan_orders o on o.id = p.order_id
    where o.user_id = ${userId} and r.refunded_at >= ${from} and r.refunded_at < ${until}
    order by 2, 1, 10, 3`);
  return [...rows].map(toOrder);
}

/** A payment or refund as the database returns it: all as text. */
export type RawOrder = Record<
  "trade_no" | "time" | "money" | "currency" | "quota" | "tax" | "rate" | "country" | "tax_id" | "kind",
  string
>;

/** The line of a document for a payment or refund. */
export function toOrder(row: RawOrder): StatementOrder {
  const { trade_no: tradeNo, time, money, currency, quota, tax, rate, country, tax_id, kind } = row;
  return {
    ...{ tradeNo, time: Number(time), money, currency, quota: Number(quota) },
    ...(kind === "refund" && { isRefund: true }),
    ...(country !== "" && { tax: { country, rate, amount: tax, reverseChargeTaxId: tax_id } }),
  };
}
