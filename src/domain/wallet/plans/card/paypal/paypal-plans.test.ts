import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import { planOrders, planPayments, planRefunds } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { transferDirectly } from "../../../../../../test/support/billing/start-billing.ts";
import { startFakePaypal } from "../../../../../../test/support/console/fake-paypal.ts";
import { startTestWallet, type TestWallet } from "../../../../../../test/support/console/wallet.ts";
import { createAddressPolicy } from "../../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../../../lib/runtime/log.ts";
import type { UserEntry } from "../../../../accounts/directory.ts";
import { listCases } from "../../../payments/cases.ts";
import { advanceSubscriptions } from "../../advance-subscriptions.ts";
import { setRenewal } from "../../changes/change-subscription.ts";
import { listOwnSubscriptions, savePlan } from "../../plans.ts";
import { subscribe } from "../../subscribe.ts";
import { startCardPlan } from "../checkout.ts";
import { atService, createDrivers } from "../drivers.ts";
import { pollCards } from "../poll-cards.ts";
import { handlePaypalPlanEvent } from "./events.ts";
import { paidPeriod } from "./subscription.ts";

const START = Math.floor(Date.UTC(2030, 0, 31, 12) / 1000);
const HOUR_S = 3600;
const DAY_S = 86_400;
const PRICE = 5_000_000;

let app: TestWallet;
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
let deps: Parameters<typeof pollCards>[0] &
  Parameters<typeof setRenewal>[0] &
  Parameters<typeof advanceSubscriptions>[0];
const plans = { paid: 0, trial: 0, long: 0 };
beforeAll(async () => {
  paypal = await startFakePaypal();
  const options = {
    ...paypal.settings,
    PaypalPrice: "1",
    PaypalCurrency: "eur",
    TaxRates: '{"DE":19}',
    TaxCountry: "DE",
  };
  app = await startTestWallet({ ServerAddress: "https://gateway.test", ...options }, "", [paypal.root]);
  const services = {
    ...{ ...app, stripeAddress: "http://127.0.0.1:9" },
    fetch: createSafeFetch(createAddressPolicy(true)),
    log: createLogger({ logLevel: "silent", logFormat: "json" }),
    billing: {
      transfer: transferDirectly,
    },
  };
  deps = { ...services, drivers: createDrivers(services) };
  const actor = { id: app.ids.root, role: 100 } as UserEntry;
  const plan = {
    ...{ description: "", price: PRICE, period: "month", periodCount: 1, windowQuota: 700 },
    ...{ window: "period", userGroup: "", allowsOverage: true, isVisible: true },
  };
  plans.paid = await savePlan(deps, actor, { ...plan, name: "Pro", trialDays: 0 });
  plans.trial = await savePlan(deps, actor, { ...plan, name: "Try", trialDays: 7 });
  plans.long = await savePlan(deps, actor, { ...plan, name: "Long", trialDays: 0, period: "year", periodCount: 2 });
});
afterAll(async () => {
  await app.close();
  await paypal.stop();
});
beforeEach(() => {
  paypal.state.failing = 0;
  Object.assign(paypal.plans.state, { refusesToCancel: false, listsSales: true });
});

type Reported = Readonly<{ type: string; resource: object }>;

const start = (userId: number, planId = plans.paid) =>
  startCardPlan(
    deps,
    { id: userId, group: "default" },
    { planId, site: "https://gateway.test", service: "paypal" },
    START,
  );
/** Orders the plan and returns the order's number. */
async function order(userId: number, planId?: number): Promise<string> {
  await start(userId, planId);
  return (await ordersOf(userId)).at(-1)?.tradeNo ?? "";
}
const ordersOf = (userId: number) =>
  app.db
    .select({ id: planOrders.id, tradeNo: planOrders.tradeNo, status: planOrders.status })
    .from(planOrders)
    .where(eq(planOrders.userId, userId))
    .orderBy(asc(planOrders.id));
const deliver = async (now: number, events: readonly Reported[]) => {
  for (const { type, resource } of events) await handlePaypalPlanEvent(deps, type, { ...resource }, now);
};
const own = async (userId: number) => (await listOwnSubscriptions(app.db, userId))[0];
const paymentsOf = async (tradeNo: string): Promise<number> => {
  const rows = await app.db
    .select({ id: planPayments.id })
    .from(planPayments)
    .innerJoin(planOrders, eq(planOrders.id, planPayments.orderId))
    .where(eq(planOrders.tradeNo, tradeNo));
  return rows.length;
};
const casesOf = async (userId: number) =>
  (await listCases(app.db, { page: 0, pageSize: 100 })).items
    .filter(({ user_id }) => user_id === userId)
    .map(({ kind, money }) => [kind, money]);
let people = 0;
const user = async (quota = 0): Promise<number> => {
  const id = await app.addUser(`person${++people}`);
  await app.db.update(users).set({ quota }).where(eq(users.id, id));
  return id;
};

test("the page is of a subscription at what was ordered; its signed report begins the plan once", async () => {
  const answer = await app.call("POST", "/api/user/subscriptions/checkout", { plan_id: plans.paid, service: "paypal" });
  const { url } = answer.data as { url: string };
  const [placed] = await ordersOf(app.ids.user);
  const tradeNo = placed?.tradeNo ?? "";
  expect(url).toContain(paypal.plans.byOrder(tradeNo).id);
  // 5,000,000 units are 10 dollars, for 10 euros and 19 % tax.
  expect(paypal.plans.byOrder(tradeNo)).toMatchObject({ value: "11.90", currency: "EUR", trialDays: 0 });
  const now = Math.floor(Date.now() / 1000);
  const reports = paypal.plans.approve(tradeNo, now).map(({ type, resource }) => paypal.notice(type, resource));
  const post = async ({ body, headers }: (typeof reports)[number]) =>
    (await app.ask("POST", "/api/paypal/webhook", body, headers)).status;
  const [activated] = reports;
  expect(await post(paypal.notice("PAYMENT.SALE.COMPLETED", {}, "outside"))).toBe(400);
  // PayPal cannot be asked: it shall report again.
  paypal.state.failing = 1;
  if (activated) expect(await post(activated)).toBe(400);
  expect(await own(app.ids.user)).toBeUndefined();
  paypal.state.failing = 0;
  const all = [...reports, ...reports.toReversed()];
  expect(await Promise.all(all.map(post))).toEqual(all.map(() => 200));
  expect(await own(app.ids.user)).toMatchObject({ status: "active", service: "paypal", remaining: 700 });
  expect([await paymentsOf(tradeNo), (await app.rowOf(app.ids.user)).quota]).toEqual([1, 700]);
  expect(await casesOf(app.ids.user)).toEqual([]);
});

test("a payment counts although PayPal's list lacks it yet, and once when it has it", async () => {
  const userId = await user();
  const tradeNo = await order(userId);
  paypal.plans.state.listsSales = false;
  const events = paypal.plans.approve(tradeNo, START);
  await deliver(START, events);
  expect(await own(userId)).toMatchObject({ status: "active", period_start: START });
  paypal.plans.state.listsSales = true;
  await deliver(START + 60, events.toReversed());
  expect(await paymentsOf(tradeNo)).toBe(1);
});

test("what is never reported is found by asking PayPal; renewals count for the period they are near", async () => {
  const userId = await user();
  const tradeNo = await order(userId);
  await pollCards(deps, undefined, START + 700);
  expect(await own(userId)).toBeUndefined();
  paypal.plans.approve(tradeNo, START);
  await pollCards(deps, undefined, START + HOUR_S);
  const first = await own(userId);
  expect(first).toMatchObject({ status: "active", period_start: START });
  const end = first?.period_end ?? 0;
  expect(new Date(end * 1000).toISOString()).toBe("2030-02-28T12:00:00.000Z");
  await advanceSubscriptions(deps, undefined, end + 60);
  expect(await own(userId)).toMatchObject({ status: "past_due" });
  paypal.plans.charge(tradeNo, end - 2 * HOUR_S);
  await pollCards(deps, undefined, end + HOUR_S);
  expect(await own(userId)).toMatchObject({ status: "active", period_start: end });
  const second = (await own(userId))?.period_end ?? 0;
  expect(new Date(second * 1000).toISOString()).toBe("2030-03-31T12:00:00.000Z");
  // A failed charge is tried again days later.
  await deliver(second + 2 * DAY_S, [paypal.plans.charge(tradeNo, second + 2 * DAY_S)]);
  expect(await own(userId)).toMatchObject({ status: "active", period_start: second });
  expect([await paymentsOf(tradeNo), await casesOf(userId)]).toEqual([3, []]);
});

test("another amount, a second payment for a period, refunds, reversals and disputes wait for an administrator", async () => {
  const userId = await user();
  const tradeNo = await order(userId);
  const [activated, paid] = paypal.plans.approve(tradeNo, START);
  await deliver(START, activated && paid ? [activated, paid] : []);
  const sale = paypal.plans.byOrder(tradeNo).sales[0]?.id;
  const amount = { total: "-11.90", currency: "EUR" };
  const events = [
    paypal.plans.charge(tradeNo, START + 60, "1.00"),
    paypal.plans.charge(tradeNo, START + 90),
    { type: "PAYMENT.SALE.REFUNDED", resource: { id: "R-1", sale_id: sale, amount } },
    { type: "PAYMENT.SALE.REVERSED", resource: { id: "R-2", sale_id: sale, amount } },
    { type: "PAYMENT.SALE.REFUNDED", resource: { id: "R-3", sale_id: "of another shop", amount } },
    {
      type: "CUSTOMER.DISPUTE.CREATED",
      resource: {
        ...{ dispute_id: "PP-D", dispute_amount: { value: "11.90", currency_code: "EUR" } },
        disputed_transactions: [{ seller_transaction_id: sale }],
      },
    },
  ];
  await deliver(START + 100, [...events, ...events.toReversed()]);
  const cases = await casesOf(userId);
  expect(cases.sort()).toEqual([
    ...[
      ["dispute", "11.90"],
      ["dispute", "11.90"],
      ["refund", "11.90"],
      ["same_period", "11.90"],
      ["wrong_amount", "1.00"],
    ],
  ]);
  expect(await own(userId)).toMatchObject({ status: "active", period_start: START, remaining: 700 });
});

test("a renewal is canceled here for good, or at PayPal; older reports do not bring it back", async () => {
  const userId = await user();
  const tradeNo = await order(userId);
  const events = paypal.plans.approve(tradeNo, START);
  await deliver(START, events);
  const [{ id = 0 } = {}] = await ordersOf(userId);
  const setCardRenewal = (isRenewed: boolean) =>
    atService(deps, id, (driver, placed) => driver.setRenewal(placed, isRenewed, START));
  await expect(setCardRenewal(true)).rejects.toMatchObject({ code: "plan_paypal_final" });
  const pausing = atService(deps, id, (driver, placed) => driver.setPaused(placed, true));
  await expect(pausing).rejects.toMatchObject({ code: "plan_paypal_no_pause" });
  paypal.plans.state.refusesToCancel = true;
  await expect(setCardRenewal(false)).rejects.toMatchObject({ code: "payment_request_failed" });
  paypal.plans.state.refusesToCancel = false;
  const subscription = await own(userId);
  await setRenewal(deps, userId, subscription?.id ?? 0, false);
  await setCardRenewal(false);
  expect(paypal.plans.byOrder(tradeNo).status).toBe("CANCELLED");
  await deliver(START + 60, [...events, paypal.plans.change(tradeNo, "CANCELLED", START + 30), ...events]);
  expect(await own(userId)).toMatchObject({ status: "active", cancel_at_end: true });
  expect((await ordersOf(userId))[0]?.status).toBe("ended");
  await advanceSubscriptions(deps, undefined, subscription?.period_end);
  expect(await own(userId)).toBeUndefined();
  expect([await paymentsOf(tradeNo), await casesOf(userId)]).toEqual([1, []]);
});

test("a plan that is paid from the balance and at PayPal at once begins once; the other subscription is canceled", async () => {
  const userId = await user(PRICE);
  const tradeNo = await order(userId);
  const events = paypal.plans.approve(tradeNo, START);
  await subscribe(deps, userId, plans.paid, START);
  paypal.plans.state.refusesToCancel = true;
  await deliver(START, [...events, ...events]);
  expect((await ordersOf(userId))[0]?.status).toBe("duplicate");
  paypal.plans.state.refusesToCancel = false;
  await pollCards(deps, undefined, START + 60);
  expect(paypal.plans.byOrder(tradeNo).status).toBe("CANCELLED");
  expect((await ordersOf(userId))[0]?.status).toBe("ended");
  expect(await listOwnSubscriptions(app.db, userId)).toMatchObject([{ service: null, status: "active" }]);
  expect(await casesOf(userId)).toEqual([["duplicate", "11.90"]]);
});

test("two pages of PayPal that are both approved: one plan, one subscription", async () => {
  const userId = await user();
  const [first, second] = [await order(userId), await order(userId)];
  const events = [...paypal.plans.approve(first, START), ...paypal.plans.approve(second, START)];
  await Promise.all([deliver(START, events), deliver(START, events.toReversed())]);
  const statuses = [first, second].map((tradeNo) => paypal.plans.byOrder(tradeNo).status);
  expect(statuses.sort()).toEqual(["ACTIVE", "CANCELLED"]);
  expect(await listOwnSubscriptions(app.db, userId)).toMatchObject([{ status: "active", cancel_at_end: false }]);
  expect(await casesOf(userId)).toEqual([["duplicate", "11.90"]]);
  await expect(start(userId)).rejects.toMatchObject({ code: "plan_subscribed_already" });
});

test("a trial is free, then the first payment begins the first period", async () => {
  const userId = await user();
  const tradeNo = await order(userId, plans.trial);
  const events = paypal.plans.approve(tradeNo, START);
  await deliver(START, [...events, ...events]);
  const end = START + 7 * DAY_S;
  expect(await own(userId)).toMatchObject({ is_trial: true, status: "active", period_end: end });
  await deliver(end, [paypal.plans.charge(tradeNo, end - HOUR_S)]);
  expect(await own(userId)).toMatchObject({ is_trial: false, status: "active", period_start: end });
  expect([await paymentsOf(tradeNo), await casesOf(userId)]).toEqual([2, []]);
});

test("a period that PayPal does not take is an error in words, and there is no order left open", async () => {
  const userId = await user();
  await expect(start(userId, plans.long)).rejects.toMatchObject({ code: "plan_paypal_period", params: { max: 1 } });
  expect(await ordersOf(userId)).toMatchObject([{ status: "ended" }]);
});

test("payments fall into the period whose beginning is nearest", () => {
  const monthly = { period: "month", periodCount: 1 } as const;
  const starts = [0, 60, -7200].map((offset) => paidPeriod(monthly, START, START + offset).periodStart);
  expect(starts).toEqual([START, START, START]);
  const february = Date.UTC(2030, 1, 28, 12) / 1000;
  for (const offset of [-6 * HOUR_S, 0, 10 * DAY_S]) {
    expect(paidPeriod(monthly, START, february + offset)).toEqual({
      ...{ periodStart: february, periodEnd: Date.UTC(2030, 2, 31, 12) / 1000 },
    });
  }
});

test("refunds that come before their payment wait in the queue and become its own, once, in any order", async () => {
  const userId = await user();
  const tradeNo = await order(userId);
  const [activated, completed] = paypal.plans.approve(tradeNo, START);
  const sale = paypal.plans.byOrder(tradeNo).sales[0]?.id ?? "";
  const refund = (id: string, total: string, state?: string) => ({
    type: "PAYMENT.SALE.REFUNDED",
    resource: { id, sale_id: sale, amount: { total, currency: "EUR" }, ...(state && { state }) },
  });
  const early = [refund("RE-1", "-2.38"), refund("RE-2", "1.19"), refund("RE-3", "1.00", "pending")];
  await deliver(START + 10, [...early, ...early]);
  const waiting = (await listCases(app.db, { page: 0, pageSize: 100 })).items.filter(({ reference }) =>
    reference.startsWith("RE-"),
  );
  expect(waiting.map(({ reference, user_id, money }) => [reference, user_id, money]).sort()).toEqual([
    ["RE-1", null, "2.38"],
    ["RE-2", null, "1.19"],
    ["RE-3", null, "1.00"],
  ]);
  expect(await casesOf(userId)).toEqual([]);
  const events = [activated, completed].filter((event) => event !== undefined);
  await deliver(START + 20, events);
  await Promise.all([deliver(START + 30, events), deliver(START + 30, early), pollCards(deps, undefined, START + 40)]);
  expect((await casesOf(userId)).sort()).toEqual([
    ["refund", "1.00"],
    ["refund", "1.19"],
    ["refund", "2.38"],
  ]);
  const rows = await app.db
    .select({ money: planRefunds.money, tax: planRefunds.tax })
    .from(planRefunds)
    .innerJoin(planPayments, eq(planPayments.id, planRefunds.paymentId))
    .where(eq(planPayments.invoiceNo, sale))
    .orderBy(asc(planRefunds.money));
  expect(rows).toEqual([
    { money: "1.19", tax: "0.19" },
    { money: "2.38", tax: "0.38" },
  ]);
});

test("an account that was deleted is not charged at PayPal any more", async () => {
  const userId = await user();
  const tradeNo = await order(userId);
  await deliver(START, paypal.plans.approve(tradeNo, START));
  await app.db.update(users).set({ deletedAt: START }).where(eq(users.id, userId));
  await pollCards(deps, undefined, START + 60);
  expect(paypal.plans.byOrder(tradeNo).status).toBe("CANCELLED");
  expect(await ordersOf(userId)).toMatchObject([{ status: "ended" }]);
});
