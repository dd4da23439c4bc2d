import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser, transferDirectly } from "../../../../test/support/billing/start-billing.ts";
import { switchPlan } from "../../../../test/support/billing/start-plans.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { createCodes } from "../codes/create-codes.ts";
import { redeemCode } from "../codes/redeem-code.ts";
import { advanceSubscriptions } from "./advance-subscriptions.ts";
import { type CouponInput, createCoupon, priceWith, retireCoupon } from "./coupons.ts";
import { listOwnSubscriptions, type PlanInput, retirePlan, savePlan } from "./plans.ts";
import { type PlanDeps, subscribe } from "./subscribe.ts";

const START = Date.UTC(2026, 0, 1) / 1000;

let database: TestDatabase;
let deps: PlanDeps;
let actor: UserEntry;
beforeAll(async () => {
  database = await openTestDatabase();
  const { db, changes } = database;
  deps = { db, changes, settings: fixedSettings({}), billing: { transfer: transferDirectly } };
  actor = { id: await addUser(database.sql, 0), role: 100 } as UserEntry;
});
afterAll(() => database.close());

const plan = (values: Partial<PlanInput>) =>
  savePlan(deps, actor, {
    ...{ name: "plan", description: "", price: 1001, period: "month", periodCount: 1, windowQuota: 0, window: "day" },
    ...{ userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, ...values },
  });
const coupon = (values: Partial<CouponInput>) =>
  createCoupon(deps, actor, {
    ...{ code: "SPRING", percentOff: 0, amountOff: 0, duration: "once", planId: null, maxUses: 0, validUntil: 0 },
    ...values,
  });
const only = async (userId: number) => {
  const [subscription] = await listOwnSubscriptions(deps.db, userId);
  if (!subscription) throw new Error("there is no subscription");
  return subscription;
};
const quotaOf = async (userId: number): Promise<number> => {
  const [row] = await database.sql<{ quota: number }[]>`select quota from users where id = ${userId}`;
  return row?.quota ?? 0;
};

test("part of a unit is not taken off, and no price is below zero", () => {
  const off = (percentOff: number, amountOff: number, planId: number | null = null) =>
    priceWith({ id: 1, price: 1001, seatPrice: 0 }, { percentOff, amountOff, planId });
  expect([off(33, 0), off(100, 0), off(0, 500), off(0, 5000), off(50, 0, 2)]).toEqual([671, 0, 501, 0, 1001]);
});

test("one counts for the first period, another for all", async () => {
  const planId = await plan({});
  await coupon({ code: "first-20", percentOff: 20 });
  await coupon({ code: "forever-20", percentOff: 20, duration: "forever" });
  const [once, always] = [await addUser(database.sql, 10_000), await addUser(database.sql, 10_000)];
  await subscribe(deps, once, planId, START, " First-20 ");
  await subscribe(deps, always, planId, START, "FOREVER-20");
  expect([await quotaOf(once), await quotaOf(always)]).toEqual([10_000 - 801, 10_000 - 801]);
  expect([(await only(once)).renewal_price, (await only(always)).renewal_price]).toEqual([1001, 801]);
  await advanceSubscriptions(deps, undefined, (await only(once)).period_end);
  expect([await quotaOf(once), await quotaOf(always)]).toEqual([10_000 - 801 - 1001, 10_000 - 801 - 801]);
});

test("after a trial it counts for the first period that is paid; an upgrade keeps what was paid", async () => {
  const [small, large] = [await plan({ trialDays: 7 }), await plan({ price: 5000 })];
  await coupon({ code: "TRIAL", amountOff: 1000, planId: small });
  const userId = await addUser(database.sql, 10_000);
  await subscribe(deps, userId, small, START, "trial");
  expect(await quotaOf(userId)).toBe(10_000);
  await advanceSubscriptions(deps, undefined, START + 7 * 86_400);
  expect(await quotaOf(userId)).toBe(9999);
  const own = await only(userId);
  await switchPlan(deps, userId, own.id, large, own.period_start);
  expect(await quotaOf(userId)).toBe(10_000 - 5000);
});

test("who comes too late, too often or for another plan receives the reason, and pays nothing", async () => {
  const [planId, other] = [await plan({}), await plan({})];
  const rich = () => addUser(database.sql, 10_000);
  await coupon({ code: "THREE", percentOff: 50, maxUses: 3 });
  const people = await Promise.all(Array.from({ length: 10 }, rich));
  const tries = await Promise.allSettled(people.map((userId) => subscribe(deps, userId, planId, START, "three")));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const balances = await Promise.all(people.map(quotaOf));
  expect(balances.filter((quota) => quota === 10_000)).toHaveLength(7);
  await coupon({ code: "MINE", percentOff: 50, planId: other, duration: "forever" });
  await createCoupon(
    deps,
    actor,
    {
      ...{ code: "OLD", percentOff: 5, amountOff: 0, duration: "once", planId: null, maxUses: 0 },
      validUntil: START + 9,
    },
    START,
  );
  const userId = await rich();
  const subscribing = (code: string, id = planId, now = START) => subscribe(deps, userId, id, now, code);
  await expect(subscribing("none")).rejects.toMatchObject({ code: "coupon_invalid" });
  await expect(subscribing("THREE")).rejects.toMatchObject({ code: "coupon_used_up" });
  await expect(subscribing("mine")).rejects.toMatchObject({ code: "coupon_not_for_plan" });
  await expect(subscribing("old", planId, START + 9)).rejects.toMatchObject({ code: "coupon_expired" });
  expect(await quotaOf(userId)).toBe(10_000);
  await subscribing("mine", other);
  const [{ id } = { id: 0 }] = await database.sql<{ id: number }[]>`select id from coupons where code = 'MINE'`;
  await retireCoupon(deps, actor, id);
  const again = await rich();
  await expect(subscribe(deps, again, other, START, "mine")).rejects.toMatchObject({ code: "coupon_invalid" });
  // Who has it keeps it.
  await advanceSubscriptions(deps, undefined, (await only(userId)).period_end);
  expect(await quotaOf(userId)).toBe(10_000 - 2 * 501);
});

test("what is wrong with a coupon is named", async () => {
  for (const [values, code] of [
    [{ code: "a b", percentOff: 5 }, "coupon_code_invalid"],
    [{ percentOff: 5, amountOff: 5 }, "coupon_worth_invalid"],
    [{}, "coupon_worth_invalid"],
    [{ percentOff: 101 }, "coupon_worth_invalid"],
    [{ amountOff: 0.5 }, "coupon_worth_invalid"],
    [{ percentOff: 5, duration: "sometimes" }, "coupon_duration_invalid"],
    [{ percentOff: 5, maxUses: -1 }, "coupon_uses_invalid"],
    [{ percentOff: 5, validUntil: 5 }, "coupon_expiry_invalid"],
    [{ percentOff: 5, planId: 1_000_000 }, "plan_not_found"],
  ] as const) {
    await expect(coupon({ ...values })).rejects.toMatchObject({ code });
  }
  await coupon({ percentOff: 5 });
  await expect(coupon({ percentOff: 5 })).rejects.toMatchObject({ code: "coupon_code_taken" });
});

test("a code gives a plan for one period, once, and no quota of its own", async () => {
  const planId = await plan({ windowQuota: 300 });
  const [key = ""] = await createCodes(deps, actor, { name: "gift", quota: 0, plan_id: planId });
  const userId = await addUser(database.sql, 0);
  const others = await Promise.all(Array.from({ length: 5 }, () => addUser(database.sql, 0)));
  const tries = await Promise.allSettled([userId, ...others].map((id) => redeemCode(deps, id, key)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const balances = await Promise.all([userId, ...others].map(quotaOf));
  expect(balances.sort((a, b) => b - a)).toEqual([300, 0, 0, 0, 0, 0]);
  // Who has the plan already keeps the code for later.
  const [second = ""] = await createCodes(deps, actor, { name: "gift", quota: 0, plan_id: planId });
  const holder = [userId, ...others][tries.findIndex(({ status }) => status === "fulfilled")] ?? 0;
  await expect(redeemCode(deps, holder, second)).rejects.toMatchObject({ code: "plan_subscribed_already" });
  expect(await only(holder)).toMatchObject({ cancel_at_end: true, price: 1001 });
  await retirePlan(deps, actor, planId);
  await expect(redeemCode(deps, others[0] ?? 0, second)).rejects.toMatchObject({ code: "plan_not_found" });
  await expect(createCodes(deps, actor, { name: "late", quota: 0, plan_id: planId })).rejects.toMatchObject({
    code: "plan_not_found",
  });
});
