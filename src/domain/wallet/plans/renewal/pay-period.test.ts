import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asc, eq, sql } from "drizzle-orm";
import { pendingNotices } from "../../../../../db/schema/accounts/sign-in.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { planPurchases } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { plans, type ReminderMethod, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { transferDirectly } from "../../../../../test/support/billing/start-billing.ts";
import { noServices, switchPlan } from "../../../../../test/support/billing/start-plans.ts";
import { startFakeAlipay, startFakeWechatPay } from "../../../../../test/support/console/fake-payment-services.ts";
import { startTestWallet, type TestWallet } from "../../../../../test/support/console/wallet.ts";
import { checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { createAddressPolicy } from "../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { expireOrders } from "../../orders/poll-checkouts.ts";
import { continueRefunds } from "../../orders/refund-order.ts";
import { pollPayments } from "../../orders/reports/poll-payments.ts";
import { settlePaidOrder } from "../../orders/settle-order.ts";
import { listCases } from "../../payments/cases.ts";
import { signEpay } from "../../payments/epay.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { setPaused, setRenewal } from "../changes/change-subscription.ts";
import { createCoupon } from "../coupons.ts";
import { GRACE_S } from "../periods.ts";
import { listOwnSubscriptions, savePlan } from "../plans.ts";
import { orderNextPeriod, orderPlan } from "./order-period.ts";
import { remindSubscribers } from "./remind.ts";
import { setRenewalMethod } from "./set-renewal-method.ts";

const alipay = startFakeAlipay();
const wechat = startFakeWechatPay();
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;
/** $10, 73 yuan and 6 % tax. */
const PRICE = 5_000_000;
const MONEY = "77.38";
const WINDOW = 700;
const TEN = Array.from({ length: 10 }, (_, index) => index);
const site = "https://gateway.test";

let app: TestWallet;
let deps: Parameters<typeof orderPlan>[0] & Parameters<typeof setPaused>[0] & Parameters<typeof continueRefunds>[0];
let planId = 0;
let largePlanId = 0;
const actor = () => ({ id: app.ids.root, role: 100 }) as UserEntry;
const plan = {
  ...{ description: "", price: PRICE, period: "day", periodCount: 30, windowQuota: WINDOW, trialDays: 0 },
  ...{ window: "period", userGroup: "", allowsOverage: true, isVisible: true },
};
beforeAll(async () => {
  app = await startTestWallet({
    ...{ ServerAddress: site, ...alipay.settings, ...wechat.settings, TaxRates: '{"CN":6}', TaxCountry: "CN" },
    ...{ PayAddress: "http://127.0.0.1:9", EpayId: "1", EpayKey: "secret", ManualPaymentCurrency: "eur" },
    ManualPaymentInstructions: "Transfer to IBAN DE00",
  });
  deps = {
    ...app,
    fetch: createSafeFetch(createAddressPolicy(true)),
    billing: { transfer: transferDirectly },
    stripeAddress: "",
    ...noServices,
  };
  largePlanId = await savePlan(deps, actor(), { ...plan, name: "Large", price: 2 * PRICE });
});
afterAll(async () => {
  await app.close();
  await alipay.stop();
  await wechat.stop();
});
beforeEach(async () => {
  planId = await savePlan(deps, actor(), { ...plan, name: "Pro" });
});

let people = 0;
const person = async (quota = 0): Promise<number> => {
  const id = await app.addUser(`payer${++people}`);
  await app.db.update(users).set({ quota }).where(eq(users.id, id));
  if (quota > 0) await app.db.execute(sql`insert into carried_balances (user_id, quota) values (${id}, ${quota})`);
  return id;
};
const customer = (id: number) => ({ id, group: "default" });
const own = async (userId: number) => (await listOwnSubscriptions(app.db, userId))[0];
const quotaOf = async (userId: number) => (await app.rowOf(userId)).quota;
const order = async (userId: number, now: number, method: ReminderMethod = "wechat") =>
  (await orderPlan(deps, customer(userId), { planId, method, site }, now))?.tradeNo ?? "";
const next = async (userId: number, now: number, method: ReminderMethod = "wechat") => {
  const subscriptionId = (await own(userId))?.id ?? 0;
  return (await orderNextPeriod(deps, customer(userId), { subscriptionId, method, site }, now)).tradeNo;
};
const paid = (tradeNo: string, now: number, money = MONEY, methods: readonly string[] = ["wechat"]) =>
  settlePaidOrder(deps, { tradeNo, methods, money, currency: "CNY", gatewayNo: "4200" }, now);
const advance = (now: number) => advanceSubscriptions(deps, undefined, now);
const casesOf = async (userId: number) =>
  (await listCases(app.db, { page: 0, pageSize: 100 })).items
    .filter((one) => one.user_id === userId)
    .map(({ kind, money }) => [kind, money]);
const purchasesOf = async (userId: number) => {
  const rows = await app.db
    .select({ status: planPurchases.status })
    .from(planPurchases)
    .innerJoin(topUpOrders, eq(topUpOrders.id, planPurchases.orderId))
    .where(eq(topUpOrders.userId, userId))
    .orderBy(asc(planPurchases.orderId));
  return rows.map(({ status }) => status);
};
const noticesOf = async (userId: number) => {
  const rows = await app.db
    .select()
    .from(pendingNotices)
    .where(eq(pendingNotices.userId, userId))
    .orderBy(asc(pendingNotices.id));
  return rows.map(({ notice }) => notice);
};
const expectBooks = async () => expect((await checkBooks(app.db, "balances", 0, nowSeconds())).wrong).toEqual([]);
/** A subscription that was paid for the month from `start`. */
const subscriber = async (start: number, quota = 0): Promise<number> => {
  const id = await person(quota);
  expect(await paid(await order(id, start), start)).toBe("credited");
  return id;
};

test("ten callbacks and pollers at once begin the plan once, at what was ordered, and leave the balance alone", async () => {
  const headers = app.as.user;
  const answer = await app.call(
    "POST",
    "/api/user/subscriptions/order",
    { plan_id: planId, method: "alipay" },
    headers,
  );
  const unnamed = await app.call("POST", "/api/user/subscriptions/order", { plan_id: planId }, headers);
  expect(unnamed).toMatchObject({ success: false });
  const { tradeNo, url, money } = answer.data as { tradeNo: string; url: string; money: string };
  expect(money).toBe(MONEY);
  expect(JSON.parse(alipay.openPage(url).biz_content ?? "")).toMatchObject({
    out_trade_no: tradeNo,
    total_amount: MONEY,
  });
  const trade = alipay.state.trades.get(tradeNo);
  if (!trade) throw new Error("there is no trade");
  trade.state = "paid";
  const notice = alipay.notice(tradeNo);
  const post = async () => (await app.ask("POST", "/api/user/alipay/notify", notice, {})).text;
  const poll = () => pollPayments(deps, undefined, nowSeconds() + 120);
  const texts = await Promise.all(TEN.map((index) => (index % 3 === 2 ? poll().then(() => "success") : post())));
  expect(texts).toEqual(TEN.map(() => "success"));
  expect(await listOwnSubscriptions(app.db, app.ids.user)).toMatchObject([
    { plan_id: planId, status: "active", remaining: WINDOW, pay_method: "alipay", is_next_paid: false },
  ]);
  expect(await quotaOf(app.ids.user)).toBe(WINDOW);
  const orders = (await app.call("GET", "/api/user/topup/orders")).data as { items: object[] };
  expect(orders.items).toMatchObject([{ trade_no: tradeNo, status: "success", plan_name: "Pro" }]);
  await expectBooks();
});

test("a period that is paid ahead, twice reported, begins when the present one ends, once and without a gap", async () => {
  const start = nowSeconds();
  const id = await subscriber(start);
  const tradeNo = await next(id, start + 28 * DAY_S);
  const outcomes = await Promise.all(TEN.map(() => paid(tradeNo, start + 28 * DAY_S)));
  expect(outcomes.filter((outcome) => outcome === "credited")).toHaveLength(1);
  expect(await own(id)).toMatchObject({ period_end: start + MONTH_S, is_next_paid: true });
  await expect(next(id, start + 29 * DAY_S)).rejects.toMatchObject({ code: "plan_next_paid" });
  await Promise.all(TEN.slice(0, 4).map(() => advance(start + MONTH_S + 5)));
  expect(await own(id)).toMatchObject({
    ...{ period_start: start + MONTH_S, period_end: start + 2 * MONTH_S, status: "active", is_next_paid: false },
    remaining: WINDOW,
  });
  expect(await purchasesOf(id)).toEqual(["begun", "begun"]);
  await expectBooks();
});

test("the subscriber is reminded once, then that it is overdue; paid in the days of grace it goes on from where it ended", async () => {
  const start = nowSeconds();
  const id = await subscriber(start, 10 * PRICE);
  const end = start + MONTH_S;
  await remindSubscribers(deps, undefined, end - 3 * DAY_S - 1);
  expect(await noticesOf(id)).toEqual([]);
  await Promise.all(TEN.slice(0, 4).map(() => remindSubscribers(deps, undefined, end - 3 * DAY_S)));
  await remindSubscribers(deps, undefined, end - 10);
  const subscriptionId = (await own(id))?.id;
  const path = `/topup?list=plans&pay=${subscriptionId}`;
  expect(await noticesOf(id)).toMatchObject([
    { type: "plan_payment_due", values: ["Pro", expect.anything(), `${MONEY} CNY`], path },
  ]);
  for (const _ of [1, 2]) await advance(end);
  expect((await noticesOf(id)).map(({ type }) => type)).toEqual(["plan_payment_due", "plan_payment_overdue"]);
  // What the balance holds is not touched.
  expect(await quotaOf(id)).toBe(10 * PRICE + WINDOW);
  expect(await own(id)).toMatchObject({ status: "past_due" });
  const late = end + GRACE_S - 1;
  const tradeNo = await next(id, late - 60);
  expect(await paid(tradeNo, late)).toBe("credited");
  expect(await paid(tradeNo, late)).toBe("credited before");
  expect(await own(id)).toMatchObject({ status: "active", period_start: end, period_end: end + MONTH_S });
  expect(await casesOf(id)).toEqual([]);
  await expectBooks();
});

test("what is paid after the plan has ended goes to the balance once, and an administrator sees it", async () => {
  const start = nowSeconds();
  const id = await subscriber(start);
  const end = start + MONTH_S;
  await advance(end);
  const tradeNo = await next(id, end + 60);
  await advance(end + GRACE_S);
  expect(await own(id)).toBeUndefined();
  expect(await quotaOf(id)).toBe(0);
  const outcomes = await Promise.all(TEN.map(() => paid(tradeNo, end + GRACE_S + 60)));
  expect(outcomes.filter((outcome) => outcome === "credited")).toHaveLength(1);
  expect(await own(id)).toBeUndefined();
  expect(await quotaOf(id)).toBe(PRICE);
  expect(await casesOf(id)).toEqual([["to_balance", MONEY]]);
  await expectBooks();
});

test("of two orders for the same period one counts, whichever is paid first; the other goes to the balance", async () => {
  const start = nowSeconds();
  const id = await subscriber(start);
  const now = start + 28 * DAY_S;
  const [first, second] = [await next(id, now), await next(id, now)];
  await Promise.all([paid(second, now), paid(first, now)]);
  expect((await purchasesOf(id)).toSorted()).toEqual(["balance", "begun", "next"]);
  expect(await quotaOf(id)).toBe(WINDOW + PRICE);
  expect(await casesOf(id)).toEqual([["to_balance", MONEY]]);
  const third = await person();
  const pages = [await order(third, start), await order(third, start)];
  await Promise.all(pages.map((page) => paid(page, start)));
  expect((await purchasesOf(third)).toSorted()).toEqual(["balance", "begun"]);
  expect(await listOwnSubscriptions(app.db, third)).toHaveLength(1);
  await expectBooks();
});

test("the order's amount counts when the price changes before it is paid; another amount moves nothing", async () => {
  const start = nowSeconds();
  const id = await subscriber(start);
  const tradeNo = await next(id, start + 28 * DAY_S);
  await app.db
    .update(plans)
    .set({ price: 3 * PRICE })
    .where(eq(plans.id, planId));
  expect(await paid(tradeNo, start + 28 * DAY_S, "232.14")).toBe("wrong amount");
  expect(await own(id)).toMatchObject({ is_next_paid: false });
  expect(await paid(tradeNo, start + 28 * DAY_S)).toBe("credited");
  await advance(start + MONTH_S);
  const [row] = await app.db.select().from(subscriptions).where(eq(subscriptions.userId, id));
  expect(row).toMatchObject({ paid: PRICE, periodStart: start + MONTH_S });
  await expectBooks();
});

test("a subscription that was canceled or changed after the order is not prolonged by it", async () => {
  const start = nowSeconds();
  const now = start + 28 * DAY_S;
  const renewing = { db: app.db, ...noServices };
  const canceled = await subscriber(start);
  const late = await next(canceled, now);
  await setRenewal(renewing, canceled, (await own(canceled))?.id ?? 0, false);
  await expect(next(canceled, now)).rejects.toMatchObject({ code: "plan_renewal_canceled" });
  await paid(late, now);
  expect(await own(canceled)).toMatchObject({ cancel_at_end: true, is_next_paid: false });
  const upgraded = await subscriber(start, 2 * PRICE);
  const older = await next(upgraded, now);
  await switchPlan(deps, upgraded, (await own(upgraded))?.id ?? 0, largePlanId, now);
  await paid(older, now);
  expect(await own(upgraded)).toMatchObject({ plan_id: largePlanId, period_start: now, is_next_paid: false });
  for (const id of [canceled, upgraded]) expect(await casesOf(id)).toEqual([["to_balance", MONEY]]);
  // An upgrade credits what is left of the paid period; what is paid ahead cannot follow one.
  const [row] = await app.db.select().from(subscriptions).where(eq(subscriptions.userId, upgraded));
  expect(await quotaOf(upgraded)).toBe(2 * PRICE - 2 * PRICE + Math.floor((PRICE * 2) / 30) + PRICE + WINDOW);
  expect(row?.payMethod).toBe("wechat");
  const ahead = await subscriber(start, 2 * PRICE);
  await paid(await next(ahead, now), now);
  const change = switchPlan(deps, ahead, (await own(ahead))?.id ?? 0, largePlanId, now);
  await expect(change).rejects.toMatchObject({ code: "plan_next_paid" });
  // Cancelled after it was paid, the paid period still comes.
  await setRenewal(renewing, ahead, (await own(ahead))?.id ?? 0, false);
  await advance(start + MONTH_S);
  expect(await own(ahead)).toMatchObject({ period_start: start + MONTH_S, cancel_at_end: true });
  await advance(start + 2 * MONTH_S);
  expect(await own(ahead)).toBeUndefined();
  await expectBooks();
});

test("a paused plan goes on with the payment, from then on", async () => {
  const start = nowSeconds();
  const id = await subscriber(start);
  const subscriptionId = (await own(id))?.id ?? 0;
  await setPaused(deps, id, subscriptionId, true, start);
  for (const _ of [1, 2]) await advance(start + MONTH_S);
  expect(await own(id)).toMatchObject({ status: "paused" });
  const now = start + 3 * MONTH_S;
  await expect(setPaused(deps, id, subscriptionId, false, now)).rejects.toMatchObject({
    code: "plan_resume_by_payment",
  });
  await paid(await next(id, now), now);
  expect(await own(id)).toMatchObject({ status: "active", period_start: now, period_end: now + MONTH_S });
  await expectBooks();
});

test("a refund takes back the period that was paid, once; one that is over is not refunded here", async () => {
  const start = nowSeconds();
  const refund = (tradeNo: string) => app.call("POST", "/api/topup/refund", { trade_no: tradeNo }, app.as.admin);
  const id = await person();
  const first = await order(id, start);
  await paid(first, start);
  const ahead = await next(id, start);
  await paid(ahead, start);
  const answers = await Promise.all(TEN.map(() => refund(ahead)));
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  expect([...(wechat.state.trades.get(ahead)?.refunds ?? [])]).toEqual([[`${ahead}R`, 7738]]);
  expect(await own(id)).toMatchObject({ status: "active", is_next_paid: false });
  expect(await quotaOf(id)).toBe(WINDOW);
  // One that the service refuses is on the balance instead.
  const refused = await next(id, start);
  await paid(refused, start);
  wechat.state.refusesRefunds = true;
  expect(await refund(refused)).toMatchObject({ success: false });
  wechat.state.refusesRefunds = false;
  expect(await quotaOf(id)).toBe(WINDOW + PRICE);
  // With the present period the next one, which is paid, comes to the balance.
  await paid(await next(id, start), start);
  expect(await refund(first)).toMatchObject({ success: true });
  await advance(start + 60);
  expect([await own(id), await quotaOf(id)]).toEqual([undefined, 2 * PRICE]);
  const over = await person();
  const old = await order(over, start);
  await paid(old, start);
  await paid(await next(over, start), start);
  await advance(start + MONTH_S);
  expect(await refund(old)).toMatchObject({ success: false });
  expect(await own(over)).toMatchObject({ status: "active" });
  await expectBooks();
});

test("Epay's callback and an administrator's word begin a plan, once for both", async () => {
  const start = nowSeconds();
  const id = await person();
  const form = await orderPlan(deps, customer(id), { planId, method: "zfb", site }, start);
  expect(form?.fields).toMatchObject({ money: MONEY, type: "alipay", name: "Pro" });
  const fields = {
    pid: "1",
    out_trade_no: form?.tradeNo ?? "",
    trade_no: "9",
    trade_status: "TRADE_SUCCESS",
    money: MONEY,
  };
  const query = new URLSearchParams({ ...fields, sign: signEpay(fields, "secret"), sign_type: "MD5" });
  const callback = async () => (await app.ask("GET", `/api/user/epay/notify?${query}`)).text;
  const complete = (tradeNo: string) => app.call("POST", "/api/topup/complete", { trade_no: tradeNo }, app.as.admin);
  await Promise.all([callback(), complete(form?.tradeNo ?? ""), callback()]);
  expect(await listOwnSubscriptions(app.db, id)).toMatchObject([{ plan_id: planId, pay_method: "zfb" }]);
  const other = await person();
  const manual = await orderPlan(deps, customer(other), { planId, method: "manual", site }, start);
  expect(manual).toMatchObject({ money: "10.60", currency: "EUR", url: "", instructions: "Transfer to IBAN DE00" });
  // A transfer takes days.
  await expireOrders(app.db, start + 29 * DAY_S);
  const [stored] = await app.db
    .select()
    .from(topUpOrders)
    .where(eq(topUpOrders.tradeNo, manual?.tradeNo ?? ""));
  expect(stored?.status).toBe("pending");
  const answers = await Promise.all(TEN.map(() => complete(manual?.tradeNo ?? "")));
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  expect(await own(other)).toMatchObject({ pay_method: "manual", remaining: WINDOW });
  await expectBooks();
});

test("a trial is free and ends with a reminder; a coupon is reserved for the order, within its limit", async () => {
  const start = nowSeconds();
  const trialPlan = await savePlan(deps, actor(), { ...plan, name: "Try", trialDays: 10 });
  const id = await person();
  const begun = await orderPlan(deps, customer(id), { planId: trialPlan, method: "wechat", site }, start);
  expect(begun).toBeNull();
  expect(await own(id)).toMatchObject({ is_trial: true, pay_method: "wechat" });
  await remindSubscribers(deps, undefined, start + 7 * DAY_S);
  expect(await noticesOf(id)).toMatchObject([{ type: "plan_payment_due" }]);
  await paid(await next(id, start + 8 * DAY_S), start + 8 * DAY_S);
  await advance(start + 10 * DAY_S);
  expect(await own(id)).toMatchObject({ is_trial: false, period_start: start + 10 * DAY_S });
  const code = "HALF";
  await createCoupon(deps, actor(), {
    ...{ code, percentOff: 50, amountOff: 0, duration: "once", planId, maxUses: 1, validUntil: 0 },
  });
  const buyers = [await person(), await person()];
  const orders = await Promise.allSettled(
    buyers.map((buyer) => orderPlan(deps, customer(buyer), { planId, method: "wechat", site, coupon: code }, start)),
  );
  expect(orders.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const reserved = orders.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []))[0];
  expect(reserved?.money).toBe("38.69");
  await paid(reserved?.tradeNo ?? "", start, "38.69");
  const [use] = await app.db.execute<{ used_count: number }>(sql`select used_count from coupons where code = ${code}`);
  expect(use?.used_count).toBe(1);
  await expectBooks();
});

test("a subscriber changes between reminders and the balance, each period being paid once", async () => {
  const start = nowSeconds();
  const userId = await subscriber(start, 3 * PRICE);
  const { id = 0 } = (await own(userId)) ?? {};
  await setRenewalMethod(app, userId, id, null, start);
  await remindSubscribers(app, undefined, start + MONTH_S - DAY_S);
  expect(await noticesOf(userId)).toEqual([]);
  await Promise.all(TEN.map(() => advance(start + MONTH_S)));
  expect(await own(userId)).toMatchObject({ pay_method: null, status: "active", period_end: start + 2 * MONTH_S });
  expect(await quotaOf(userId)).toBe(2 * PRICE + WINDOW);
  await setRenewalMethod(app, userId, id, "manual", start);
  await Promise.all(TEN.map(() => advance(start + 2 * MONTH_S)));
  expect(await own(userId)).toMatchObject({ pay_method: "manual", status: "past_due" });
  expect(await quotaOf(userId)).toBe(2 * PRICE + WINDOW);
  // The balance pays what no order has paid.
  await setRenewalMethod(app, userId, id, null, start + 2 * MONTH_S);
  await Promise.all(TEN.map(() => advance(start + 2 * MONTH_S + 60)));
  expect(await own(userId)).toMatchObject({ status: "active" });
  expect(await quotaOf(userId)).toBe(PRICE + WINDOW);
  await expectBooks();
});

test("renewal by a way to pay that is not set up, or of what a service renews or is canceled, is refused", async () => {
  const userId = await subscriber(nowSeconds());
  const { id = 0 } = (await own(userId)) ?? {};
  const set = (method: ReminderMethod | null) => setRenewalMethod(app, userId, id, method);
  await app.settings.set("ManualPaymentInstructions", "");
  await expect(set("manual")).rejects.toMatchObject({ code: "online_top_up_disabled" });
  await app.settings.set("ManualPaymentInstructions", "Transfer to IBAN DE00");
  await expect(setRenewalMethod(app, await person(), id, null)).rejects.toMatchObject({
    code: "subscription_not_found",
  });
  await setRenewal({ ...deps, ...noServices }, userId, id, false);
  await expect(set(null)).rejects.toMatchObject({ code: "plan_renewal_canceled" });
  await app.db
    .update(subscriptions)
    .set({ cancelAtEnd: false, payMethod: null, orderId: 1 })
    .where(eq(subscriptions.id, id));
  await expect(set("manual")).rejects.toMatchObject({ code: "plan_renewed_by_service" });
});

const refund = (tradeNo: string, isPaidBack?: boolean) =>
  app.call(
    "POST",
    "/api/topup/refund",
    { trade_no: tradeNo, ...(isPaidBack !== undefined && { is_paid_back: isPaidBack }) },
    app.as.admin,
  );
const refundedAt = async (tradeNo: string) => {
  const [row] = await app.db.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo));
  return [row?.refundStartedTime, row?.refundedTime].map((time) => (time ?? 0) > 0);
};

test("an order that was paid to the operator is refunded once, and its period taken back", async () => {
  const start = nowSeconds();
  const userId = await person();
  const tradeNo = await order(userId, start, "manual");
  expect(await refund(tradeNo)).toMatchObject({ success: false });
  const [placed] = await app.db.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo));
  await settlePaidOrder(
    deps,
    { tradeNo, methods: ["manual"], money: placed?.money ?? "", currency: placed?.currency ?? "", gatewayNo: "" },
    start,
  );
  expect(await own(userId)).toMatchObject({ status: "active", pay_method: "manual" });
  const answers = await Promise.all(TEN.map(() => refund(tradeNo)));
  expect(answers.filter(({ success }) => success)).toHaveLength(1);
  expect(await refundedAt(tradeNo)).toEqual([true, true]);
  await advance(start + 60);
  expect([await own(userId), await quotaOf(userId), await purchasesOf(userId)]).toEqual([undefined, 0, ["refunded"]]);
  await expectBooks();
});

test("an Epay service is asked once for a refund; what it does not confirm waits for an administrator", async () => {
  const requests: Record<string, string>[] = [];
  let answer = () => Response.json({ code: 1, msg: "ok" });
  const epay = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      expect(new URL(request.url).search).toBe("?act=refund");
      requests.push(Object.fromEntries(new URLSearchParams(await request.text())));
      return answer();
    },
  });
  await app.settings.set("PayAddress", `http://127.0.0.1:${epay.port}`);
  const start = nowSeconds();
  const bought = async () => {
    const userId = await person();
    const tradeNo = await order(userId, start, "zfb");
    expect(await paid(tradeNo, start, MONEY, ["zfb"])).toBe("credited");
    return { userId, tradeNo };
  };
  const done = await bought();
  expect((await Promise.all(TEN.map(() => refund(done.tradeNo)))).filter(({ success }) => success)).toHaveLength(1);
  expect(requests).toEqual([{ pid: "1", key: "secret", out_trade_no: done.tradeNo, trade_no: "4200", money: MONEY }]);
  expect(await refundedAt(done.tradeNo)).toEqual([true, true]);

  answer = () => Response.json({ code: -1, msg: "no balance" });
  const refused = await bought();
  expect(await refund(refused.tradeNo)).toMatchObject({ success: false });
  expect(await refundedAt(refused.tradeNo)).toEqual([false, false]);
  await advance(start + 60);
  expect(await quotaOf(refused.userId)).toBe(PRICE);

  answer = () => new Response("<html>", { status: 502 });
  const [lost, returned] = [await bought(), await bought()];
  for (const { tradeNo, userId } of [lost, returned]) {
    expect(await refund(tradeNo)).toMatchObject({ success: true });
    expect(await refundedAt(tradeNo)).toEqual([true, false]);
    expect(await casesOf(userId)).toEqual([["refund_unclear", MONEY]]);
    expect(await refund(tradeNo, true)).toMatchObject({ success: false });
    await app.db
      .update(topUpOrders)
      .set({ refundStartedTime: start - 120 })
      .where(eq(topUpOrders.tradeNo, tradeNo));
  }
  const sent = requests.length;
  await continueRefunds(deps);
  expect(requests).toHaveLength(sent);
  await Promise.all(TEN.map(() => refund(lost.tradeNo, true)));
  await Promise.all(TEN.map(() => refund(returned.tradeNo, false)));
  await advance(start + 60);
  expect(await refundedAt(lost.tradeNo)).toEqual([true, true]);
  expect(await refundedAt(returned.tradeNo)).toEqual([false, false]);
  expect([await quotaOf(lost.userId), await quotaOf(returned.userId)]).toEqual([0, PRICE]);
  await expectBooks();
  await epay.stop(true);
});
