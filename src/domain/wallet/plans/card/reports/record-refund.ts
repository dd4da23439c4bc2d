import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { requireRow } from "../../../../../../db/require-row.ts";
import {
  paymentCases,
  planOrders,
  planPayments,
  planRefunds,
} from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../../db/types.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import { partOf } from "../../../payments/refund-parts.ts";

/** What a service paid back of a payment for a plan. */
export type PlanRefund = Readonly<{
  /** The service's number of the payment, and of what it reports. */
  invoiceNo: string;
  reference: string;
  kind: "refund" | "dispute";
  /** In the currency's smallest coin: what this report paid back or, with `isTotal`, all that was paid back so far. */
  units: number;
  isTotal: boolean;
  currency: string;
  now: number;
}>;

/**
 * Records what a service paid back, once for each reference, in any order, with the share of the tax in it; a credit note is issued for
 * it (`issueCreditNotes`). What does not fit the payment, because it is in another currency or more than was paid, is not recorded:
 * it is left to the payment reports. Returns whether it was recorded.
 */
export const recordRefund = (db: Db, refund: PlanRefund): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { invoiceNo, reference, kind, units, isTotal, now } = refund;
    const [found] = await tx
      .select({ payment: planPayments, order: planOrders })
      .from(planPayments)
      .innerJoin(planOrders, eq(planOrders.id, planPayments.orderId))
      .where(eq(planPayments.invoiceNo, invoiceNo))
      .for("update", { of: planPayments });
    if (!found || found.payment.isTrial || found.order.currency !== refund.currency.toUpperCase()) return false;
    const { payment, order } = found;
    const due = payment.isDiscounted
      ? { money: order.firstMoney ?? "0", tax: order.firstTax ?? "0" }
      : { money: order.money, tax: order.tax };
    const sums = requireRow(
      await tx
        .select({
          money: sql<string>`coalesce(sum(${planRefunds.money}), 0)`,
          tax: sql<string>`coalesce(sum(${planRefunds.tax}), 0)`,
        })
        .from(planRefunds)
        .where(eq(planRefunds.paymentId, payment.id)),
    );
    const part = partOf({ units, isTotal }, due, sums, order.currency);
    if (!part) return false;
    const rows = await tx
      .insert(planRefunds)
      .values({ paymentId: payment.id, reference, kind, refundedAt: now, ...part })
      .onConflictDoNothing()
      .returning({ id: planRefunds.id });
    return rows.length > 0;
  });

/**
 * Joins reports that came before the payment they are about to it, now that it is recorded, and records what was paid back. Of one
 * payment (`invoiceNo`), or all payments of an order. Doing it again changes nothing.
 */
export async function joinWaitingRefunds(
  db: Db,
  of: Readonly<{ invoiceNo: string } | { orderId: number }>,
): Promise<void> {
  const isOf = "invoiceNo" in of ? eq(planPayments.invoiceNo, of.invoiceNo) : eq(planPayments.orderId, of.orderId);
  const waiting = await db
    .select({ report: paymentCases, payment: planPayments, order: planOrders })
    .from(paymentCases)
    .innerJoin(planPayments, eq(planPayments.invoiceNo, paymentCases.paymentNo))
    .innerJoin(planOrders, eq(planOrders.id, planPayments.orderId))
    .where(and(isOf, isNull(paymentCases.userId), ne(paymentCases.paymentNo, "")));
  for (const { report, payment, order } of waiting) {
    const { id, kind, reference, money, currency, createdAt, isPaidBack } = report;
    if (isPaidBack && (kind === "refund" || kind === "dispute")) {
      await recordRefund(db, {
        ...{ invoiceNo: payment.invoiceNo, reference: `${order.service}/${kind}/${reference}`, kind, isTotal: false },
        ...{ units: smallestUnits(money, currency), currency, now: Math.max(createdAt, payment.paidAt) },
      });
    }
    const { userId, tradeNo } = order;
    await db.update(paymentCases).set({ userId, tradeNo }).where(eq(paymentCases.id, id));
  }
}
