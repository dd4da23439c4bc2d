import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser } from "../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../test/support/billing/start-card-plans.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { advanceSubscriptions } from "../advance-subscriptions.ts";
import { startCardPlan } from "../card/checkout.ts";
import { pollCards } from "../card/poll-cards.ts";
import { handlePlanEvent } from "../card/stripe/events.ts";
import { GRACE_S } from "../periods.ts";
import { listOwnSubscriptions, retirePlan } from "../plans.ts";
import { subscribe } from "../subscribe.ts";
import { endNow, setPaused, setPausedByAdmin, setRenewal } from "./change-subscription.ts";

const START = Math.floor(Date.now() / 1000);
const DAY_S = 86_400;

let started: Awaited<ReturnType<typeof startCardPlans>>;
let database: (typeof started)["database"];
let stripe: (typeof started)["stripe"];
let actor: (typeof started)["actor"];
let deps: (typeof started)["deps"];
beforeAll(async () => {
  started = await startCardPlans({ GroupRatio: '{"default":1,"pro":1}' });
  ({ database, stripe, actor, deps } = started);
});
afterAll(async () => {
  await started.stop();
});

const addPlan = () => started.offer({ name: "Pro", price: 1_000_000, userGroup: "pro" });
const only = async (userId: number) => {
  const own = await listOwnSubscriptions(deps.db, userId);
  if (!own[0] || own.length > 1) throw new Error(`there are ${own.length} subscriptions`);
  return own[0];
};
const rowOf = async (userId: number) => {
  const [row] = await database.sql`select quota::float8 as quota, "group" from users where id = ${userId}`;
  return { quota: Number(row?.quota), group: String(row?.group) };
};
const advance = (now: number) => advanceSubscriptions(deps, undefined, now);
const deliver = async (now: number, events = stripe.events.splice(0)) => {
  for (const event of events) await handlePlanEvent(deps, event, now);
};

/** An account with a plan that it pays from its balance. */
async function subscriber(quota = 2_500_000) {
  const userId = await addUser(database.sql, quota);
  const planId = await addPlan();
  await subscribe(deps, userId, planId, START);
  const { id, period_end: end } = await only(userId);
  return { userId, planId, id, end };
}

/** An account with a plan that it pays by card. */
async function cardholder() {
  const userId = await addUser(database.sql, 0);
  await startCardPlan(
    deps,
    { id: userId, group: "default" },
    { planId: await addPlan(), site: "https://gateway.test" },
    START,
  );
  const [order] = await database.sql<{ trade_no: string }[]>`
    select trade_no from plan_orders where user_id = ${userId}`;
  const tradeNo = order?.trade_no ?? "";
  stripe.setCard(START, true);
  stripe.checkOut(tradeNo, START);
  await deliver(START);
  const { id } = await only(userId);
  return { userId, tradeNo, id, end: stripe.periodEnd(tradeNo) };
}

test("a plan is paused when its period ends, costs nothing meanwhile, and begins a new period when it is resumed", async () => {
  const { userId, id, end } = await subscriber();
  await setPaused(deps, userId, id, true, START + DAY_S);
  expect(await only(userId)).toMatchObject({ status: "active", pause_at_end: true, remaining: 700 });
  await advance(end - 1);
  expect(await rowOf(userId)).toEqual({ quota: 1_500_700, group: "pro" });
  await Promise.all([advance(end), advance(end), advance(end)]);
  expect(await only(userId)).toMatchObject({ status: "paused", pause_at_end: false, remaining: 0 });
  expect(await rowOf(userId)).toEqual({ quota: 1_500_000, group: "default" });
  expect(await advance(end + 90 * DAY_S)).toBe(0);
  const at = end + 90 * DAY_S;
  // The balance is enough for one of them; whoever comes later finds that it runs.
  await Promise.all(Array.from({ length: 5 }, () => setPaused(deps, userId, id, false, at)));
  await setPaused(deps, userId, id, false, at + 1);
  expect(await only(userId)).toMatchObject({ status: "active", period_start: at, remaining: 700 });
  expect(await rowOf(userId)).toEqual({ quota: 500_700, group: "pro" });
});

test("a pause is taken back before it begins; one that is canceled is not paused, and canceling ends a pause", async () => {
  const { userId, id, end } = await subscriber();
  await setPaused(deps, userId, id, true, START);
  await setPaused(deps, userId, id, false, START);
  await advance(end);
  expect(await only(userId)).toMatchObject({ status: "active", period_start: end });
  await setRenewal(deps, userId, id, false);
  await expect(setPaused(deps, userId, id, true, end)).rejects.toMatchObject({ code: "subscription_canceled" });
  await setRenewal(deps, userId, id, true);
  await setPaused(deps, userId, id, true, end);
  const { period_end: second } = await only(userId);
  // The job has not looked yet: nothing is known of the next period.
  await expect(setPaused(deps, userId, id, false, second)).rejects.toMatchObject({ code: "subscription_changed" });
  await advance(second);
  await expect(setPaused(deps, userId, id, true, second)).rejects.toMatchObject({ code: "subscription_not_active" });
  await setRenewal(deps, userId, id, false);
  await advance(second);
  expect(await listOwnSubscriptions(deps.db, userId)).toEqual([]);
});

test("resuming needs the money, a plan that is offered, and that the account has not subscribed again", async () => {
  const poor = await subscriber(1_000_000);
  await setPaused(deps, poor.userId, poor.id, true, START);
  await advance(poor.end);
  const resuming = () => setPaused(deps, poor.userId, poor.id, false, poor.end);
  await expect(resuming()).rejects.toMatchObject({ code: "plan_balance_too_low" });
  expect(await only(poor.userId)).toMatchObject({ status: "paused" });
  await retirePlan(deps, actor, poor.planId);
  await expect(resuming()).rejects.toMatchObject({ code: "plan_not_found" });
  const withdrawn = await subscriber();
  await setPaused(deps, withdrawn.userId, withdrawn.id, true, START);
  await retirePlan(deps, actor, withdrawn.planId);
  await advance(withdrawn.end);
  expect(await listOwnSubscriptions(deps.db, withdrawn.userId)).toEqual([]);
  const other = await addUser(database.sql, 0);
  await expect(setPaused(deps, other, poor.id, true, START)).rejects.toMatchObject({ code: "subscription_not_found" });
});

test("an administrator pauses, resumes and ends it, under their own name", async () => {
  const { userId, id, end } = await subscriber();
  const peer = { id: actor.id, role: 1, adminRoleId: null } as UserEntry;
  await expect(setPausedByAdmin(deps, peer, id, true, START)).rejects.toMatchObject({ code: "user_out_of_reach" });
  await setPausedByAdmin(deps, actor, id, true, START);
  await advance(end);
  await setPausedByAdmin(deps, actor, id, false, end + DAY_S);
  expect(await only(userId)).toMatchObject({ status: "active", period_start: end + DAY_S });
  await setPausedByAdmin(deps, actor, id, true, end + DAY_S);
  const { period_end: second } = await only(userId);
  await advance(second);
  await endNow(deps, actor, id);
  await advance(second);
  expect(await listOwnSubscriptions(deps.db, userId)).toEqual([]);
  const logged = await database.sql<{ content: string }[]>`
    select content from logs where user_id = ${actor.id} and content like ${`%subscription #${id}`} order by id`;
  expect(logged.map(({ content }) => content.split(" ")[0])).toEqual(["Paused", "Resumed", "Paused", "Ended"]);
});

test("by card: Stripe collects nothing during a pause, and resuming charges a period once, however often it is asked", async () => {
  const { userId, tradeNo, id, end } = await cardholder();
  await setPaused(deps, userId, id, true, START);
  expect(stripe.isPaused(tradeNo)).toBe(true);
  stripe.renew(tradeNo, end);
  await deliver(end);
  await advance(end);
  expect(await only(userId)).toMatchObject({ status: "paused", remaining: 0 });
  await advance(end + GRACE_S);
  await pollCards(deps, undefined, end + GRACE_S);
  expect(await only(userId)).toMatchObject({ status: "paused" });
  const at = end + 10 * DAY_S;
  stripe.setCard(at, false);
  await expect(setPaused(deps, userId, id, false, at)).rejects.toMatchObject({ code: "payment_request_failed" });
  expect(stripe.isPaused(tradeNo)).toBe(true);
  stripe.setCard(at, true);
  await setPaused(deps, userId, id, false, at);
  await setPaused(deps, userId, id, false, at);
  expect(stripe.paidInvoices(tradeNo)).toBe(2);
  const events = stripe.events.splice(0);
  await deliver(at, events.toReversed());
  await deliver(at, events);
  expect(await only(userId)).toMatchObject({ status: "active", pause_at_end: false, period_start: at, remaining: 700 });
  expect(await rowOf(userId)).toEqual({ quota: 700, group: "pro" });
});

test("by card: a pause that is taken back in time, or made at Stripe, counts; canceling ends it there too", async () => {
  const { userId, tradeNo, id, end } = await cardholder();
  await setPaused(deps, userId, id, true, START);
  await setPaused(deps, userId, id, false, START);
  expect(stripe.isPaused(tradeNo)).toBe(false);
  stripe.renew(tradeNo, end);
  await deliver(end);
  expect(await only(userId)).toMatchObject({ status: "active", period_start: end });
  stripe.pause(tradeNo, end + 60);
  // The webhook is lost.
  stripe.events.length = 0;
  await pollCards(deps, undefined, end + 2 * DAY_S);
  expect(await only(userId)).toMatchObject({ status: "active", pause_at_end: true });
  const second = stripe.periodEnd(tradeNo);
  await setRenewal(deps, userId, id, false);
  expect([stripe.isPaused(tradeNo), stripe.isCanceled(tradeNo)]).toEqual([false, true]);
  await advance(second);
  expect(await listOwnSubscriptions(deps.db, userId)).toEqual([]);
});
