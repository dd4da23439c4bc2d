import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { addUser } from "../../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../../test/support/billing/start-card-plans.ts";
import { listCases } from "../../../payments/cases.ts";
import { readPaidOrders } from "../../../statements/movements/read-movements.ts";
import { advanceSubscriptions } from "../../advance-subscriptions.ts";
import { changePlan, previewChange, setRenewal } from "../../changes/change-subscription.ts";
import { listOwnSubscriptions } from "../../plans.ts";
import { subscribe } from "../../subscribe.ts";
import { startCardPlan } from "../checkout.ts";
import { atService } from "../drivers.ts";
import { pollCards } from "../poll-cards.ts";
import { handlePlanEvent } from "./events.ts";

const SITE = "https://gateway.test";
const HOUR_S = 3600;
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;
const START = Math.floor(Date.now() / 1000);
const TEN_DAYS = START + 10 * DAY_S;

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
const plans = { small: 0, large: 0, huge: 0, yearly: 0, trial: 0 };
beforeAll(async () => {
  started = await startCardPlans({
    ...{ StripePrice: "1.1", StripeCurrency: "eur", TaxRates: '{"DE":19}', TaxCountry: "DE" },
  });
  ({ database, stripe, deps } = started);
  const plan = (name: string, price: number, windowQuota: number, more: object = {}) =>
    started.offer({ name, price, windowQuota, ...more });
  // 13.09, 26.18 and 65.45 euros with tax.
  plans.small = await plan("Small", 5_000_000, 700);
  plans.large = await plan("Large", 10_000_000, 2_000);
  plans.huge = await plan("Huge", 25_000_000, 9_000);
  plans.yearly = await plan("Yearly", 1_000_000, 100, { period: "year" });
  plans.trial = await plan("Try", 5_000_000, 50, { trialDays: 14 });
});
afterAll(async () => {
  await started.stop();
});
beforeEach(() => {
  stripe.events.length = 0;
  Object.assign(stripe.changes, { update: "answers", extra: 0, balance: 0 });
  stripe.setCard(START, true);
});

const deliver = async (now: number, events = stripe.events.splice(0)) => {
  for (const event of events) await handlePlanEvent(deps, event, now);
};
const own = async (userId: number) => (await listOwnSubscriptions(deps.db, userId))[0];
const userOf = (id: number) => ({ id, group: "default" });
/** An account that pays for a plan by card since `START`; with the number of its order, which Stripe knows. */
async function payByCard(planId = plans.small): Promise<Readonly<{ userId: number; tradeNo: string }>> {
  const userId = await addUser(database.sql, 0);
  await startCardPlan(deps, userOf(userId), { planId, site: SITE }, START);
  const [row] = await database.sql<{ trade_no: string }[]>`select trade_no from plan_orders where user_id = ${userId}`;
  const tradeNo = row?.trade_no ?? "";
  stripe.checkOut(tradeNo, START);
  await deliver(START);
  return { userId, tradeNo };
}
async function change(userId: number, planId: number, now: number, at?: number) {
  stripe.setCard(now, true);
  return changeNow(userId, planId, now, at);
}
const changeNow = async (userId: number, planId: number, now: number, at?: number) =>
  changePlan(deps, userOf(userId), { subscriptionId: (await own(userId))?.id ?? 0, planId, at, site: SITE }, now);
const preview = async (userId: number, planId: number, now: number) =>
  previewChange(deps, userOf(userId), { subscriptionId: (await own(userId))?.id ?? 0, planId }, now);
const paidOf = async (userId: number) =>
  (await readPaidOrders(deps.db, userId, { from: 0, until: START + 1000 * DAY_S })).map(({ money, tax }) => [
    money,
    tax?.amount,
  ]);
const ordersOf = async (userId: number) => {
  const rows = await database.sql<{ status: string }[]>`
    select status from plan_orders where user_id = ${userId} order by id`;
  return rows.map(({ status }) => status);
};
const casesOf = async (userId: number) =>
  (await listCases(deps.db, { page: 0, pageSize: 100 })).items
    .filter(({ user_id }) => user_id === userId)
    .map(({ kind, money }) => [kind, money]);
/** What customers paid, as Stripe knows it; in cents. */
const ledger = (tradeNo: string) =>
  stripe.invoices
    .filter(({ subscription, status }) => subscription.metadata.order === tradeNo && status === "paid")
    .map(({ amount }) => amount);

test("an upgrade is charged what the preview says, begins at once and renews at its price, whatever is reported twice or mixed up", async () => {
  const { userId, tradeNo } = await payByCard();
  stripe.setCard(TEN_DAYS, true);
  // 26.18 less 20 of 30 days of 13.09.
  const looked = await preview(userId, plans.large, TEN_DAYS);
  expect(looked).toMatchObject({ starts: "now", pays: "stripe", due: "17.45", price: "26.18", currency: "EUR" });
  stripe.setCard(TEN_DAYS + 300, true);
  expect(await changeNow(userId, plans.large, TEN_DAYS + 300, looked.at)).toEqual({ url: null });
  const begun = { plan_name: "Large", status: "active", period_start: TEN_DAYS + 300, remaining: 2_000 };
  expect(await own(userId)).toMatchObject({ ...begun, next_plan_id: null });
  expect(ledger(tradeNo)).toEqual([1309, 1745]);
  const events = stripe.events.splice(0);
  await Promise.all([1, 2, 3].map(() => deliver(TEN_DAYS + 400, events.toReversed())));
  await pollCards(deps, undefined, TEN_DAYS + 2 * DAY_S);
  expect(await own(userId)).toMatchObject(begun);
  const end = stripe.periodEnd(tradeNo);
  expect(end).toBe(TEN_DAYS + 300 + MONTH_S);
  stripe.renew(tradeNo, end);
  await deliver(end);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", period_start: end, remaining: 2_000 });
  expect(await paidOf(userId)).toEqual([
    ["13.09", "2.09"],
    ["17.45", "2.79"],
    ["26.18", "4.18"],
  ]);
  expect([ledger(tradeNo), await ordersOf(userId), await casesOf(userId)]).toEqual([
    ...[[1309, 1745, 2618], ["replaced", "active"], []],
  ]);
  // The states that Stripe reports of the subscription are those of the order that has it now.
  stripe.setRenewal(tradeNo, false, end + 10);
  await deliver(end + 10);
  expect(await own(userId)).toMatchObject({ cancel_at_end: true });
});

/** Calls that windows pay: as the ledger counts them. */
const use = (userId: number, units: number) =>
  database.sql`update users set quota = quota - ${units}, used_quota = used_quota + ${units} where id = ${userId}`;

test("what the window has paid is not credited, and what it pays after the preview is missing in the next one", async () => {
  const { userId, tradeNo } = await payByCard();
  await use(userId, 630);
  stripe.setCard(TEN_DAYS, true);
  // 26.18 less a tenth of 13.09: the time left is worth more.
  const looked = await preview(userId, plans.large, TEN_DAYS);
  expect(looked).toMatchObject({ due: "24.87", drawn_units: 630, drawn_calls: 0 });
  await use(userId, 50);
  const input = { subscriptionId: (await own(userId))?.id ?? 0, planId: plans.large, at: looked.at, site: SITE };
  const drawn = { units: looked.drawn_units, calls: looked.drawn_calls };
  stripe.setCard(TEN_DAYS + 60, true);
  await changePlan(deps, userOf(userId), { ...input, drawn }, TEN_DAYS + 60);
  expect([ledger(tradeNo), (await own(userId))?.remaining]).toEqual([[1309, 2487], 1950]);
  // With nothing left nothing is credited, however often the plan is changed.
  await use(userId, 1950);
  const again = await preview(userId, plans.huge, TEN_DAYS + 120);
  expect(again).toMatchObject({ due: "65.45", price: "65.45" });
});

test("what a window pays while a change waits for its payment is missing in the next one", async () => {
  const { userId, tradeNo } = await payByCard();
  stripe.setCard(TEN_DAYS, false);
  const { url } = await changeNow(userId, plans.large, TEN_DAYS);
  expect(url).not.toBeNull();
  await use(userId, 700);
  stripe.setCard(TEN_DAYS + HOUR_S, true);
  stripe.payPending(tradeNo);
  await deliver(TEN_DAYS + HOUR_S);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", remaining: 1_300 });
});

test("what Stripe pays back of a change, and of the payment before, is recorded with its tax; the plan stays", async () => {
  const { userId, tradeNo } = await payByCard();
  await change(userId, plans.large, TEN_DAYS);
  await deliver(TEN_DAYS);
  const [first, changed] = stripe.invoices.slice(-2);
  const refund = (invoiceNo: string, cents: number) =>
    stripe.emit(
      "charge.refunded",
      {
        ...{ id: `ch_${invoiceNo}`, object: "charge", customer: stripe.customerOf(tradeNo), currency: "eur" },
        ...{ amount_refunded: cents, metadata: {}, payment_intent: stripe.paymentNoOf(invoiceNo) },
      },
      TEN_DAYS,
    );
  refund(changed?.id ?? "", 1000);
  refund(changed?.id ?? "", 1745);
  refund(first?.id ?? "", 1309);
  // More than was paid.
  refund(first?.id ?? "", 1310);
  const events = stripe.events.splice(0);
  await deliver(TEN_DAYS + 60, [...events, ...events]);
  expect((await paidOf(userId)).filter(([money]) => money?.startsWith("-"))).toEqual([
    ["-13.09", "-2.09"],
    ["-10.00", "-1.60"],
    ["-7.45", "-1.19"],
  ]);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", status: "active", remaining: 2_000 });
  expect((await casesOf(userId)).map(([kind]) => kind)).toEqual(["refund", "refund", "refund", "refund"]);
});

test("a payment that fails leaves the plan in force; the change counts when it is paid, and is charged once", async () => {
  const { userId, tradeNo } = await payByCard();
  stripe.setCard(TEN_DAYS, false);
  const { url } = await changeNow(userId, plans.large, TEN_DAYS);
  expect(url).toMatch(/^https:\/\/invoice\.test\//);
  await deliver(TEN_DAYS);
  await pollCards(deps, undefined, TEN_DAYS + HOUR_S);
  const unpaid = { plan_name: "Small", period_start: START, next_plan_id: null, waiting_plan: "Large" };
  expect(await own(userId)).toMatchObject(unpaid);
  // Another try replaces the unpaid one.
  await changeNow(userId, plans.huge, TEN_DAYS + HOUR_S);
  expect(await own(userId)).toMatchObject({ plan_name: "Small" });
  stripe.setCard(TEN_DAYS + 2 * HOUR_S, true);
  stripe.payPending(tradeNo);
  await deliver(TEN_DAYS + 2 * HOUR_S);
  const paid = { plan_name: "Huge", period_start: TEN_DAYS, remaining: 9_000, waiting_plan: null };
  expect(await own(userId)).toMatchObject(paid);
  expect(ledger(tradeNo)).toHaveLength(2);
  expect([await ordersOf(userId), await casesOf(userId)]).toEqual([["replaced", "ended", "active"], []]);
});

test("an unpaid change ends when Stripe gives it up, and with the renewal", async () => {
  const { userId, tradeNo } = await payByCard();
  stripe.setCard(TEN_DAYS, false);
  await changeNow(userId, plans.large, TEN_DAYS);
  stripe.expirePending(tradeNo);
  await pollCards(deps, undefined, TEN_DAYS + DAY_S);
  expect(await ordersOf(userId)).toEqual(["active", "ended"]);
  await changeNow(userId, plans.large, TEN_DAYS + DAY_S);
  expect(stripe.isWaiting(tradeNo)).toBe(true);
  const renewedAt = TEN_DAYS + 2 * DAY_S;
  await setRenewal(deps, userId, (await own(userId))?.id ?? 0, false, renewedAt);
  expect([stripe.isWaiting(tradeNo), stripe.isCanceled(tradeNo)]).toEqual([false, true]);
  await expect(changeNow(userId, plans.large, TEN_DAYS + 2 * DAY_S)).rejects.toMatchObject({
    code: "plan_change_not_renewed",
  });
});

test("webhooks that never come and answers that are lost: whoever asks Stripe finds the change, and no second one is charged", async () => {
  const { userId, tradeNo } = await payByCard();
  stripe.changes.update = "loses";
  await expect(change(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "plan_payment_pending" });
  await expect(change(userId, plans.huge, TEN_DAYS + 10)).rejects.toMatchObject({ code: "plan_payment_pending" });
  stripe.events.length = 0;
  expect(await own(userId)).toMatchObject({ plan_name: "Small" });
  await pollCards(deps, undefined, TEN_DAYS + HOUR_S);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", period_start: TEN_DAYS, remaining: 2_000 });
  expect(ledger(tradeNo)).toEqual([1309, 1745]);
});

test("what Stripe refuses changes nothing", async () => {
  const { userId, tradeNo } = await payByCard();
  stripe.changes.update = "fails";
  await expect(change(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "payment_request_failed" });
  expect([await ordersOf(userId), ledger(tradeNo)]).toEqual([["active", "ended"], [1309]]);
  // What Stripe would take from a balance that it keeps for the customer.
  stripe.changes.balance = 500;
  await expect(preview(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "plan_change_unclear" });
  Object.assign(stripe.changes, { balance: 0, extra: -500 });
  await expect(preview(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "plan_change_unclear" });
  await expect(change(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "plan_change_unclear" });
  await expect(change(userId, plans.large, TEN_DAYS, TEN_DAYS - HOUR_S)).rejects.toMatchObject({
    code: "plan_change_preview_old",
  });
  await expect(
    changePlan(
      deps,
      userOf(await addUser(database.sql, 0)),
      { subscriptionId: (await own(userId))?.id ?? 0, planId: plans.large, site: SITE },
      TEN_DAYS,
    ),
  ).rejects.toMatchObject({ code: "subscription_not_found" });
});

test("a cheaper plan begins with the next period, which is charged at its price; it can be taken back until then", async () => {
  const { userId, tradeNo } = await payByCard(plans.large);
  const looked = await preview(userId, plans.small, TEN_DAYS);
  expect(looked).toMatchObject({ starts: "next_period", due: "0.00", price: "13.09", period_end: START + MONTH_S });
  await change(userId, plans.small, TEN_DAYS);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", next_plan_id: plans.small, remaining: 2_000 });
  await expect(change(userId, plans.huge, TEN_DAYS)).rejects.toMatchObject({ code: "plan_change_noted" });
  // The account would have it twice.
  const code = "plan_subscribed_already";
  await database.sql`update users set quota = quota + 5000000 where id = ${userId}`;
  await expect(subscribe(deps, userId, plans.small, TEN_DAYS)).rejects.toMatchObject({ code });
  await expect(
    startCardPlan(deps, userOf(userId), { planId: plans.small, site: SITE }, TEN_DAYS),
  ).rejects.toMatchObject({ code });
  await change(userId, plans.large, TEN_DAYS + 60);
  expect([(await own(userId))?.next_plan_id, stripe.unitAmount(tradeNo)]).toEqual([null, 2618]);
  await change(userId, plans.small, TEN_DAYS + 120);
  const events = stripe.events.splice(0);
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end);
  await advanceSubscriptions(deps, undefined, end + 60);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", status: "past_due" });
  await expect(change(userId, plans.huge, end + 60)).rejects.toMatchObject({ code: "plan_change_unpaid" });
  await deliver(end + HOUR_S, [...stripe.events.splice(0), ...events]);
  const begun = { plan_name: "Small", status: "active", period_start: end, next_plan_id: null };
  expect(await own(userId)).toMatchObject(begun);
  // What is unused of the larger window is left.
  expect(await own(userId)).toMatchObject({ remaining: 2_000 });
  expect([ledger(tradeNo), await casesOf(userId)]).toEqual([[2618, 1309], []]);
});

test("a change for the next period that was not noted is found by asking Stripe; one that Stripe lost ends", async () => {
  const { userId, tradeNo } = await payByCard(plans.large);
  stripe.changes.update = "loses";
  await expect(change(userId, plans.small, TEN_DAYS)).rejects.toMatchObject({ code: "plan_payment_pending" });
  await pollCards(deps, undefined, TEN_DAYS + HOUR_S);
  expect(await own(userId)).toMatchObject({ next_plan_id: plans.small });
  const renewedAt = TEN_DAYS + DAY_S;
  const { id = 0 } = (await own(userId)) ?? {};
  // With the renewal the change is given up, also at Stripe.
  await setRenewal(deps, userId, id, false, renewedAt);
  await setRenewal(deps, userId, id, true, renewedAt);
  expect([(await own(userId))?.next_plan_id, stripe.unitAmount(tradeNo)]).toEqual([null, 2618]);
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end);
  await deliver(end);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", period_start: end });
  expect(await casesOf(userId)).toEqual([]);
});

test("a cheaper plan with another length of period begins with the next one, by a schedule at Stripe", async () => {
  const { userId, tradeNo } = await payByCard(plans.large);
  expect(await preview(userId, plans.yearly, TEN_DAYS)).toMatchObject({
    ...{ starts: "next_period", due: "0.00", price: "2.62", period_end: START + MONTH_S },
  });
  await change(userId, plans.yearly, TEN_DAYS);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", next_plan_id: plans.yearly });
  await pollCards(deps, undefined, TEN_DAYS + 2 * DAY_S);
  expect(await own(userId)).toMatchObject({ next_plan_id: plans.yearly });
  // Taken back, at Stripe too.
  await change(userId, plans.large, TEN_DAYS + 2 * DAY_S);
  expect([(await own(userId))?.next_plan_id, stripe.hasSchedule(tradeNo)]).toEqual([null, false]);
  stripe.changes.update = "loses";
  await expect(change(userId, plans.yearly, TEN_DAYS + 3 * DAY_S)).rejects.toMatchObject({
    code: "plan_payment_pending",
  });
  await pollCards(deps, undefined, TEN_DAYS + 3 * DAY_S + HOUR_S);
  expect(await own(userId)).toMatchObject({ next_plan_id: plans.yearly });
  const { id = 0 } = (await own(userId)) ?? {};
  // Stripe cancels no subscription that has a schedule.
  await setRenewal(deps, userId, id, false, TEN_DAYS + 4 * DAY_S);
  await setRenewal(deps, userId, id, true, TEN_DAYS + 4 * DAY_S);
  expect([(await own(userId))?.next_plan_id, stripe.hasSchedule(tradeNo)]).toEqual([null, false]);
  await change(userId, plans.yearly, TEN_DAYS + 5 * DAY_S);
  await deliver(TEN_DAYS + 5 * DAY_S);
  const end = stripe.periodEnd(tradeNo);
  expect(end).toBe(START + MONTH_S);
  stripe.renew(tradeNo, end);
  const events = stripe.events.splice(0);
  for (const _ of [1, 2]) await deliver(end + HOUR_S, events);
  const begun = { plan_name: "Yearly", status: "active", period_start: end, period_end: end + 365 * DAY_S };
  expect(await own(userId)).toMatchObject({ ...begun, next_plan_id: null });
  await pollCards(deps, undefined, end + 2 * DAY_S);
  expect(await own(userId)).toMatchObject(begun);
  await setRenewal(deps, userId, id, false, end + 3 * DAY_S);
  expect([stripe.isCanceled(tradeNo), stripe.hasSchedule(tradeNo)]).toEqual([true, false]);
  expect([ledger(tradeNo), await casesOf(userId)]).toEqual([[2618, 262], []]);
});

test("what Stripe refuses to schedule changes nothing", async () => {
  const { userId, tradeNo } = await payByCard(plans.large);
  stripe.changes.update = "fails";
  await expect(change(userId, plans.yearly, TEN_DAYS)).rejects.toMatchObject({ code: "payment_request_failed" });
  expect(await own(userId)).toMatchObject({ plan_name: "Large", next_plan_id: null });
  await change(userId, plans.yearly, TEN_DAYS + HOUR_S);
  expect([(await own(userId))?.next_plan_id, stripe.hasSchedule(tradeNo)]).toEqual([plans.yearly, true]);
});

test("a trial ends with an upgrade, at the full price", async () => {
  const { userId, tradeNo } = await payByCard(plans.trial);
  expect(await own(userId)).toMatchObject({ is_trial: true });
  expect(await preview(userId, plans.large, START + DAY_S)).toMatchObject({ due: "26.18" });
  await change(userId, plans.large, START + DAY_S);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", is_trial: false, period_start: START + DAY_S });
  expect([ledger(tradeNo), await casesOf(userId)]).toEqual([[0, 2618], []]);
});

test("an upgrade that costs less than Stripe charges is refused", async () => {
  const nearly = await started.offer({ name: "Nearly", price: 5_100_000, windowQuota: 10_000_000 });
  const { userId } = await payByCard();
  await expect(preview(userId, nearly, START + 60)).rejects.toMatchObject({ code: "plan_change_credit_more" });
  expect(await preview(userId, nearly, TEN_DAYS)).toMatchObject({ starts: "now" });
});

test("what was paid with a coupon is credited, not the price", async () => {
  const { userId } = await payByCard();
  await database.sql`update plan_orders set first_money = '3.00', first_tax = '0.48' where user_id = ${userId}`;
  await database.sql`update plan_payments set is_discounted = true
    where order_id in (select id from plan_orders where user_id = ${userId})`;
  // The fake's subscription was charged all of it: that is not what we know.
  await expect(preview(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "plan_change_unclear" });
  stripe.changes.extra = Math.round((1309 * 2) / 3) - Math.round((300 * 2) / 3);
  expect(await preview(userId, plans.large, TEN_DAYS)).toMatchObject({ due: "24.18" });
});

test("an amount that was not agreed, a paused plan and a plan that the account has otherwise", async () => {
  const { userId } = await payByCard();
  const { id: subscriptionId = 0 } = (await own(userId)) ?? {};
  const [order] = await database.sql<{ id: number }[]>`select id from plan_orders where user_id = ${userId}`;
  const pause = (isPaused: boolean) =>
    atService(deps, order?.id ?? 0, (driver, placed) => driver.setPaused(placed, isPaused));
  await pause(true);
  await deliver(START + 60);
  await expect(change(userId, plans.large, TEN_DAYS)).rejects.toMatchObject({ code: "plan_change_not_renewed" });
  await pause(false);
  await deliver(TEN_DAYS);
  await database.sql`update users set quota = quota + 10000000 where id = ${userId}`;
  stripe.setCard(TEN_DAYS, false);
  await changePlan(deps, userOf(userId), { subscriptionId, planId: plans.large, site: SITE }, TEN_DAYS);
  await subscribe(deps, userId, plans.large, TEN_DAYS);
  const [tradeNo = ""] = (
    await database.sql<{ trade_no: string }[]>`select trade_no from plan_orders where user_id = ${userId} order by id`
  ).map(({ trade_no }) => trade_no);
  stripe.payPending(tradeNo);
  const events = stripe.events.splice(0);
  await deliver(TEN_DAYS, [...events, ...events]);
  // It waits for an administrator: the account has the plan from its balance.
  expect(await casesOf(userId)).toEqual([["duplicate", "17.45"]]);
  expect((await listOwnSubscriptions(deps.db, userId)).map(({ plan_name }) => plan_name).sort()).toEqual([
    ...["Large", "Small"],
  ]);
});
