import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { addUser } from "../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../test/support/billing/start-card-plans.ts";
import { stripeSignature } from "../../../../../test/support/console/fake-stripe.ts";
import { handleStripeWebhook } from "../../orders/reports/stripe-webhook.ts";
import { closeCase, listCases } from "../../payments/cases.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { setRenewal } from "../changes/change-subscription.ts";
import { GRACE_S } from "../periods.ts";
import { listOwnSubscriptions } from "../plans.ts";
import { remindOfService } from "../renewal/remind.ts";
import { startCardPlan } from "./checkout.ts";
import { pollCards } from "./poll-cards.ts";
import { openCardPortal } from "./stripe/driver.ts";
import { handlePlanEvent } from "./stripe/events.ts";

const SECRET = "whsec_of_the_tests";
const HOUR_S = 3600;
const START = Math.floor(Date.now() / 1000);

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
let actor: Started["actor"];
let planId: number;
beforeAll(async () => {
  started = await startCardPlans({
    ...{
      StripePrice: "1.1",
      StripeCurrency: "eur",
      TaxRates: '{"DE":19}',
      TaxCountry: "DE",
      StripeWebhookSecret: SECRET,
    },
  });
  ({ database, stripe, deps } = started);
  actor = started.actor;
  planId = await started.offer({ name: "Pro", price: 5_000_000 });
});
afterAll(async () => {
  await started.stop();
});
beforeEach(() => {
  stripe.events.length = 0;
});

/** Orders the plan and returns the order's number. */
async function order(userId: number): Promise<string> {
  await startCardPlan(deps, { id: userId, group: "default" }, { planId, site: "https://gateway.test" }, START);
  const [row] = await database.sql<{ trade_no: string }[]>`
    select trade_no from plan_orders where user_id = ${userId} order by id desc limit 1`;
  return row?.trade_no ?? "";
}
const deliver = async (now: number, events = stripe.events.splice(0)) => {
  for (const event of events) await handlePlanEvent(deps, event, now);
};
const paymentsOf = async (tradeNo: string): Promise<number> => {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from plan_payments p join plan_orders o on o.id = p.order_id where o.trade_no = ${tradeNo}`;
  return row?.count ?? 0;
};
const own = async (userId: number) => (await listOwnSubscriptions(deps.db, userId))[0];
const quotaOf = async (userId: number): Promise<number> =>
  Number((await database.sql`select quota from users where id = ${userId}`)[0]?.quota);
const openCases = async () => (await listCases(deps.db, { page: 0, pageSize: 100 })).items;

test("the order says what is paid; the payment begins the plan once, whatever comes twice or in another order", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  expect(await own(userId)).toBeUndefined();
  stripe.checkOut(tradeNo, START);
  // 5,000,000 units are 10 dollars, for 11 euros and 19 % tax.
  expect(stripe.invoices.at(-1)?.amount).toBe(1309);
  const events = stripe.events.splice(0);
  await deliver(START, events.toReversed());
  await Promise.all(Array.from({ length: 5 }, () => deliver(START, [...events])));
  expect(await paymentsOf(tradeNo)).toBe(1);
  expect(await own(userId)).toMatchObject({ status: "active", is_card: true, remaining: 700, period_start: START });
  expect(await quotaOf(userId)).toBe(700);
  await expect(order(userId)).rejects.toMatchObject({ code: "plan_subscribed_already" });
  expect(await openCardPortal(deps, userId, "https://gateway.test")).toBe(
    `https://portal.test/${stripe.customerOf(tradeNo)}`,
  );
});

test("webhooks count with Stripe's signature only", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  const body = JSON.stringify(stripe.events.splice(0)[0]);
  expect(await handleStripeWebhook(deps, body, stripeSignature(body, "whsec_other"))).toBe(false);
  for (const seconds of [-3600, 3600, 10 * 365 * 86_400]) {
    const signature = stripeSignature(body, SECRET, Math.floor(Date.now() / 1000) + seconds);
    expect(await handleStripeWebhook(deps, body, signature)).toBe(false);
  }
  const other = body.replace("1309", "1310");
  expect(await handleStripeWebhook(deps, other, stripeSignature(body, SECRET))).toBe(false);
  expect(await own(userId)).toBeUndefined();
  expect(await handleStripeWebhook(deps, body, stripeSignature(body, SECRET))).toBe(true);
  expect(await own(userId)).toMatchObject({ status: "active" });
});

test("webhooks that never come are made up for by asking Stripe", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  await pollCards(deps, undefined, START + 60);
  expect(await own(userId)).toBeUndefined();
  await pollCards(deps, undefined, START + HOUR_S);
  expect(await own(userId)).toMatchObject({ status: "active" });
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end);
  await advanceSubscriptions(deps, undefined, end + 60);
  expect(await own(userId)).toMatchObject({ status: "past_due" });
  await pollCards(deps, undefined, end + HOUR_S);
  expect(await own(userId)).toMatchObject({ status: "active", period_start: end });
  expect(await paymentsOf(tradeNo)).toBe(2);
  stripe.events.length = 0;
});

test("without a payment the plan waits, then ends; what is paid for a period that runs begins it again", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  await deliver(START);
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end, false);
  await deliver(end);
  await advanceSubscriptions(deps, undefined, end);
  expect(await own(userId)).toMatchObject({ status: "past_due", remaining: 700 });
  expect(await advanceSubscriptions(deps, undefined, end + 60)).toBe(0);
  // Stripe may need an hour: who pays is notified a day later, once.
  const noticesAt = async (now: number) => {
    await Promise.all([1, 2, 3].map(() => remindOfService(deps, undefined, now)));
    return (await database.sql`select notice from pending_notices where user_id = ${userId}`).length;
  };
  expect([
    await noticesAt(end + HOUR_S),
    await noticesAt(end + 24 * HOUR_S),
    await noticesAt(end + 30 * HOUR_S),
  ]).toEqual([...[0, 1, 1]]);
  await advanceSubscriptions(deps, undefined, end + GRACE_S);
  expect(await own(userId)).toBeUndefined();
  expect(await quotaOf(userId)).toBe(0);
  stripe.renew(tradeNo, stripe.periodEnd(tradeNo));
  const late = stripe.periodEnd(tradeNo);
  await deliver(late - HOUR_S);
  expect(await own(userId)).toMatchObject({ status: "active", period_end: late });
});

test("a renewal is canceled here or at Stripe; the newest report counts", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  await deliver(START);
  const { id = 0 } = (await own(userId)) ?? {};
  await setRenewal(deps, userId, id, false);
  expect(stripe.isCanceled(tradeNo)).toBe(true);
  expect(await own(userId)).toMatchObject({ cancel_at_end: true });
  stripe.setRenewal(tradeNo, true, START + 10);
  stripe.setRenewal(tradeNo, false, START + 20);
  const [older, newer] = stripe.events.splice(0);
  await deliver(
    START,
    [newer, older].flatMap((event) => event ?? []),
  );
  expect(await own(userId)).toMatchObject({ cancel_at_end: true });
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end);
  await deliver(end);
  await advanceSubscriptions(deps, undefined, end);
  expect(await own(userId)).toBeUndefined();
  expect(await paymentsOf(tradeNo)).toBe(1);
});

test("what is doubtful moves nothing and waits for an administrator", async () => {
  const before = (await openCases()).length;
  const [cheat, payer] = [await addUser(database.sql, 0), await addUser(database.sql, 0)];
  const cheap = await order(cheat);
  stripe.checkOut(cheap, START, 1);
  await deliver(START);
  expect(await own(cheat)).toBeUndefined();
  const late = await order(payer);
  stripe.checkOut(late, START);
  await deliver(stripe.periodEnd(late) + 1);
  expect(await own(payer)).toBeUndefined();
  stripe.emit("charge.refunded", chargeOf(stripe.customerOf(late), 500), START);
  stripe.emit("charge.refunded", chargeOf("cus_of_another_shop", 500), START);
  stripe.emit("charge.dispute.created", { id: "dp_1", amount: 1309, currency: "eur" }, START);
  const events = stripe.events.splice(0);
  await deliver(START, [...events, ...events]);
  const cases = (await openCases()).slice(0, -before || undefined);
  expect(cases.map(({ kind, money }) => [kind, money])).toEqual([
    ["dispute", "13.09"],
    ["refund", "5.00"],
    ["late", "13.09"],
    ["wrong_amount", "0.01"],
  ]);
  const [dispute] = cases;
  await expect(closeCase(deps.db, actor, dispute?.id ?? 0, " ")).rejects.toMatchObject({ code: "case_note_invalid" });
  await closeCase(deps.db, actor, dispute?.id ?? 0, "ended the plan");
  await expect(closeCase(deps.db, actor, dispute?.id ?? 0, "again")).rejects.toMatchObject({ code: "case_not_found" });
  expect(await openCases()).toHaveLength(before + 3);
});

const chargeOf = (customer: string, refunded: number) => ({
  ...{ id: `ch_${customer}`, object: "charge", customer, amount_refunded: refunded, currency: "eur", metadata: {} },
});

test("a payment for a period that is over is reported, also when a newer one was paid", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  const events = stripe.events.splice(0);
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end);
  await deliver(end);
  expect(await own(userId)).toMatchObject({ status: "active", period_start: end });
  await deliver(end + 60, events);
  await deliver(end + 120, events);
  expect((await openCases()).filter(({ user_id }) => user_id === userId)).toMatchObject([
    { kind: "late", money: "13.09", trade_no: tradeNo },
  ]);
  expect(await own(userId)).toMatchObject({ period_start: end, remaining: 700 });
});

test("a year of random payments, cancellations and webhooks that are lost, doubled and mixed up: both ledgers agree", async () => {
  const random = randomFrom(22);
  const orders: { tradeNo: string; userId: number }[] = [];
  for (let person = 0; person < 3; person++) {
    const userId = await addUser(database.sql, 0);
    orders.push({ userId, tradeNo: await order(userId) });
  }
  let now = START;
  for (const { tradeNo } of orders) stripe.checkOut(tradeNo, now);
  const held: typeof stripe.events = [];
  for (let step = 0; step < 120; step++) {
    now += random(6 * 86_400);
    for (const { tradeNo } of orders) {
      if (stripe.periodEnd(tradeNo) <= now) stripe.renew(tradeNo, now, random(5) > 0);
      if (random(12) === 0) stripe.setRenewal(tradeNo, random(3) > 0, now);
    }
    for (const event of stripe.events.splice(0)) {
      const fate = random(4);
      if (fate === 0) continue;
      held.push(event);
      if (fate === 1) held.push(event);
    }
    const due = held.splice(0, random(held.length + 1)).sort(() => random(3) - 1);
    await deliver(now, due);
    await advanceSubscriptions(deps, undefined, now);
    if (random(3) === 0) await pollCards(deps, undefined, now);
  }
  await deliver(now, held);
  await pollCards(deps, undefined, now + 86_400);
  for (const { tradeNo, userId } of orders) {
    expect(await paymentsOf(tradeNo)).toBe(stripe.paidInvoices(tradeNo));
    const present = await own(userId);
    expect(await quotaOf(userId)).toBe(present?.remaining ?? 0);
    const [logged] = await database.sql<{ sum: number }[]>`
      select coalesce(sum((other::json ->> 'quota_delta')::int), 0)::int as sum from logs
      where user_id = ${userId} and type = 3`;
    expect(logged?.sum).toBe(present?.remaining ?? 0);
  }
}, 120_000);

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
