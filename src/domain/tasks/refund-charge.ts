import { type SQL, sql } from "drizzle-orm";
import { LOG_ELSEWHERE_ROW } from "../../../db/schema/logs/deliveries.ts";
import { UNLOGGED_HOUR, UNLOGGED_SHIFT_S } from "../../../db/schema/logs/logs.ts";
import type { Tx } from "../../../db/types.ts";
import { SETTLING } from "../../billing/journal/apply/apply-batch.ts";
import { COST, COST_MEMBER, hasCost, NO_COST } from "../../billing/journal/apply/cost-parts.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { isOneOf } from "../../lib/values/sql-text.ts";
import type { RefundedCall } from "../logs/delivery/apply-delivery.ts";
import { LOG_TYPE, type LogNote, writeLog } from "../logs/write-log.ts";
import { type Draw, readDraws, returnDraws } from "../wallet/plans/limits/return-draws.ts";

/** A charge by its record, and whose task it paid for. */
export type Charge = Readonly<{
  chargeId: string;
  /** Epoch seconds of the record. */
  createdAt: number;
  userId: number;
  tokenId: number;
  channelId: number;
  /** What it paid for. */
  task: Readonly<{ kind: "drawing" | "media"; name: string }>;
}>;

/** What a charge took; `other` is that of its log row, null where calls were not logged. */
type Taken = Readonly<{
  quota: string | number;
  uncovered: string | number;
  other: string | null;
  /** Ids of the budgets that it counted in. */
  budgets: readonly number[];
  /** The subscription that included the call; null: it was charged. */
  includedBy: number | null;
  /** What windows paid of it. */
  draws: readonly Draw[];
}>;

/**
 * Gives back what a record took: to what paid it (`returnDraws`), the API key with its budget, the budgets of an organization, and every counter and sum it is part of; the
 * log row then says 0 and what was refunded, and an event reports it. To be called once, in the transaction that ends the
 * task. Resolves with the quota units that went back; null: the record is not in the database yet, try later. With
 * `mayVoid` such a record is made void instead: a log row in its place makes its journal line, should it still come, void.
 */
export async function refundCharge(
  tx: Tx,
  charge: Charge,
  mayVoid: boolean,
  now = nowSeconds(),
): Promise<number | null> {
  // Takes turns with the writer of charges, which locks the same rows.
  await tx.execute(sql`select pg_advisory_xact_lock(${SETTLING})`);
  const row = await findCharge(tx, charge);
  if (!row) {
    if (!mayVoid) return null;
    await voidCharge(tx, charge);
    return 0;
  }
  if (row.includedBy !== null) await returnCall(tx, charge, row.includedBy);
  const taken = Number(row.quota);
  if (row.other === null && (row.includedBy !== null || taken > 0 || Number(row.uncovered) > 0)) {
    await deliverRefund(tx, { requestId: charge.chargeId, createdAt: charge.createdAt, refunded: taken });
  }
  if (taken > 0 || Number(row.uncovered) > 0) await takeBack(tx, charge, taken, row, now);
  if (row.other !== null && hasCost(row.other)) await takeBackCost(tx, charge, taken);
  if (taken > 0) {
    const { kind, name } = charge.task;
    await writeLog(tx, {
      type: LOG_TYPE.system,
      userId: charge.userId,
      content: `Refund for the failed ${kind} task ${name}`,
      note: { code: `${kind}_refunded`, params: { task: name } },
      quota: taken,
    });
  }
  return taken;
}

/** The row of the call may be in the log's own database. */
const deliverRefund = (tx: Tx, refund: RefundedCall) =>
  tx.execute(sql`
    insert into log_deliveries (kind, rows, body, created_at)
    select 'refund', 1, ${JSON.stringify(refund)}, extract(epoch from now())::bigint
    where exists (select from options where key = ${LOG_ELSEWHERE_ROW})`);

async function findCharge(tx: Tx, { chargeId, createdAt }: Charge): Promise<Taken | undefined> {
  const [logged] = await tx.execute<TakenRow>(sql`
    select quota, uncovered, other from logs
    where request_id = ${chargeId} and created_at = ${createdAt} and type = ${LOG_TYPE.consumption} for update`);
  if (logged) {
    const other = readOther(logged.other ?? "{}");
    const draws = other.refunded === undefined ? readDraws(other.plan_draws) : [];
    const included = draws.find(({ isCall }) => isCall);
    return { ...logged, budgets: readBudgets(other.budgets), includedBy: included?.subscription ?? null, draws };
  }
  const [unlogged] = await tx.execute<TakenRow & Readonly<{ ids: string; by: number | null; paid: string }>>(sql`
    select quota, uncovered, null as other, budgets as ids, plan_draws as paid,
      (select b.scope_id from budgets b where b.id = u.included) as by
    from unlogged_calls u where request_id = ${chargeId} and created_at = ${createdAt} for update`);
  if (!unlogged) return undefined;
  const { ids, by, paid, ...row } = unlogged;
  const draws = paid === "" ? [] : readDraws(JSON.parse(paid));
  return { ...row, budgets: ids === "" ? [] : ids.split(",").map(Number), includedBy: by, draws };
}

type TakenRow = Omit<Taken, "budgets" | "includedBy" | "draws">;

/** Gives an included call back to its window, if that still runs, and says so on its receipt. */
async function returnCall(tx: Tx, { chargeId, createdAt, userId }: Charge, subscription: number): Promise<void> {
  await tx.execute(sql`select from users where id = ${userId} for update`);
  const [window] = await tx.execute<{ id: number }>(sql`
    update subscriptions set calls_left = calls_left + 1, drawn_calls = drawn_calls - 1
    where id = ${subscription} and user_id = ${userId} and status in ('active', 'past_due')
      and window_start <= ${createdAt} and calls_left < window_calls returning id`);
  if (window) {
    await tx.execute(sql`
      update budgets set spent = spent - 1, remaining = remaining + 1
      where organization_id = ${userId} and scope = 'calls' and scope_id = ${subscription} and deleted_at is null`);
  }
  await tx.execute(sql`
    update logs set other = left(other, -1) || ',"refunded":0}' where request_id = ${chargeId} and created_at = ${createdAt}`);
  await tx.execute(sql`
    update unlogged_calls set included = null where request_id = ${chargeId} and created_at = ${createdAt}`);
}

const readBudgets = (value: unknown): number[] =>
  Array.isArray(value) ? value.flatMap(({ id }) => (Number.isSafeInteger(id) ? [Number(id)] : [])) : [];

async function voidCharge(tx: Tx, { chargeId, createdAt, userId, tokenId, channelId, task }: Charge): Promise<void> {
  const note: LogNote = { code: `${task.kind}_not_taken`, params: { task: task.name } };
  await tx.execute(sql`
    with voided as (
      insert into logs (created_at, type, user_id, username, token_id, channel_id, failed, request_id, content, other)
      select ${createdAt}, ${LOG_TYPE.consumption}, u.id, u.username, ${tokenId}, ${channelId}, true, ${chargeId},
        ${`The ${task.kind} task ${task.name} was not taken by its upstream: not charged`}, ${JSON.stringify({ note })}
      from users u where u.id = ${userId}
      on conflict (request_id, created_at, user_id) do nothing returning *
    )
    insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group",
      count, failed)
    select created_at - created_at % 3600, user_id, username, token_id, token_name, channel_id, model_name, "group", 1, 1
    from voided
    on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group") do update set
      count = r.count + 1, failed = r.failed + 1`);
  await foldAgain(tx, createdAt);
}

/** Users before windows before keys before budgets before channels, as the writer of charges locks them. */
async function takeBack(tx: Tx, charge: Charge, taken: number, row: Taken, now: number): Promise<void> {
  const { chargeId, createdAt, userId, tokenId } = charge;
  await returnDraws(tx, userId, { taken, draws: row.draws, createdAt }, now);
  if (tokenId > 0) {
    // A budget whose period has since been renewed is full at most.
    const grown = sql`remain_quota + ${taken}`;
    await tx.execute(sql`
      update tokens set used_quota = used_quota - ${taken},
        remain_quota = case when unlimited_quota then remain_quota
          when budget_period <> '' then least(greatest(budget_quota, remain_quota), ${grown}) else ${grown} end,
        status = case when status = 4 and ${taken} > 0 then 1 else status end
      where id = ${tokenId}`);
  }
  if (row.budgets.length > 0) await takeBackBudgets(tx, row.budgets, taken, createdAt);
  if (row.other === null) return takeBackUnlogged(tx, charge);
  const other = JSON.stringify({ ...readOther(row.other), refunded: taken });
  await tx.execute(sql`
    with charge as (
      update logs set quota = 0, uncovered = 0, other = ${other}
      where request_id = ${chargeId} and created_at = ${createdAt} returning *
    ),
    channel as (update channels c set used_quota = c.used_quota - ${taken} from charge l where c.id = l.channel_id),
    rollup as (${rollupOf(sql`(l.username, l."group")`)})
    update usage_rollups r set quota = r.quota - ${taken}, uncovered = r.uncovered - ${Number(row.uncovered)}
    from rollup k where ${isRollup}`);
  await foldAgain(tx, createdAt);
}

/** A provider charges nothing for a task that failed: the call's row and the sums of its hour then say so. */
async function takeBackCost(tx: Tx, { chargeId, createdAt }: Charge, taken: number): Promise<void> {
  await tx.execute(sql`
    with charge as (
      select *, ${sql.raw(COST)} as cost from logs where request_id = ${chargeId} and created_at = ${createdAt}
    ),
    emptied as (
      update logs l set other = regexp_replace(l.other, ${COST_MEMBER}, ${NO_COST}) from charge c
      where l.request_id = c.request_id and l.created_at = c.created_at
    )
    update usage_costs k set quota = k.quota - ${taken}, cost = k.cost - c.cost from charge c
    where k.hour = c.created_at - c.created_at % 3600 and k.channel_id = c.channel_id and k.model_name = c.model_name`);
}

/** Totals of long ranges that have the hour of a charge already are made again. */
async function foldAgain(tx: Tx, createdAt: number): Promise<void> {
  await tx.execute(sql`update usage_fold set until = ${createdAt - (createdAt % 3600)} where until > ${createdAt}`);
}

/** From the period that counted it; a period that is over has nothing to give back. */
async function takeBackBudgets(tx: Tx, ids: readonly number[], taken: number, createdAt: number): Promise<void> {
  await tx.execute(sql`
    with due as materialized (
      select id, case when renews_at > 0 and ${createdAt}::bigint >= renews_at then 0 else ${taken}::bigint end as running,
        case when renews_at > 0 and ${createdAt}::bigint >= renews_at then ${taken}::bigint else 0 end as ahead
      from budgets where ${isOneOf(sql`id`, ids)} and period_start <= ${createdAt} order by id for update
    )
    update budgets b set spent = b.spent - due.running, spent_ahead = b.spent_ahead - due.ahead,
      remaining = greatest(0, b.limit_units - (b.spent - due.running))
    from due where b.id = due.id`);
}

async function takeBackUnlogged(tx: Tx, { chargeId, createdAt }: Charge): Promise<void> {
  // What it took is read before it is set to nothing: parts of a statement do not see each other's changes.
  await tx.execute(sql`
    with charge as (
      select * from unlogged_calls where request_id = ${chargeId} and created_at = ${createdAt}
    ),
    emptied as (
      update unlogged_calls u set quota = 0, uncovered = 0 from charge c
      where u.request_id = c.request_id and u.created_at = c.created_at
    ),
    channel as (update channels c set used_quota = c.used_quota - l.quota from charge l where c.id = l.channel_id),
    rollup as (${rollupOf(null)})
    update usage_rollups r set quota = r.quota - k.taken, uncovered = r.uncovered - k.uncovered
    from rollup k where ${isRollup}`);
}

/**
 * The roll-up that counts the call \`charge\`: of its hour and \`names\`, or of its day, where calls are not logged here. While a log is
 * moved to a database of its own it may be either, whichever the call's row was in.
 */
const rollupOf = (names: SQL | null): SQL => sql`
    select r.hour, r.user_id, r.username, r.token_id, r.token_name, r.channel_id, r.model_name, r."group",
      l.quota as taken, l.uncovered as uncovered
    from (select *, created_at - created_at % 3600 as hour, case when token_name = '' and model_name = ''
        then ${UNLOGGED_HOUR}::bigint else created_at - created_at % 86400 - ${UNLOGGED_SHIFT_S}::bigint end as day from charge) l
      join usage_rollups r on r.hour in (l.hour, l.day) and r.user_id = l.user_id and r.token_id = l.token_id
        and r.token_name = l.token_name and r.channel_id = l.channel_id and r.model_name = l.model_name
    where case when r.hour = l.day then r.username = '' and r."group" = ''
      else ${names ? sql`(r.username, r."group") = ${names}` : sql`true`} end
    order by (r.hour >= 0) ${sql.raw(names ? "desc" : "asc")}, r.quota desc limit 1`;

const isRollup = sql`(r.hour, r.user_id, r.username, r.token_id, r.token_name, r.channel_id, r.model_name, r."group")
      = (k.hour, k.user_id, k.username, k.token_id, k.token_name, k.channel_id, k.model_name, k."group")`;

function readOther(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
