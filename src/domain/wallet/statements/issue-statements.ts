import { eq, type SQL, sql } from "drizzle-orm";
import { changesIn } from "../../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { statements } from "../../../../db/schema/wallet/statements.ts";
import { ownLogOf } from "../../../../db/server/log-database.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { computeStatement, type Month, monthAt, monthBefore, parseMonth } from "./compute-statement.ts";
import { FOREVER, hourOf, type RawOrder, rolledUpDuring, toOrder } from "./movements/read-movements.ts";
import { emptyContent, type IssueDeps, inSeries, writeDocument } from "./series.ts";

/** Charges of processes that were away at the month's end arrive within this time, mostly. */
const SETTLING_S = 24 * 3600;
/** Charges of older months are no longer compared with what was issued. */
const MONTHS_COMPARED = 6;

/**
 * Issues what is due: corrections of months whose charges have changed since, and the statement of last month for each
 * account whose balance changed in it, one day after its end; then credit notes of payments that were refunded since. Each document is a transaction of its own, so that an
 * interruption leaves no gap in the numbers. Returns how many were issued.
 */
export async function issueStatements(deps: IssueDeps, signal?: AbortSignal, now = nowSeconds()): Promise<number> {
  if (!deps.settings.get("StatementsEnabled")) return 0;
  let issued = 0;
  for (const { userId, month } of await findChangedMonths(deps.db, now)) {
    if (signal?.aborted) return issued;
    if (await issueCorrection(deps, userId, parseMonth(month), now)) issued++;
  }
  const month = monthBefore(monthAt(now - SETTLING_S));
  for (const userId of await findAccounts(deps.db, month)) {
    if (signal?.aborted) return issued;
    if (await issueStatement(deps, userId, month, now)) issued++;
  }
  return issued + (await issueCreditNotes(deps, signal, now));
}

/** Accounts whose balance changed in `month`, or that got money back, and that have no statement for it. */
async function findAccounts(db: Db, month: Month): Promise<number[]> {
  const during = (column: SQL) => sql`${column} >= ${month.from} and ${column} < ${month.until}`;
  const rows = await db.execute<{ id: number }>(sql`
    with management as (select * from logs l where l.type = 3 and ${during(sql`l.created_at`)})
    select u.id from users u join (
      select r.user_id from usage_rollups r where ${rolledUpDuring(sql`r.hour`, month)}
      union select l.user_id from logs l where l.type in (1, 4, 5) and l.quota <> 0 and ${during(sql`l.created_at`)}
      union select o.user_id from top_up_orders o where o.status = 'success' and ${during(sql`o.completed_time`)}
      union select o.user_id from top_up_orders o where ${during(sql`o.refunded_time`)}
      union select o.user_id from order_refunds r join top_up_orders o on o.id = r.order_id where ${during(sql`r.refunded_at`)}
      union select p.user_id from plan_refunds r join plan_payments x on x.id = r.payment_id
        join plan_orders p on p.id = x.order_id where ${during(sql`r.refunded_at`)}
      union select c.user_id from (${changesIn(sql`management`)}) c
    ) moved on moved.user_id = u.id
    where not exists (select 1 from statements s
      where s.user_id = u.id and s.month = ${month.name} and s.kind = 'statement')
    order by u.id`);
  return [...rows].map(({ id }) => Number(id));
}

/** Months of accounts whose charges are no longer what their documents say together. */
async function findChangedMonths(db: Db, now: number): Promise<{ userId: number; month: string }[]> {
  const earliest = monthAt(now - MONTHS_COMPARED * 31 * 24 * 3600);
  const rows = await db.execute<{ user_id: number; month: string }>(sql`
    with documented as (
      select user_id, month, sum(charged) as charged from statements
      where month >= ${earliest.name} and kind <> 'credit_note' group by 1, 2
    ),
    rolled_up as (
      select user_id, to_char(to_timestamp(${hourOf(sql`hour`)}) at time zone 'utc', 'YYYY-MM') as month, sum(quota) as charged
      from usage_rollups where ${rolledUpDuring(sql`hour`, { from: earliest.from, until: FOREVER })} group by 1, 2
    )
    select d.user_id, d.month from documented d left join rolled_up r using (user_id, month)
    where d.charged <> coalesce(r.charged, 0) order by d.month, d.user_id`);
  return [...rows].map(({ user_id: userId, month }) => ({ userId: Number(userId), month }));
}

/** Issues the statement of a month for an account, unless it was before. Returns whether it did. */
const issueStatement = ({ db, settings }: IssueDeps, userId: number, month: Month, now: number): Promise<boolean> =>
  inSeries(db, async (tx) => {
    const [issued] = await tx.execute(sql`
      select 1 from statements where user_id = ${userId} and month = ${month.name} and kind = 'statement'`);
    if (issued) return false;
    await correct(tx, settings, userId, month, now);
    const draft = await computeStatement(tx, settings, userId, month, ownLogOf(db) ?? tx);
    await writeDocument(tx, settings, "statement", draft, now);
    return true;
  });

const issueCorrection = ({ db, settings }: IssueDeps, userId: number, month: Month, now: number): Promise<boolean> =>
  inSeries(db, async (tx) => writeCorrection(tx, settings, userId, month.name, now));

/** Corrects all earlier months of an account first: a statement opens with what came of them. */
async function correct(tx: Tx, settings: SettingsReader, userId: number, before: Month, now: number): Promise<void> {
  const months = await tx.execute<{ month: string }>(sql`
    select distinct month from statements where user_id = ${userId} and month < ${before.name} and kind <> 'credit_note'
    order by month desc
    limit ${MONTHS_COMPARED}`);
  for (const { month } of [...months].reverse()) await writeCorrection(tx, settings, userId, month, now);
}

/** Writes what the charges of an issued month are now, less what was documented, where that differs. */
async function writeCorrection(
  tx: Tx,
  settings: SettingsReader,
  userId: number,
  name: string,
  now: number,
): Promise<boolean> {
  const documented = requireRow(
    await tx.execute<{ username: string | null; changed: string }>(sql`
      select max(s.username) as username, ((select coalesce(sum(r.quota), 0) from usage_rollups r
          where r.user_id = ${userId} and ${rolledUpDuring(sql`r.hour`, parseMonth(name))}) - coalesce(sum(s.charged), 0))::text
        as changed
      from statements s where s.user_id = ${userId} and s.month = ${name} and s.kind <> 'credit_note'`),
  );
  const { username } = documented;
  const charged = Number(documented.changed);
  if (username === null || charged === 0) return false;
  const content = await emptyContent(tx, settings, userId, username);
  const sums = { opening: 0, closing: -charged, credited: 0, charged };
  await writeDocument(tx, settings, "correction", { userId, username, month: name, ...sums, content }, now);
  return true;
}

type Refund = RawOrder & { source: string; user_id: string; username: string };

const MONTH = (seconds: SQL) => sql`to_char(to_timestamp(${seconds}) at time zone 'utc', 'YYYY-MM')`;

/**
 * Issues a credit note, numbered in the series of all documents, for each payment of a plan that was paid back after the statement of
 * its month was due: what is paid back within the month stands on that statement. Returns how many were issued.
 */
async function issueCreditNotes(
  { db, settings }: IssueDeps,
  signal: AbortSignal | undefined,
  now: number,
): Promise<number> {
  let issued = 0;
  for (const refund of await findRefunds(db)) {
    if (signal?.aborted) break;
    const { source, user_id, username } = refund;
    const userId = Number(user_id);
    const isNew = await inSeries(db, async (tx) => {
      const [present] = await tx.select({ id: statements.id }).from(statements).where(eq(statements.source, source));
      if (present) return false;
      const order = toOrder(refund);
      const content = { ...(await emptyContent(tx, settings, userId, username)), orders: [order] };
      const sums = { opening: 0, closing: 0, credited: 0, charged: 0 };
      const draft = { userId, username, month: monthAt(order.time).name, ...sums, content };
      await writeDocument(tx, settings, "credit_note", draft, now, source);
      return true;
    });
    if (isNew) issued++;
  }
  return issued;
}

/** What was paid back by services, and of orders for single periods, and has no credit note yet; oldest first. */
async function findRefunds(db: Db): Promise<Refund[]> {
  const rows = await db.execute<Refund>(sql`
    with refunds as (
      select 'plan_refund/' || r.id as source, o.user_id, x.invoice_no as trade_no, r.refunded_at as refunded, x.paid_at as paid,
        -r.money as money, o.currency, 0::bigint as quota, -r.tax as tax, o.tax_rate, o.tax_country, o.reverse_charge_tax_id
      from plan_refunds r join plan_payments x on x.id = r.payment_id join plan_orders o on o.id = x.order_id
      union all
      select 'order/' || o.trade_no, o.user_id, o.trade_no, o.refunded_time, o.completed_time,
        back.money - o.money, o.currency, -o.quota, back.tax - o.tax, o.tax_rate, o.tax_country, o.reverse_charge_tax_id
      from top_up_orders o join plan_purchases b on b.order_id = o.id,
        lateral (select coalesce(sum(r.money), 0) as money, coalesce(sum(r.tax), 0) as tax from order_refunds r
          where r.order_id = o.id) back
      where o.refunded_time > 0
      union all
      select 'order_refund/' || r.id, o.user_id, o.trade_no, r.refunded_at, o.completed_time,
        -r.money, o.currency, 0, -r.tax, o.tax_rate, o.tax_country, o.reverse_charge_tax_id
      from order_refunds r join top_up_orders o on o.id = r.order_id join plan_purchases b on b.order_id = o.id
    )
    select f.source, f.user_id::text as user_id, s.username, f.trade_no, f.refunded::text as time, f.money::text as money,
      f.currency, f.quota::text as quota, f.tax::text as tax, trim_scale(f.tax_rate)::text as rate, f.tax_country as country,
      f.reverse_charge_tax_id as tax_id, 'refund' as kind
    from refunds f join statements s on s.user_id = f.user_id and s.kind = 'statement' and s.month = ${MONTH(sql`f.paid`)}
    where ${MONTH(sql`f.refunded`)} > s.month and not exists (select 1 from statements n where n.source = f.source)
    order by f.refunded, f.source`);
  return [...rows];
}
