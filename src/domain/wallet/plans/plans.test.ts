import { afterAll, expect, test } from "bun:test";
import { addUser } from "../../../../test/support/billing/start-billing.ts";
import { renewingWithoutCards, spend, startPlans, switchPlan } from "../../../../test/support/billing/start-plans.ts";
import { setRenewal } from "./changes/change-subscription.ts";
import { GRACE_S } from "./periods.ts";
import { lockPlanAccount } from "./plan-account.ts";
import { listOwnSubscriptions, type PlanInput } from "./plans.ts";
import { subscribe } from "./subscribe.ts";

const DAY_S = 86_400;
const START = Date.UTC(2026, 0, 31) / 1000;

const tests = await startPlans({ GroupRatio: '{"default":1,"pro":1}' });
const { database, billing, deps, advance } = tests;
afterAll(tests.close);

const plan = (values: Partial<PlanInput>) => tests.plan({ price: 1000, ...values });
const accountOf = (userId: number) => database.db.transaction((tx) => lockPlanAccount(tx, userId));
const stateOf = async (userId: number) => {
  const { walletUnits, group } = await accountOf(userId);
  const own = await listOwnSubscriptions(database.db, userId);
  return { walletUnits, group, left: own.map(({ remaining }) => remaining), status: own.map(({ status }) => status) };
};
const renewing = renewingWithoutCards(database);
const only = async (userId: number) => {
  const [subscription] = await listOwnSubscriptions(database.db, userId);
  if (!subscription) throw new Error("there is no subscription");
  return subscription;
};

test("a call draws on the window first, then on the wallet; each window is filled up once", async () => {
  const userId = await addUser(database.sql, 5000);
  await subscribe(deps, userId, await plan({ userGroup: "pro" }), START);
  expect(await stateOf(userId)).toEqual({ walletUnits: 4000, group: "pro", left: [500], status: ["active"] });
  await spend(billing, userId, 200);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 4000, left: [300] });
  await spend(billing, userId, 450);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 3850, left: [0] });
  expect(await advance(START + DAY_S - 1)).toBe(0);
  expect(await advance(START + DAY_S)).toBe(1);
  expect(await advance(START + DAY_S)).toBe(0);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 3850, left: [500] });
});

test("a period is renewed from the wallet alone, waits for a top-up, and ends with what is left of its window", async () => {
  const userId = await addUser(database.sql, 2300);
  await subscribe(deps, userId, await plan({ windowQuota: 5000, window: "period" }), START);
  const end = Date.UTC(2026, 1, 28) / 1000;
  expect((await only(userId)).period_end).toBe(end);
  await advance(end);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 300, left: [5000], status: ["active"] });
  const next = (await only(userId)).period_end;
  expect(next).toBe(Date.UTC(2026, 2, 28) / 1000);
  // 5,000 units of the plan are left, but they do not pay for it.
  await advance(next);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 300, left: [5000], status: ["past_due"] });
  await advance(next + 30);
  const notices = await database.sql<{ type: string }[]>`
    select notice ->> 'type' as type from pending_notices where user_id = ${userId}`;
  expect([...notices]).toEqual([{ type: "plan_payment_overdue" }]);
  await database.sql`update users set quota = quota + 700 where id = ${userId}`;
  await database.changes.publish("users", [userId]);
  await advance(next + 60);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 0, left: [5000], status: ["active"] });
  await spend(billing, userId, 4000);
  const last = (await only(userId)).period_end;
  await advance(last);
  await advance(last + GRACE_S);
  expect(await stateOf(userId)).toEqual({ walletUnits: 0, group: "default", left: [], status: [] });
});

test("a plan that was canceled ends with its period and gives the group back; a trial is free once", async () => {
  const userId = await addUser(database.sql, 1500);
  const planId = await plan({ trialDays: 7, userGroup: "pro" });
  await subscribe(deps, userId, planId, START);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 1500, group: "pro" });
  await expect(subscribe(deps, userId, planId, START)).rejects.toMatchObject({ code: "plan_subscribed_already" });
  await setRenewal(renewing, userId, (await only(userId)).id, false);
  await advance(START + 7 * DAY_S);
  expect(await stateOf(userId)).toEqual({ walletUnits: 1500, group: "default", left: [], status: [] });
  await subscribe(deps, userId, planId, START + 8 * DAY_S);
  expect((await stateOf(userId)).walletUnits).toBe(500);
});

test("a more expensive plan begins at once, less what the unused time was worth; a cheaper one with the next period", async () => {
  const userId = await addUser(database.sql, 10_000);
  const [small, large] = [await plan({ price: 3100 }), await plan({ price: 5000, windowQuota: 900 })];
  const march = Date.UTC(2026, 2, 1) / 1000;
  await subscribe(deps, userId, small, march);
  const { id } = await only(userId);
  // 21 of 31 days are left: 2,100 of 3,100.
  await switchPlan(deps, userId, id, large, march + 10 * DAY_S);
  expect(await stateOf(userId)).toMatchObject({ walletUnits: 10_000 - 3100 - (5000 - 2100), left: [900] });
  await switchPlan(deps, userId, id, small, march + 11 * DAY_S);
  expect(await only(userId)).toMatchObject({ plan_id: large, next_plan_id: small });
  await advance((await only(userId)).period_end);
  expect(await only(userId)).toMatchObject({ plan_id: small, next_plan_id: null });
  expect((await stateOf(userId)).walletUnits).toBe(10_000 - 3100 - 2900 - 3100);
});

test("a price is not paid with quota of plans, nor twice by clicks at the same time", async () => {
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan({ windowQuota: 9000 }), START);
  await expect(subscribe(deps, userId, await plan({ price: 500 }), START)).rejects.toMatchObject({
    code: "plan_balance_too_low",
  });
  const other = await addUser(database.sql, 10_000);
  const planId = await plan({});
  const clicks = await Promise.allSettled(Array.from({ length: 8 }, () => subscribe(deps, other, planId, START)));
  expect(clicks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await stateOf(other)).toMatchObject({ walletUnits: 9000, left: [500] });
});

test("what is left of a window is taken back at its end, as far as an administrator left it in the balance", async () => {
  const userId = await addUser(database.sql, 1000);
  await subscribe(deps, userId, await plan({ windowQuota: 800, window: "period" }), START);
  await setRenewal(renewing, userId, (await only(userId)).id, false);
  await spend(billing, userId, 100);
  await database.sql`update users set quota = 300 where id = ${userId}`;
  await database.changes.publish("users", [userId]);
  await advance((await only(userId)).period_end);
  expect(await stateOf(userId)).toEqual({ walletUnits: 0, group: "default", left: [], status: [] });
});
