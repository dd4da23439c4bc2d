import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { addUser } from "../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../test/support/billing/start-card-plans.ts";
import { listCases } from "../../payments/cases.ts";
import { changePlan } from "../changes/change-subscription.ts";
import { listOwnSubscriptions } from "../plans.ts";
import { subscribe } from "../subscribe.ts";
import { startCardPlan } from "./checkout.ts";
import { pollCards } from "./poll-cards.ts";
import { handlePlanEvent } from "./stripe/events.ts";

const START = Math.floor(Date.now() / 1000);
const PRICE = 1_000_000;

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
const plans = { paid: 0, trial: 0, large: 0, huge: 0 };
beforeAll(async () => {
  started = await startCardPlans();
  ({ database, stripe, deps } = started);
  plans.paid = await started.offer({ name: "Pro", price: PRICE });
  plans.trial = await started.offer({ name: "Try", price: PRICE, trialDays: 7 });
  plans.large = await started.offer({ name: "Large", price: 2 * PRICE });
  plans.huge = await started.offer({ name: "Huge", price: 5 * PRICE });
});
afterAll(async () => {
  await started.stop();
});
beforeEach(() => {
  stripe.events.length = 0;
  stripe.refuseToCancel(false);
});

const start = (userId: number, planId = plans.paid) =>
  startCardPlan(deps, { id: userId, group: "default" }, { planId, site: "https://gateway.test" }, START);
const ordersOf = async (userId: number) => {
  const rows = await database.sql<{ trade_no: string; status: string }[]>`
    select trade_no, status from plan_orders where user_id = ${userId} order by id`;
  return rows.map(({ trade_no: tradeNo, status }) => ({ tradeNo, status }));
};
/** Orders the plan and returns the order's number. */
async function order(userId: number, planId?: number): Promise<string> {
  await start(userId, planId);
  return (await ordersOf(userId)).at(-1)?.tradeNo ?? "";
}
const openPagesOf = async (userId: number) => {
  const own = (await ordersOf(userId)).map(({ tradeNo }) => tradeNo);
  return stripe.openPages().filter((tradeNo) => own.includes(tradeNo));
};
const deliver = async (events = stripe.events.splice(0)) => {
  for (const event of events) await handlePlanEvent(deps, event, START);
};
const own = (userId: number) => listOwnSubscriptions(deps.db, userId);
const quotaOf = async (userId: number): Promise<number> =>
  Number((await database.sql`select quota from users where id = ${userId}`)[0]?.quota);
const casesOf = async (userId: number) =>
  (await listCases(deps.db, { page: 0, pageSize: 100 })).items.filter(({ user_id }) => user_id === userId);

/** Two pages that are open at the same time, as orders of a version that did not close the earlier one. */
async function orderTwice(userId: number): Promise<[string, string]> {
  const first = await order(userId);
  await database.sql`update plan_orders set status = 'ended' where trade_no = ${first}`;
  const second = await order(userId);
  await database.sql`update plan_orders set status = 'pending' where trade_no = ${first}`;
  return [first, second];
}

test("however many pages are requested at once, one can be paid: the newest", async () => {
  const userId = await addUser(database.sql, 0);
  const started = await Promise.allSettled(Array.from({ length: 6 }, () => start(userId)));
  const open = await openPagesOf(userId);
  expect(open).toHaveLength(1);
  expect(started.some(({ status }) => status === "fulfilled")).toBe(true);
  for (const one of started)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "plan_page_replaced" });
  await start(userId);
  const newest = await openPagesOf(userId);
  expect(newest).toHaveLength(1);
  expect(newest).not.toEqual(open);
  expect((await ordersOf(userId)).filter(({ status }) => status === "pending")).toHaveLength(1);
});

test("a page that was paid while another is requested begins the plan, and there is no other page", async () => {
  const userId = await addUser(database.sql, 0);
  stripe.checkOut(await order(userId), START);
  stripe.events.length = 0;
  await expect(start(userId)).rejects.toMatchObject({ code: "plan_subscribed_already" });
  expect(await own(userId)).toMatchObject([{ status: "active", is_card: true }]);
  expect(await openPagesOf(userId)).toEqual([]);
});

test("two pages that are both paid: one plan, one subscription at Stripe, whatever is reported twice or in another order", async () => {
  for (const reversed of [false, true]) {
    const userId = await addUser(database.sql, 0);
    const [first, second] = await orderTwice(userId);
    stripe.checkOut(first, START);
    stripe.checkOut(second, START);
    const events = stripe.events.splice(0);
    if (reversed) events.reverse();
    await Promise.all(Array.from({ length: 3 }, () => deliver([...events])));
    await deliver();
    await deliver(events.toReversed());
    await pollCards(deps, undefined, START + 3600);
    expect(await own(userId)).toMatchObject([{ status: "active", remaining: 700, cancel_at_end: false }]);
    expect(await quotaOf(userId)).toBe(700);
    expect([stripe.statusOf(first), stripe.statusOf(second)].sort()).toEqual(["active", "canceled"]);
    expect((await ordersOf(userId)).map(({ status }) => status).sort()).toEqual(["active", "ended"]);
    expect(await casesOf(userId)).toMatchObject([{ kind: "duplicate", money: "2.00" }]);
  }
});

test("a plan that is paid from the balance and by card at once begins once", async () => {
  const userId = await addUser(database.sql, PRICE);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  await Promise.allSettled([deliver(), subscribe(deps, userId, plans.paid, START)]);
  await deliver();
  const present = await own(userId);
  expect(present).toHaveLength(1);
  const isCard = present[0]?.is_card === true;
  expect(stripe.statusOf(tradeNo)).toBe(isCard ? "active" : "canceled");
  expect(await quotaOf(userId)).toBe(isCard ? PRICE + 700 : 700);
  expect(await casesOf(userId)).toHaveLength(isCard ? 0 : 1);
});

test("of many changes at once one is charged", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  await deliver();
  const later = START + 10 * 86_400;
  stripe.setCard(later, true);
  const subscriptionId = (await own(userId))[0]?.id ?? 0;
  const results = await Promise.allSettled(
    [plans.large, plans.huge, plans.large, plans.huge].map((planId) =>
      changePlan(
        deps,
        { id: userId, group: "default" },
        { subscriptionId, planId, site: "https://gateway.test" },
        later,
      ),
    ),
  );
  // One that looks at the plan when another has been charged changes what that one bought.
  const changed = results.filter(({ status }) => status === "fulfilled").length;
  expect(changed).toBeGreaterThan(0);
  for (const event of stripe.events.splice(0)) await handlePlanEvent(deps, event, later);
  const paid = stripe.invoices.filter(
    ({ subscription, status }) => subscription.metadata.order === tradeNo && status === "paid",
  );
  expect(paid.length).toBeGreaterThan(1);
  expect(paid.length).toBeLessThanOrEqual(1 + changed);
  expect(await casesOf(userId)).toEqual([]);
  expect(["Large", "Huge"]).toContain((await own(userId))[0]?.plan_name ?? "");
});

test("a second trial is canceled at Stripe, so that the card is never charged", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId, plans.trial);
  await subscribe(deps, userId, plans.trial, START);
  stripe.checkOut(tradeNo, START);
  await deliver();
  expect(stripe.statusOf(tradeNo)).toBe("canceled");
  expect(await own(userId)).toMatchObject([{ is_card: false, is_trial: true }]);
});

test("when Stripe cannot cancel the second subscription, the next poll does", async () => {
  const userId = await addUser(database.sql, PRICE);
  const tradeNo = await order(userId);
  await subscribe(deps, userId, plans.paid, START);
  stripe.checkOut(tradeNo, START);
  stripe.refuseToCancel(true);
  await deliver();
  expect(await ordersOf(userId)).toMatchObject([{ status: "duplicate" }]);
  // The first subscription ends: what was refused stays so.
  await database.sql`update subscriptions set status = 'ended' where user_id = ${userId}`;
  stripe.renew(tradeNo, stripe.periodEnd(tradeNo));
  await deliver();
  expect(await own(userId)).toEqual([]);
  stripe.refuseToCancel(false);
  await pollCards(deps, undefined, START + 60);
  expect(stripe.statusOf(tradeNo)).toBe("canceled");
  expect(await ordersOf(userId)).toMatchObject([{ status: "ended" }]);
  expect(await casesOf(userId)).toMatchObject([{ kind: "duplicate" }, { kind: "duplicate" }]);
});

test("an account that was deleted is not charged any more, and what it pays afterwards begins nothing", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId);
  stripe.checkOut(tradeNo, START);
  await deliver();
  const late = await addUser(database.sql, 0);
  const latest = await order(late);
  await database.sql`update users set deleted_at = ${START} where id in (${userId}, ${late})`;
  await database.sql`update subscriptions set status = 'ended' where user_id = ${userId}`;
  stripe.refuseToCancel(true);
  await pollCards(deps, undefined, START + 60);
  stripe.refuseToCancel(false);
  await pollCards(deps, undefined, START + 120);
  expect([stripe.statusOf(tradeNo), await ordersOf(userId)]).toMatchObject(["canceled", [{ status: "ended" }]]);
  // Its page was open.
  stripe.checkOut(latest, START);
  await deliver();
  expect([await own(late), await quotaOf(late)]).toEqual([[], 0]);
  expect(await casesOf(late)).toMatchObject([{ kind: "late" }]);
  await pollCards(deps, undefined, START + 180);
  expect(stripe.statusOf(latest)).toBe("canceled");
});
