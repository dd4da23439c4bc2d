import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import { paymentCases } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { topUpOrders } from "../../../../../../db/schema/wallet/wallet.ts";
import { startFakePaypal } from "../../../../../../test/support/console/fake-paypal.ts";
import { startTestWallet, type TestWallet } from "../../../../../../test/support/console/wallet.ts";
import { checkBooks } from "../../../../../billing/check-ledger/check-ledger.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { createAddressPolicy } from "../../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../../../lib/runtime/log.ts";
import { continueRefunds } from "../../../orders/refund-order.ts";
import { pollPayments } from "../../../orders/reports/poll-payments.ts";

const TEN = Array.from({ length: 10 }, (_, index) => index);
/** $10 at 7.3 a dollar. */
const QUOTA = 5_000_000;

let app: TestWallet;
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
beforeAll(async () => {
  paypal = await startFakePaypal();
  app = await startTestWallet({ ServerAddress: "https://gateway.test", ...paypal.settings }, "", [paypal.root]);
});
afterAll(async () => {
  await app.close();
  await paypal.stop();
});
beforeEach(async () => {
  Object.assign(paypal.state, { failing: 0, refusesRefunds: false, declines: false, slow: false });
  await app.db.delete(topUpOrders);
  await app.db.delete(paymentCases);
  await app.db.execute(sql`delete from logs`);
  await app.db.update(users).set({ quota: 0 });
});

const deps = () => ({
  ...app,
  fetch: createSafeFetch(createAddressPolicy(true)),
  log: createLogger({ logLevel: "silent", logFormat: "json" }),
  stripeAddress: "",
});
const quotaOf = async () => (await app.rowOf(app.ids.user)).quota;
const orderOf = async (tradeNo: string) =>
  (await app.db.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo)))[0];
const cases = async () =>
  (await app.db.select().from(paymentCases)).map(({ kind, money, userId }) => [kind, money, userId]);
const expectBooks = async () => expect((await checkBooks(app.db, "balances", 0, nowSeconds())).wrong).toEqual([]);
const send = async ({ body, headers }: ReturnType<typeof paypal.notice>) =>
  (await app.ask("POST", "/api/paypal/webhook", body, headers)).status;
const poll = () => pollPayments(deps(), undefined, nowSeconds() + 120);

/** Orders $10 and returns the order's number. */
async function order(): Promise<string> {
  const answer = await app.call("POST", "/api/user/pay", { amount: 10, payment_method: "paypal" });
  expect(answer).toMatchObject({ success: true, is_code: false, data: {} });
  const id = new URL(String(answer.url)).searchParams.get("token");
  return [...paypal.orders.values()].find((one) => one.id === id)?.tradeNo ?? "";
}
const paid = (tradeNo: string) => paypal.notice("PAYMENT.CAPTURE.COMPLETED", paypal.pay(tradeNo));
/** An order that was paid and credited. */
async function paidOrder(): Promise<string> {
  const tradeNo = await order();
  expect(await send(paid(tradeNo))).toBe(200);
  return tradeNo;
}
const refund = (tradeNo: string, headers = app.as.admin) =>
  app.call("POST", "/api/topup/refund", { trade_no: tradeNo }, headers);
const refundsOf = (tradeNo: string) => [...(paypal.orderOf(tradeNo).capture?.refunds ?? [])];

test("it is offered with a price of its own, in its own currency", async () => {
  expect((await app.call("GET", "/api/user/topup/ways")).data).toMatchObject({
    ways: [{ method: "paypal", price: "7.3", currency: "USD" }],
  });
  expect(await app.call("POST", "/api/user/amount", { amount: 10, payment_method: "paypal" })).toMatchObject({
    data: "73.00",
  });
  const tradeNo = await order();
  expect(paypal.orderOf(tradeNo)).toMatchObject({ value: "73.00", currency: "USD" });
  await app.settings.set("PaypalCurrency", "jpy");
  // PayPal takes no decimals of currencies without a smaller coin.
  expect(paypal.orderOf(await order())).toMatchObject({ value: "73", currency: "JPY" });
  await app.settings.set("PaypalCurrency", "usd");
});

test("a payment that is approved is captured, and credited once, however often and at the same time it is reported", async () => {
  const tradeNo = await order();
  paypal.orderOf(tradeNo).state = "approved";
  const approved = paypal.approvedNotice(tradeNo);
  expect(await Promise.all(TEN.map(() => send(approved)))).toEqual(TEN.map(() => 200));
  expect(await quotaOf()).toBe(QUOTA);
  const capture = paypal.orderOf(tradeNo).capture;
  expect(await orderOf(tradeNo)).toMatchObject({ status: "success", money: "73.00", gatewayNo: capture?.id });
  const late = paypal.notice("PAYMENT.CAPTURE.COMPLETED", {
    ...{ id: capture?.id, status: "COMPLETED", custom_id: tradeNo, amount: { value: "73.00", currency_code: "USD" } },
  });
  for (const notice of [late, approved, late]) expect(await send(notice)).toBe(200);
  expect(await quotaOf()).toBe(QUOTA);
  await expectBooks();
});

test("the capture's notification may come before the approval's, and after the order expired", async () => {
  const tradeNo = await order();
  await app.db.update(topUpOrders).set({ status: "expired" });
  const approved = paypal.approvedNotice(tradeNo);
  expect(await send(paid(tradeNo))).toBe(200);
  expect(await send(approved)).toBe(200);
  expect(await quotaOf()).toBe(QUOTA);
  await poll();
  expect(await orderOf(tradeNo)).toMatchObject({ status: "success" });
});

test("a capture that PayPal still checks moves nothing until it is completed; a declined one never does", async () => {
  const slow = await order();
  const declined = await order();
  for (const one of [slow, declined]) paypal.orderOf(one).state = "approved";
  paypal.state.declines = true;
  expect(await send(paypal.approvedNotice(declined))).toBe(200);
  paypal.state.declines = false;
  paypal.state.slow = true;
  expect(await send(paypal.approvedNotice(slow))).toBe(200);
  expect([await quotaOf(), (await orderOf(slow))?.status, (await orderOf(declined))?.status]).toEqual([
    0,
    "pending",
    "pending",
  ]);
  const { capture } = paypal.orderOf(slow);
  if (capture) capture.status = "COMPLETED";
  paypal.orderOf(declined).state = "closed";
  await poll();
  expect(await quotaOf()).toBe(QUOTA);
  expect((await orderOf(declined))?.status).toBe("expired");
});

test("only what PayPal signed for this webhook counts, with a certificate that is PayPal's", async () => {
  const tradeNo = await order();
  const resource = paypal.pay(tradeNo);
  const make = (by: "own" | "outside" | "neighbor" = "own", changes: Record<string, string> = {}) =>
    paypal.notice("PAYMENT.CAPTURE.COMPLETED", resource, by, changes);
  const own = make();
  const forged = [
    // Another authority vouches for it; its name only looks like PayPal's.
    make("outside"),
    make("neighbor"),
    make("own", { "paypal-auth-algo": "none" }),
    make("own", { "paypal-cert-url": "https://paypal.com.example.org/v1/notifications/certs/CERT-own" }),
    make("own", { "paypal-cert-url": `${paypal.settings.PaypalAddress}/elsewhere` }),
    make("own", { "paypal-transmission-id": "another" }),
    make("own", { "paypal-transmission-sig": "" }),
    { ...own, body: own.body.replace("73.00", "74.00") },
  ];
  for (const notice of forged) expect(await send(notice)).toBe(400);
  await app.settings.set("PaypalWebhookId", "another");
  expect(await send(own)).toBe(400);
  await app.settings.set("PaypalWebhookId", paypal.settings.PaypalWebhookId);
  expect([await quotaOf(), await cases()]).toEqual([0, []]);
  expect(await send(own)).toBe(200);
  expect(await quotaOf()).toBe(QUOTA);
});

test("a payment of another amount waits for an administrator, once; one of another shop is none of ours", async () => {
  const tradeNo = await order();
  const capture = { ...paypal.pay(tradeNo), amount: { value: "1.00", currency_code: "USD" } };
  for (const _ of [1, 2]) expect(await send(paypal.notice("PAYMENT.CAPTURE.COMPLETED", capture))).toBe(200);
  expect(await send(paypal.notice("PAYMENT.CAPTURE.COMPLETED", { ...capture, custom_id: "SHOP-7" }))).toBe(200);
  expect(await quotaOf()).toBe(0);
  expect(await cases()).toEqual([["wrong_amount", "1.00", app.ids.user]]);
});

test("what is never reported is found out, also when PayPal fails first", async () => {
  const tradeNo = await order();
  await order();
  paypal.orderOf(tradeNo).state = "approved";
  paypal.state.failing = 2;
  expect(await poll()).toBe(2);
  expect(await quotaOf()).toBe(0);
  paypal.state.failing = 0;
  await Promise.all([poll(), poll()]);
  expect(await quotaOf()).toBe(QUOTA);
  await expectBooks();
});

test("a capture whose answer is lost is requested again, and paid once", async () => {
  const tradeNo = await order();
  paypal.orderOf(tradeNo).state = "approved";
  const approved = paypal.approvedNotice(tradeNo);
  paypal.state.failing = 2;
  expect(await send(approved)).toBe(200);
  await poll();
  await poll();
  expect(await quotaOf()).toBe(QUOTA);
});

test("a refund takes the quota back and pays once, also when asked for at the same time or its answer is lost", async () => {
  const tradeNo = await paidOrder();
  paypal.state.failing = 1;
  const answers = await Promise.all(TEN.map(() => refund(tradeNo)));
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  expect([await quotaOf(), (await orderOf(tradeNo))?.refundedTime]).toEqual([0, 0]);
  await continueRefunds(deps());
  expect(refundsOf(tradeNo)).toEqual([[`${tradeNo}R`, 7300]]);
  expect((await orderOf(tradeNo))?.refundedTime).toBeGreaterThan(0);
  const reported = { id: "REFUND1", status: "COMPLETED", custom_id: tradeNo, invoice_id: `${tradeNo}R` };
  expect(await send(paypal.notice("PAYMENT.CAPTURE.REFUNDED", reported))).toBe(200);
  expect(await cases()).toEqual([]);
  await expectBooks();
});

test("a refund that PayPal refuses gives the quota back", async () => {
  const tradeNo = await paidOrder();
  paypal.state.refusesRefunds = true;
  expect(await refund(tradeNo)).toMatchObject({ success: false });
  expect([await quotaOf(), refundsOf(tradeNo)]).toEqual([QUOTA, []]);
  expect((await refund(tradeNo, app.as.user)).success).toBe(false);
  await expectBooks();
});

test("refunds made at PayPal, reversals and disputes wait for an administrator, once each", async () => {
  const tradeNo = await paidOrder();
  const captureNo = paypal.orderOf(tradeNo).capture?.id ?? "";
  const amount = { value: "5.00", currency_code: "USD" };
  const up = [{ rel: "up", href: `https://api.paypal.test/v2/payments/captures/${captureNo}` }];
  const dispute = {
    ...{ dispute_id: "PP-D-1", dispute_amount: { value: "73.00", currency_code: "USD" } },
    disputed_transactions: [{ seller_transaction_id: captureNo }],
  };
  const notices = [
    paypal.notice("PAYMENT.CAPTURE.REFUNDED", { id: "R1", status: "COMPLETED", amount, links: up }),
    paypal.notice("PAYMENT.CAPTURE.REVERSED", { id: "R2", amount, links: up }),
    paypal.notice("CUSTOMER.DISPUTE.CREATED", dispute),
    paypal.notice("CUSTOMER.DISPUTE.CREATED", { ...dispute, disputed_transactions: [{ custom: "SHOP-7" }] }),
    paypal.notice("CUSTOMER.DISPUTE.CREATED", { ...dispute, disputed_transactions: [] }),
  ];
  for (const notice of [...notices, ...notices]) expect(await send(notice)).toBe(200);
  expect(await cases()).toEqual([
    ["refund", "5.00", app.ids.user],
    ["dispute", "5.00", app.ids.user],
    ["dispute", "73.00", app.ids.user],
  ]);
  expect(await quotaOf()).toBe(QUOTA);
});
