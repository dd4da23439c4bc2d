import { and, asc, eq } from "drizzle-orm";
import { planOrders, planPayments } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../../formats/json.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { openCase } from "../../../payments/cases.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import type { PlanOrder, ServiceDeps } from "../driver.ts";
import { joinWaitingRefunds, recordRefund } from "../reports/record-refund.ts";
import { lookUpPaypal, readSale } from "./subscription.ts";

/**
 * Handles what PayPal reports of plans; its signature is verified. What is reported is looked up at PayPal, so that the newest state
 * counts in whatever order reports come. Other events are none of ours. Throws PaymentServiceError: PayPal shall report it again.
 */
export async function handlePaypalPlanEvent(
  deps: ServiceDeps,
  type: string,
  resource: JsonObject,
  now = nowSeconds(),
): Promise<void> {
  if (type.startsWith("BILLING.SUBSCRIPTION.")) {
    const order = await findOrder(deps, textOf(resource.id));
    if (order) await lookUpPaypal(deps, order, now);
    return;
  }
  const { total: value, currency } = recordOf(resource.amount) ?? {};
  switch (type) {
    case "PAYMENT.SALE.COMPLETED": {
      const order = await findOrder(deps, textOf(resource.billing_agreement_id));
      const [sale] = readSale({ id: resource.id, time: resource.create_time, value, currency });
      if (order) await lookUpPaypal(deps, order, now, sale);
      return;
    }
    case "PAYMENT.SALE.REFUNDED":
    case "PAYMENT.SALE.REVERSED": {
      const kind = type === "PAYMENT.SALE.REFUNDED" ? "refund" : "dispute";
      return report(
        deps,
        kind,
        textOf(resource.sale_id) ?? textOf(resource.id),
        { id: resource.id, value, currency },
        now,
        // A refund may be pending, and fail.
        { isPaidBack: resource.state === undefined || resource.state === "completed", mayWait: true },
      );
    }
    case "CUSTOMER.DISPUTE.CREATED": {
      const [transaction] = recordsOf(resource.disputed_transactions);
      const { value: money, currency_code: code } = recordOf(resource.dispute_amount) ?? {};
      const about = { id: resource.dispute_id, value: money, currency: code };
      return report(deps, "dispute", textOf(transaction?.seller_transaction_id), about, now, {
        isPaidBack: false,
        mayWait: false,
      });
    }
  }
}

/** ISO 4217's code where there is none. */
const NO_CURRENCY = "XXX";

async function findOrder({ db }: ServiceDeps, subscriptionNo: string | null): Promise<PlanOrder | undefined> {
  if (!subscriptionNo) return undefined;
  const isOurs = and(eq(planOrders.sessionNo, subscriptionNo), eq(planOrders.service, "paypal"));
  // The first began it; others changed its plan.
  const [order] = await db.select().from(planOrders).where(isOurs).orderBy(asc(planOrders.id)).limit(1);
  return order;
}

/**
 * Puts a refund or dispute of a plan's payment into the queue, once, and records what was paid back. One that comes before its payment
 * waits in the queue without an account (`mayWait`); a merchant's account may also sell other things.
 */
async function report(
  { db }: ServiceDeps,
  kind: "refund" | "dispute",
  saleNo: string | null,
  { id, value, currency }: JsonObject,
  now: number,
  { isPaidBack, mayWait }: Readonly<{ isPaidBack: boolean; mayWait: boolean }>,
): Promise<void> {
  const [found] = await db
    .select({ order: planOrders })
    .from(planPayments)
    .innerJoin(planOrders, eq(planOrders.id, planPayments.orderId))
    .where(and(eq(planPayments.invoiceNo, saleNo ?? ""), eq(planOrders.service, "paypal")));
  if (!found) {
    const [money, code] = [textOf(value), textOf(currency)];
    const reference = textOf(id) ?? "";
    if (!mayWait || !saleNo || reference === "") return;
    const isKnown = money !== null && code !== null;
    await openCase(db, {
      ...{ kind, reference, order: null, now, currency: code ?? NO_CURRENCY },
      paidUnits: isKnown ? Math.abs(smallestUnits(money, code)) : 0,
      waiting: { paymentNo: saleNo, isPaidBack: isPaidBack && isKnown },
    });
    // It may have been recorded meanwhile.
    return joinWaitingRefunds(db, { invoiceNo: saleNo });
  }
  const { order } = found;
  const [money, code] = [textOf(value) ?? order.money, textOf(currency) ?? order.currency];
  // Refunds are reported with a minus by some of PayPal's versions.
  const paidUnits = Math.abs(smallestUnits(money, code));
  const reference = textOf(id) ?? saleNo ?? "";
  await openCase(db, { kind, reference, order, paidUnits, currency: code, now });
  // A dispute has moved no money yet, and without an amount nothing is known.
  if (!isPaidBack || textOf(value) === null) return;
  const refund = { invoiceNo: saleNo ?? "", reference: `paypal/${kind}/${reference}`, kind, isTotal: false };
  await recordRefund(db, { ...refund, units: paidUnits, currency: code, now });
}
