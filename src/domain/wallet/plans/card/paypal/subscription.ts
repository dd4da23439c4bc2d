import { eq } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../../formats/json.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import { amountOf, callPaypal, linkOf, type PaypalResponse, reasonOf } from "../../../payments/direct/paypal/client.ts";
import { PaymentServiceError } from "../../../payments/direct/service.ts";
import { periodEnd } from "../../periods.ts";
import type { Plan } from "../../plan-account.ts";
import { findAnyPlan } from "../../subscribe.ts";
import type { Page, PlanOrder, ServiceDeps } from "../driver.ts";
import { endDuplicate, takePayment } from "../reports/apply-invoice.ts";
import { applyCardState } from "../reports/card-state.ts";
import { noteNext } from "../reports/open-changes.ts";
import { joinWaitingRefunds } from "../reports/record-refund.ts";
import { findPaidOrder, listOrdersOf, settlePaypalChanges } from "./settle-paypal.ts";

/** A payment of a subscription; `paidAt` in epoch seconds, `money` decimal text. */
export type Sale = Readonly<{ id: string; paidAt: number; money: string; currency: string }>;

const DAY_S = 86_400;
/** More than passes between two looks at a subscription. */
const LOOK_BACK_S = 90 * DAY_S;
/** The longest periods that PayPal takes (https://developer.paypal.com/docs/api/subscriptions/v1/#plans_create). */
const LONGEST = { day: 365, week: 52, month: 12, year: 1 } as const;

/**
 * Opens a page of PayPal to approve a subscription on: with a plan of PayPal's for the order, so that what it costs there is what
 * was ordered (https://developer.paypal.com/docs/subscriptions/). `startsAt`: when it charges its first period, epoch seconds in the
 * future (`start_time`, https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_create); absent: once it is approved.
 * Throws OperationError and PaymentServiceError.
 */
export async function openPaypalPage(
  deps: ServiceDeps,
  { order, plan, site, startsAt }: Readonly<{ order: PlanOrder; plan: Plan; site: string; startsAt?: number }>,
): Promise<Page> {
  const { tradeNo } = order;
  const longest = LONGEST[plan.period];
  if (plan.periodCount > longest) throw new OperationError("plan_paypal_period", { max: longest });
  const productNo = await findProduct(deps, plan);
  const planNo = await createPaypalPlan(deps, { order, plan, productNo });
  const back = `${site}/topup?list=plans`;
  const { status, body } = await callPaypal(deps, "POST", "/v1/billing/subscriptions", {
    requestId: tradeNo,
    body: {
      ...{ plan_id: planNo.id, custom_id: tradeNo },
      ...(startsAt !== undefined && { start_time: new Date(startsAt * 1000).toISOString() }),
      application_context: {
        ...{ user_action: "SUBSCRIBE_NOW", shipping_preference: "NO_SHIPPING", return_url: back, cancel_url: back },
      },
    },
  });
  const url = linkOf(body, ["approve"]);
  const sessionNo = textOf(body.id);
  if (url === null || !sessionNo) throw new PaymentServiceError(`no subscription: ${status} ${reasonOf(body)}`);
  return { sessionNo, url };
}

const nameOf = ({ settings }: ServiceDeps, plan: Plan): string =>
  `${settings.get("SystemName")} ${plan.name}`.slice(0, 127);

/**
 * Creates PayPal's plan for an order, below a product of PayPal's; one that changes a subscription has no trial. Throws
 * PaymentServiceError.
 */
export function createPaypalPlan(
  deps: ServiceDeps,
  { order, plan, productNo }: Readonly<{ order: PlanOrder; plan: Plan; productNo: string }>,
): Promise<Readonly<{ id: string }>> {
  const { tradeNo, money, firstMoney, currency, replacesId } = order;
  const trialDays = replacesId === null ? order.trialDays : 0;
  const interval = (unit: string, count: number) => ({ interval_unit: unit, interval_count: count });
  const priced = (amount: string) => ({
    frequency: interval(plan.period.toUpperCase(), plan.periodCount),
    pricing_scheme: { fixed_price: amountOf(amount, currency) },
  });
  const cycles = [
    ...(trialDays > 0 ? [{ tenure_type: "TRIAL", total_cycles: 1, frequency: interval("DAY", trialDays) }] : []),
    ...(firstMoney === null ? [] : [{ tenure_type: "TRIAL", total_cycles: 1, ...priced(firstMoney) }]),
    { tenure_type: "REGULAR", total_cycles: 0, ...priced(money) },
  ];
  return create(deps, "/v1/billing/plans", `${tradeNo}P`, {
    ...{ product_id: productNo, name: nameOf(deps, plan), status: "ACTIVE" },
    billing_cycles: cycles.map((cycle, index) => ({ ...cycle, sequence: index + 1 })),
    // What was not paid is not added to the next period: its amount would be another than was ordered.
    payment_preferences: { auto_bill_outstanding: false, payment_failure_threshold: 1 },
  });
}

/** PayPal's product of a plan of ours; plans belong to one. */
async function findProduct(deps: ServiceDeps, plan: Plan): Promise<string> {
  const id = `SLUICE-PLAN-${plan.id}`;
  const { status } = await callPaypal(deps, "GET", `/v1/catalogs/products/${id}`);
  if (status === 200) return id;
  const name = nameOf(deps, plan);
  const product = await create(deps, "/v1/catalogs/products", id, { id, name, type: "SERVICE", category: "SOFTWARE" });
  return product.id;
}

async function create(deps: ServiceDeps, path: string, requestId: string, body: object): Promise<{ id: string }> {
  const response = await callPaypal(deps, "POST", path, { requestId, body });
  const id = textOf(response.body.id);
  if (response.status >= 300 || !id) throw refusal(path, response);
  return { id };
}

const refusal = (path: string, { status, body }: PaypalResponse) =>
  new PaymentServiceError(`${path} was answered with ${status} ${reasonOf(body)}`);

/**
 * Asks PayPal for a subscription and its payments, and applies them: each once, in any order. `reported`: a payment that a
 * notification names and PayPal's list may lack yet. Throws PaymentServiceError.
 */
export async function lookUpPaypal(deps: ServiceDeps, order: PlanOrder, now: number, reported?: Sale): Promise<void> {
  // It was never opened.
  if (order.sessionNo === "") return;
  const path = subscriptionPath(order);
  const found = await callPaypal(deps, "GET", path);
  // PayPal forgets what nobody approved.
  if (found.status === 404) return;
  if (found.status !== 200) throw refusal(path, found);
  const { status } = found.body;
  if (status === "APPROVAL_PENDING" || status === "APPROVED") return;
  const plan = await findAnyPlan(deps.db, order.planId);
  if (!plan) return;
  const startedAt = secondsOf(found.body.start_time) ?? order.createdAt;
  const paidFrom = startedAt + order.trialDays * DAY_S;
  const orders = await listOrdersOf(deps.db, order);
  // PayPal sends back the number of the order that began it.
  const tradeNo = orders[0]?.tradeNo ?? order.tradeNo;
  const [first] = orders;
  if (first && status === "ACTIVE") await takePlace(deps, first, now);
  const base = { tradeNo, subscriptionNo: order.sessionNo, customerNo: "", priceNo: "" };
  const cancel = () => cancelAtPaypal(deps, order);
  if (order.trialDays > 0 && status === "ACTIVE" && paidFrom > now) {
    // Of an account that had the plan meanwhile it is a duplicate; a trial that is over begins nothing.
    const trial = { paidUnits: 0, currency: order.currency, periodStart: startedAt, periodEnd: paidFrom };
    await takePayment(deps, { ...base, invoiceNo: `${order.sessionNo}/trial`, ...trial }, now, cancel);
  }
  await settlePaypalChanges(deps.db, orders, textOf(found.body.plan_id), now);
  const listed = await listSales(deps, order, now);
  const sales = reported && !listed.some(({ id }) => id === reported.id) ? [...listed, reported] : listed;
  for (const { id, paidAt, money, currency } of sales.toSorted((a, b) => a.paidAt - b.paidAt)) {
    const period = paidPeriod(plan, paidFrom, paidAt);
    const paid = await findPaidOrder(deps.db, orders, { id, money, currency, ...period });
    const payment = { paidUnits: smallestUnits(money, currency), currency, priceNo: paid?.priceNo ?? "" };
    await takePayment(deps, { ...base, ...payment, ...period, invoiceNo: id }, now, cancel);
  }
  const duplicate = [order, first].find((one) => one?.status === "duplicate");
  if (duplicate) await endDuplicate(deps, duplicate.tradeNo, cancel);
  for (const { id: orderId } of orders) await joinWaitingRefunds(deps.db, { orderId });
  await applyCardState(deps, {
    ...{ tradeNo, subscriptionNo: order.sessionNo },
    reportedAt: secondsOf(found.body.status_update_time) ?? now,
    isCanceled: false,
    hasEnded: status === "CANCELLED" || status === "EXPIRED",
    isPaused: status === "SUSPENDED",
  });
}

/**
 * A subscription of its own that an account approved to change to a plan with periods of another length: the one before is not renewed
 * any more, and the other plan follows it. Throws PaymentServiceError: nothing is agreed yet.
 */
async function takePlace(deps: ServiceDeps, order: PlanOrder, now: number): Promise<void> {
  if (order.replacesId === null || (order.status !== "pending" && order.status !== "ended")) return;
  const [replaced] = await deps.db.select().from(planOrders).where(eq(planOrders.id, order.replacesId));
  if (replaced?.status === "active") await cancelAtPaypal(deps, replaced);
  await noteNext(deps.db, order);
  if (replaced) await lookUpPaypal(deps, replaced, now);
}

/**
 * The period that a payment at `paidAt` is for: the one whose beginning is nearest, since PayPal charges some hours early, or days
 * late after a failure. Periods follow each other from `from`; epoch seconds.
 */
export function paidPeriod(
  { period, periodCount }: Pick<Plan, "period" | "periodCount">,
  from: number,
  paidAt: number,
): Readonly<{ periodStart: number; periodEnd: number }> {
  let count = 0;
  const begin = (index: number) => (index === 0 ? from : periodEnd(from, period, periodCount * index));
  while (Math.abs(begin(count + 1) - paidAt) < Math.abs(begin(count) - paidAt)) count++;
  return { periodStart: begin(count), periodEnd: begin(count + 1) };
}

/** Payments of a subscription that were completed and not refunded since. */
async function listSales(deps: ServiceDeps, order: PlanOrder, now: number): Promise<readonly Sale[]> {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  const range = new URLSearchParams({
    start_time: iso(Math.max(order.createdAt - DAY_S, now - LOOK_BACK_S)),
    end_time: iso(now + DAY_S),
  });
  const path = `${subscriptionPath(order)}/transactions?${range}`;
  const response = await callPaypal(deps, "GET", path);
  if (response.status !== 200) throw refusal(path, response);
  return recordsOf(response.body.transactions).flatMap((transaction) => {
    const { value, currency_code: currency } =
      recordOf(recordOf(transaction.amount_with_breakdown)?.gross_amount) ?? {};
    const isPaid = transaction.status === "COMPLETED" || transaction.status === "PARTIALLY_REFUNDED";
    return isPaid ? readSale({ id: transaction.id, time: transaction.time, value, currency }) : [];
  });
}

/** A payment from its fields; none where one is missing. */
export function readSale({ id, time, value, currency }: JsonObject): Sale[] {
  const paidAt = secondsOf(time);
  if (typeof id !== "string" || paidAt === null || typeof value !== "string" || typeof currency !== "string") return [];
  return [{ id, paidAt, money: value, currency }];
}

/** Ends a subscription at PayPal, for good; one that has ended stays so. Throws PaymentServiceError. */
export async function cancelAtPaypal(deps: ServiceDeps, order: PlanOrder): Promise<void> {
  const path = `${subscriptionPath(order)}/cancel`;
  const canceled = await callPaypal(deps, "POST", path, { body: { reason: "Canceled" } });
  if (canceled.status < 300) return;
  const { body } = await callPaypal(deps, "GET", subscriptionPath(order));
  if (body.status !== "CANCELLED" && body.status !== "EXPIRED") throw refusal(path, canceled);
}

/** The path of a subscription in PayPal's API. */
export const subscriptionPath = ({ sessionNo }: PlanOrder): string =>
  `/v1/billing/subscriptions/${encodeURIComponent(sessionNo)}`;

/** Epoch seconds of a time in RFC 3339; null: it is none. */
function secondsOf(time: unknown): number | null {
  const ms = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isFinite(ms) ? Math.floor(ms / 1000) : null;
}
