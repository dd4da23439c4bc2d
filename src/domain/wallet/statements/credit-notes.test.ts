import { afterAll, beforeAll, expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { planOrders, planPayments, planPurchases } from "../../../../db/schema/wallet/plans/plan-orders.ts";
import { statements } from "../../../../db/schema/wallet/statements.ts";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import { addUser } from "../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../test/support/billing/start-card-plans.ts";
import { checkBooks } from "../../../billing/check-ledger/check-ledger.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { startCardPlan } from "../plans/card/checkout.ts";
import { handlePaypalPlanEvent } from "../plans/card/paypal/events.ts";
import { handlePlanEvent } from "../plans/card/stripe/events.ts";
import { monthAt } from "./compute-statement.ts";
import { issueStatements } from "./issue-statements.ts";
import { renderCsv } from "./render/render-csv.ts";
import { renderPdf } from "./render/render-pdf.ts";

const DAY_S = 86_400;
const START = nowSeconds();
const MONTH = monthAt(START);
const NEXT = monthAt(MONTH.until);
/** When the statement of the month of the payments, and of the next, is issued. */
const [DUE, DUE_NEXT] = [MONTH.until + DAY_S + 60, NEXT.until + DAY_S + 60];

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
let planId: number;
beforeAll(async () => {
  started = await startCardPlans({
    ...{
      StripePrice: "1.1",
      StripeCurrency: "eur",
      TaxRates: '{"DE":19}',
      TaxCountry: "DE",
      StatementNumberPrefix: "R-",
    },
  });
  ({ database, stripe, deps } = started);
  planId = await started.offer({ name: "Pro", price: 5_000_000 });
});
afterAll(async () => {
  await started.stop();
});

const issue = (now: number) => issueStatements(deps, undefined, now);
const notesOf = async (userId: number) => {
  const rows = await database.db
    .select()
    .from(statements)
    .where(eq(statements.userId, userId))
    .orderBy(asc(statements.id));
  return rows.filter(({ kind }) => kind === "credit_note");
};
const moneyOf = (notes: Awaited<ReturnType<typeof notesOf>>) =>
  notes.flatMap(({ content }) => content.orders.map(({ money, tax }) => [money, tax?.amount]));
/** An account that paid 13.09 EUR, 2.09 of it tax, by card in `MONTH`. */
async function payByCard() {
  const userId = await addUser(database.sql, 0);
  await startCardPlan(deps, { id: userId, group: "default" }, { planId, site: "https://gateway.test" }, START);
  const [order] = await database.db.select().from(planOrders).where(eq(planOrders.userId, userId));
  if (!order) throw new Error("there is no order");
  stripe.checkOut(order.tradeNo, START);
  for (const event of stripe.events.splice(0)) await handlePlanEvent(deps, event, START);
  const invoiceNo = stripe.invoices.at(-1)?.id ?? "";
  const charge = (refunded: number) => ({
    ...{ id: `ch_${invoiceNo}`, object: "charge", customer: stripe.customerOf(order.tradeNo), currency: "eur" },
    ...{ amount_refunded: refunded, metadata: {}, payment_intent: stripe.paymentNoOf(invoiceNo) },
  });
  return { userId, invoiceNo, charge };
}

test("refunds by card become credit notes once, in any order and however often reported; their sums are exact", async () => {
  const { userId, invoiceNo, charge } = await payByCard();
  await issue(DUE);
  const at = MONTH.until + 2 * DAY_S;
  for (const cents of [500, 777]) stripe.emit("charge.refunded", charge(cents), at);
  const events = stripe.events.splice(0);
  await Promise.all(
    [1, 2, 3].map(async () => {
      for (const event of events) await handlePlanEvent(deps, event, at);
    }),
  );
  stripe.emit("charge.refunded", charge(1309), at);
  // Reported late: less than what is known by now.
  for (const event of [...stripe.events.splice(0), ...events.toReversed()]) await handlePlanEvent(deps, event, at);
  await Promise.all([1, 2, 3].map(() => issue(at)));
  const notes = await notesOf(userId);
  expect(moneyOf(notes)).toEqual([
    ["-5.00", "-0.80"],
    ["-2.77", "-0.44"],
    ["-5.32", "-0.85"],
  ]);
  expect(notes).toMatchObject(notes.map(() => ({ month: NEXT.name, opening: 0, closing: 0, credited: 0, charged: 0 })));
  // Numbers have no gaps.
  const all = await database.db.select().from(statements).orderBy(asc(statements.serial));
  expect(all.map(({ serial }) => serial)).toEqual(all.map((_, index) => index + 1));
  // The statement of the month in which it was paid back lists it too.
  await issue(DUE_NEXT);
  const [statement] = await database.db
    .select()
    .from(statements)
    .where(eq(statements.userId, userId))
    .then((rows) => rows.filter(({ kind, month }) => kind === "statement" && month === NEXT.name));
  expect(statement?.content.orders).toMatchObject(
    ["-2.77", "-5.00", "-5.32"].map((money) => ({ tradeNo: invoiceNo, money, isRefund: true })),
  );
  expect((await checkBooks(database.db, "statements", 0, START)).wrong).toEqual([]);
  const [note] = notes;
  if (!note) throw new Error("there is no credit note");
  const csv = await new Response(renderCsv(note, "en")).text();
  expect(csv).toContain("Credit note");
  expect(csv).toContain("-5.00");
  expect(csv).not.toContain("Opening balance");
  expect((await renderPdf(note, "en", null)).length).toBeGreaterThan(1000);
});

test("a refund by card that is reported before its payment brings the payment with it", async () => {
  const userId = await addUser(database.sql, 0);
  await startCardPlan(deps, { id: userId, group: "default" }, { planId, site: "https://gateway.test" }, START);
  const [order] = await database.db.select().from(planOrders).where(eq(planOrders.userId, userId));
  stripe.checkOut(order?.tradeNo ?? "", START);
  const payment = stripe.events.splice(0);
  const invoiceNo = stripe.invoices.at(-1)?.id ?? "";
  const refund = {
    ...{ id: `ch_${invoiceNo}`, object: "charge", customer: stripe.customerOf(order?.tradeNo ?? ""), currency: "eur" },
    ...{ amount_refunded: 309, metadata: {}, payment_intent: stripe.paymentNoOf(invoiceNo) },
  };
  stripe.emit("charge.refunded", refund, START);
  const [report] = stripe.events.splice(0);
  for (const event of [report, ...payment]) if (event) await handlePlanEvent(deps, event, START);
  const rows = await database.sql<{ money: string; tax: string }[]>`
    select r.money, r.tax from plan_refunds r join plan_payments p on p.id = r.payment_id where p.invoice_no = ${invoiceNo}`;
  expect([...rows]).toEqual([{ money: "3.09", tax: "0.49" }]);
});

test("a lost dispute is paid back; an open one, a won one and another payment of the customer are not", async () => {
  const { userId, invoiceNo, charge } = await payByCard();
  await issue(DUE);
  const at = MONTH.until + 2 * DAY_S;
  const dispute = { object: "dispute", amount: 1309, currency: "eur", payment_intent: stripe.paymentNoOf(invoiceNo) };
  stripe.emit("charge.dispute.created", { ...dispute, id: "dp_1", status: "needs_response" }, at);
  stripe.emit("charge.dispute.closed", { ...dispute, id: "dp_1", status: "won" }, at);
  stripe.emit("charge.refunded", { ...charge(300), payment_intent: "pi_of_another_sale" }, at);
  for (const event of stripe.events.splice(0)) await handlePlanEvent(deps, event, at);
  await issue(at);
  expect(await notesOf(userId)).toEqual([]);
  for (const _ of [1, 2]) stripe.emit("charge.dispute.closed", { ...dispute, id: "dp_2", status: "lost" }, at);
  // More than was paid cannot be paid back.
  stripe.emit("charge.dispute.closed", { ...dispute, id: "dp_3", status: "lost" }, at);
  for (const event of stripe.events.splice(0)) await handlePlanEvent(deps, event, at);
  await issue(at);
  expect(moneyOf(await notesOf(userId))).toEqual([["-13.09", "-2.09"]]);
});

test("PayPal's refunds count each for itself; what is paid back within the month stands on its statement alone", async () => {
  const userId = await addUser(database.sql, 500);
  const { db } = database;
  await database.sql`insert into logs (created_at, type, user_id, content, quota) values (${START}, 4, ${userId}, 'Quota for a new user', 500)`;
  const [order] = await db
    .insert(planOrders)
    .values({
      ...{ tradeNo: `PLAN${userId}`, userId, service: "paypal", planId, money: "11.90", currency: "EUR", tax: "1.90" },
      ...{ taxRate: "19", taxCountry: "DE", status: "active", createdAt: START },
    })
    .returning();
  const sale = async (invoiceNo: string) => {
    await db.insert(planPayments).values({
      ...{ orderId: order?.id ?? 0, invoiceNo, periodStart: START, periodEnd: START + 30 * DAY_S, paidAt: START },
    });
  };
  await sale("SALE-1");
  await sale("SALE-2");
  const refund = (saleNo: string, id: string, total: string, at: number, state = "completed") =>
    handlePaypalPlanEvent(
      deps,
      "PAYMENT.SALE.REFUNDED",
      { id, sale_id: saleNo, state, amount: { total, currency: "EUR" } },
      at,
    );
  await refund("SALE-2", "R-0", "1.00", START);
  await issue(DUE);
  const at = MONTH.until + 2 * DAY_S;
  await Promise.all([1, 2, 3].map(() => refund("SALE-1", "R-1", "-4.00", at)));
  await refund("SALE-1", "R-2", "7.90", at + 1);
  await refund("SALE-1", "R-3", "0.01", at + 2);
  await refund("SALE-2", "R-4", "2.00", at + 3, "pending");
  await issue(at + 60);
  expect(moneyOf(await notesOf(userId))).toEqual([
    ["-4.00", "-0.64"],
    ["-7.90", "-1.26"],
  ]);
  const [first] = await db.select().from(statements).where(eq(statements.userId, userId)).orderBy(asc(statements.id));
  expect(first?.content.orders.map(({ money }) => money).toSorted()).toEqual(["-1.00", "11.90", "11.90"]);
});

test("a refunded order for a period has a credit note, one for quota has its line on the statement only", async () => {
  const userId = await addUser(database.sql, 500);
  const { db } = database;
  const values = {
    ...{ userId, method: "wechat", quota: 500, money: "10.60", tax: "0.60", taxRate: "6", taxCountry: "CN" },
    ...{ status: "success", createdTime: START, completedTime: START },
  };
  const at = MONTH.until + 2 * DAY_S;
  const rows = await db
    .insert(topUpOrders)
    .values([
      { ...values, tradeNo: `A${userId}`, refundStartedTime: at, refundedTime: at },
      { ...values, tradeNo: `B${userId}`, refundStartedTime: at, refundedTime: at },
    ])
    .returning();
  await db.insert(planPurchases).values({ orderId: rows[0]?.id ?? 0, planId, status: "refunded" });
  await issue(DUE);
  for (const _ of [1, 2]) await issue(at);
  const notes = await notesOf(userId);
  expect(notes.map(({ content }) => content.orders[0])).toMatchObject([
    { tradeNo: `A${userId}`, money: "-10.60", quota: -500, tax: { amount: "-0.60" } },
  ]);
});
