import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser } from "../../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../../test/support/billing/start-card-plans.ts";
import { listCases } from "../../../payments/cases.ts";
import { readPaidOrders } from "../../../statements/movements/read-movements.ts";
import { listOwnSubscriptions } from "../../plans.ts";
import { startCardPlan } from "../checkout.ts";
import { pollCards } from "../poll-cards.ts";
import { handlePlanEvent } from "../stripe/events.ts";

const START = Math.floor(Date.now() / 1000);
const DAY_S = 86_400;

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
let planId: number;
beforeAll(async () => {
  started = await startCardPlans();
  ({ database, stripe, deps } = started);
  planId = await started.offer({ name: "Pro", price: 1_000_000, trialDays: 7 });
});
afterAll(async () => {
  await started.stop();
});

async function order(userId: number): Promise<string> {
  await startCardPlan(deps, { id: userId, group: "default" }, { planId, site: "https://gateway.test" }, START);
  const [row] = await database.sql<{ trade_no: string }[]>`
    select trade_no from plan_orders where user_id = ${userId} order by id desc limit 1`;
  return row?.trade_no ?? "";
}
const deliver = async (now: number, events = stripe.events.splice(0)) => {
  for (const event of events) await handlePlanEvent(deps, event, now);
};
const own = (userId: number) => listOwnSubscriptions(deps.db, userId);
const casesOf = async (userId: number) =>
  (await listCases(deps.db, { page: 0, pageSize: 100 })).items.filter(({ user_id }) => user_id === userId);

test("a trial by card is free once, then the card pays; the statement names what was paid alone", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  const events = stripe.events.splice(0);
  await deliver(START, [...events, ...events.toReversed()]);
  const end = START + 7 * DAY_S;
  expect(await own(userId)).toMatchObject([{ is_trial: true, status: "active", period_end: end, remaining: 700 }]);
  stripe.renew(tradeNo, end);
  await deliver(end);
  await deliver(end, events);
  expect(await own(userId)).toMatchObject([{ is_trial: false, status: "active", period_start: end, remaining: 700 }]);
  const month = { from: START - DAY_S, until: end + DAY_S };
  expect(await readPaidOrders(deps.db, userId, month)).toMatchObject([{ money: "2.00", currency: "USD" }]);
  expect(await casesOf(userId)).toEqual([]);
});

test("an account that had the plan pays from the first day on", async () => {
  const userId = await addUser(database.sql, 0);
  stripe.checkOut(await order(userId), START);
  await deliver(START);
  expect(await own(userId)).toHaveLength(1);
  await database.sql`update subscriptions set status = 'ended' where user_id = ${userId}`;
  const third = await order(userId);
  stripe.checkOut(third, START);
  expect(stripe.invoices.at(-1)?.amount).toBe(200);
  await deliver(START);
  expect(await own(userId)).toMatchObject([{ is_trial: false, status: "active" }]);
});

test("a trial whose webhooks never come is found by asking Stripe", async () => {
  const userId = await addUser(database.sql, 0);
  stripe.checkOut(await order(userId), START);
  stripe.events.length = 0;
  await pollCards(deps, undefined, START + 3600);
  await pollCards(deps, undefined, START + 7200);
  expect(await own(userId)).toMatchObject([{ is_trial: true, status: "active" }]);
});
