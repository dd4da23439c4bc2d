import { eq, type SQL, sql } from "drizzle-orm";
import { statements } from "../../../../db/schema/billing/statements.ts";
import type { Db } from "../../../../db/types.ts";
import { monthAt } from "./month.ts";
import { type RawOrder, toOrder } from "./movements/read-movements.ts";
import { emptyContent, type IssueDeps, inSeries, writeDocument } from "./series.ts";

type Refund = RawOrder & { source: string; user_id: string; username: string };

const MONTH = (seconds: SQL) => sql`to_char(to_timestamp(${seconds}) at time zone 'utc', 'YYYY-MM')`;

/**
 * Issues a credit note, numbered in the series of all documents, for each payment of a plan that was paid back after the statement of
 * its month was due: what is paid back within the month stands on that statement. Returns how many were issued.
 */
export async function issueCreditNotes(
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
        -o.money, o.currency, -o.quota, -o.tax, o.tax_rate, o.tax_country, o.reverse_charge_tax_id
      from top_up_orders o join plan_purchases b on b.order_id = o.id where o.refunded_time > 0
    )
    select f.source, f.user_id::text as user_id, s.username, f.trade_no, f.refunded::text as time, f.money::text as money,
      f.currency, f.quota::text as quota, f.tax::text as tax, trim_scale(f.tax_rate)::text as rate, f.tax_country as country,
      f.reverse_charge_tax_id as tax_id, 'refund' as kind
    from refunds f join statements s on s.user_id = f.user_id and s.kind = 'statement' and s.month = ${MONTH(sql`f.paid`)}
    where ${MONTH(sql`f.refunded`)} > s.month and not exists (select 1 from statements n where n.source = f.source)
    order by f.refunded, f.source`);
  return [...rows];
}
