import { and, eq, gt, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders, planPayments } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { topUpOrders } from "../../../../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../../../../db/types.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import { openCase } from "../../../payments/cases.ts";
import { recordOrderRefund } from "../../../payments/record-order-refund.ts";
import { stripeClient } from "../../../payments/stripe.ts";
import type { StripePlanDeps } from "../driver.ts";
import { type PlanRefund, recordRefund } from "../reports/record-refund.ts";
import { applyReportedInvoice, applyReportedSubscription, numberOf } from "./subscription.ts";

/** What Stripe reports of plans, refunds and disputes; its signature is verified. Other events are none of ours. */
export async function handlePlanEvent(deps: StripePlanDeps, event: Stripe.Event, now = nowSeconds()): Promise<void> {
  switch (event.type) {
    case "invoice.paid":
      return applyReportedInvoice(deps, event.data.object, now);
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
      return applyReportedSubscription(deps, event.data.object, event.created);
    case "charge.refunded": {
      const { id, amount_refunded: paidUnits, currency, metadata } = event.data.object;
      // A charge can be refunded in parts: each sum is a report of its own.
      const reference = `${id}/${paidUnits}`;
      const refund = { reference: `stripe/${reference}`, kind: "refund" as const, units: paidUnits, isTotal: true };
      const paymentNo = numberOf(event.data.object.payment_intent);
      // Only top-ups carry a number of ours. It may make the payment known, whose customer leads to the order.
      if (!metadata.order) await recordAtInvoice(deps, paymentNo, { ...refund, currency, now });
      else if (await noteOwnRefund(deps.db, metadata.order, now)) return;
      const order = await findOrder(deps.db, event.data.object, metadata.order ?? "");
      await recordAtOrder(deps.db, metadata.order, { ...refund, currency, now });
      if (order) await openCase(deps.db, caseOf("refund", reference, order, paidUnits, currency, now));
      return;
    }
    case "charge.dispute.closed": {
      // A dispute that was won, or only inquired, moves no money.
      const { id, amount: units, currency, status, payment_intent: payment, charge } = event.data.object;
      if (status !== "lost") return;
      const refund = { reference: `stripe/${id}`, kind: "dispute" as const, units, isTotal: false, currency, now };
      const topUp = await findDisputed(deps, charge);
      if (topUp && (await recordAtOrder(deps.db, topUp.tradeNo, refund))) return;
      await recordAtInvoice(deps, numberOf(payment), refund);
      return;
    }
    case "charge.dispute.created": {
      const { id, amount, currency, charge } = event.data.object;
      await openCase(deps.db, caseOf("dispute", id, await findDisputed(deps, charge), amount, currency, now));
      return;
    }
  }
}

/**
 * Records what was paid back of the invoice that a payment intent paid (https://docs.stripe.com/api/invoice-payment). Throws what
 * Stripe's client throws: Stripe shall report it again.
 */
async function recordAtInvoice(
  deps: StripePlanDeps,
  paymentNo: string,
  refund: Omit<PlanRefund, "invoiceNo">,
): Promise<void> {
  if (paymentNo === "") return;
  const payment = { type: "payment_intent" as const, payment_intent: paymentNo };
  const stripe = await stripeClient(deps);
  const { data } = await stripe.invoicePayments.list({ payment, status: "paid" });
  const [paid, another] = data;
  // A payment that is split among invoices says nothing of either.
  if (!paid || another) return;
  const invoiceNo = numberOf(paid.invoice);
  const isOf = eq(planPayments.invoiceNo, invoiceNo);
  const [known] = await deps.db.select({ id: planPayments.id }).from(planPayments).where(isOf);
  // The payment's own report may be late, or lost.
  if (!known) await applyReportedInvoice(deps, await stripe.invoices.retrieve(invoiceNo), refund.now);
  await recordRefund(deps.db, { ...refund, invoiceNo });
}

/** Records what was paid back of a top-up. Returns whether it was one. */
async function recordAtOrder(
  db: Db,
  tradeNo: string | undefined,
  { reference, units, isTotal, currency, now }: Omit<PlanRefund, "invoiceNo">,
): Promise<boolean> {
  return tradeNo !== undefined && recordOrderRefund(db, { tradeNo, reference, units, isTotal, currency, now });
}

/** Notes that a refund which an administrator has begun here was paid. Returns false: none was. */
async function noteOwnRefund(db: Db, tradeNo: string, now: number): Promise<boolean> {
  const [begun] = await db
    .update(topUpOrders)
    .set({
      refundedTime: sql`case when ${topUpOrders.refundedTime} = 0 then ${now} else ${topUpOrders.refundedTime} end`,
    })
    .where(and(eq(topUpOrders.tradeNo, tradeNo), gt(topUpOrders.refundStartedTime, 0)))
    .returning({ id: topUpOrders.id });
  return begun !== undefined;
}

const caseOf = (
  kind: "refund" | "dispute",
  reference: string,
  order: Readonly<{ userId: number; tradeNo: string }> | null,
  paidUnits: number,
  currency: string,
  now: number,
) => ({ kind, reference, order, paidUnits, currency: currency.toUpperCase(), now });

/** The order of a disputed charge; null: it is none of ours, or Stripe could not be asked for it. */
async function findDisputed(deps: StripePlanDeps, charge: string | Stripe.Charge) {
  try {
    const found = typeof charge === "string" ? await (await stripeClient(deps)).charges.retrieve(charge) : charge;
    return await findOrder(deps.db, found, found.metadata.order ?? "");
  } catch (error) {
    deps.log.warn({ reason: messageOf(error) }, "a disputed charge could not be looked up");
    return null;
  }
}

/** The order of a charge: by our number, which top-ups carry, or by the customer of a plan. Null: it is none of ours. */
async function findOrder(db: Db, charge: Stripe.Charge, tradeNo: string) {
  const [topUp] = await db
    .select({ userId: topUpOrders.userId, tradeNo: topUpOrders.tradeNo })
    .from(topUpOrders)
    .where(eq(topUpOrders.tradeNo, tradeNo));
  const customerNo = numberOf(charge.customer);
  if (topUp || customerNo === "") return topUp ?? null;
  const [order] = await db.select().from(planOrders).where(eq(planOrders.customerNo, customerNo)).limit(1);
  return order ?? null;
}
