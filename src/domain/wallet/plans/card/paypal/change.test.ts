import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../../../db/schema/accounts/users.ts";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { transferDirectly } from "../../../../../../test/support/billing/start-billing.ts";
import { planInput } from "../../../../../../test/support/billing/start-plans.ts";
import { startFakePaypal } from "../../../../../../test/support/console/fake-paypal.ts";
import { startTestWallet, type TestWallet } from "../../../../../../test/support/console/wallet.ts";
import { createAddressPolicy } from "../../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../../../lib/runtime/log.ts";
import type { UserEntry } from "../../../../accounts/directory.ts";
import { listCases } from "../../../payments/cases.ts";
import { readPaidOrders } from "../../../statements/movements/read-movements.ts";
import { advanceSubscriptions } from "../../advance-subscriptions.ts";
import { changePlan, previewChange, setRenewal } from "../../changes/change-subscription.ts";
import { listOwnSubscriptions, savePlan } from "../../plans.ts";
import { startCardPlan } from "../checkout.ts";
import { createDrivers } from "../drivers.ts";
import { pollCards } from "../poll-cards.ts";
import { handlePaypalPlanEvent } from "./events.ts";

const SITE = "https://gateway.test";
const START = Math.floor(Date.UTC(2030, 0, 15, 12) / 1000);
const HOUR_S = 3600;
const DAY_S = 86_400;

let app: TestWallet;
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
let deps: Parameters<typeof changePlan>[0] & Parameters<typeof pollCards>[0];
const plans = { small: 0, large: 0, same: 0, yearly: 0, trial: 0 };
beforeAll(async () => {
  paypal = await startFakePaypal();
  const prices = { PaypalPrice: "1", PaypalCurrency: "eur", TaxRates: '{"DE":19}', TaxCountry: "DE" };
  app = await startTestWallet({ ServerAddress: SITE, ...paypal.settings, ...prices }, "", [paypal.root]);
  const services = {
    ...{ ...app, stripeAddress: "http://127.0.0.1:9" },
    fetch: createSafeFetch(createAddressPolicy(true)),
    log: createLogger({ logLevel: "silent", logFormat: "json" }),
    billing: { transfer: transferDirectly },
  };
  deps = { ...services, drivers: createDrivers(services) };
  const actor = { id: app.ids.root, role: 100 } as UserEntry;
  const plan = (name: string, price: number, windowQuota: number, more: object = {}) =>
    savePlan(deps, actor, planInput({ window: "period", name, price, windowQuota, ...more }));
  // 11.90 and 23.80 euros with tax.
  plans.small = await plan("Small", 5_000_000, 700);
  plans.large = await plan("Large", 10_000_000, 2_000);
  plans.same = await plan("Same", 5_000_000, 900);
  plans.yearly = await plan("Yearly", 50_000_000, 900, { period: "year" });
  plans.trial = await plan("Try", 5_000_000, 50, { trialDays: 7 });
});
afterAll(async () => {
  await app.close();
  await paypal.stop();
});
beforeEach(() => {
  Object.assign(paypal.plans.state, { failsToRevise: false, listsSales: true });
});

type Reported = Readonly<{ type: string; resource: object }>;
const deliver = async (now: number, events: readonly Reported[]) => {
  for (const { type, resource } of events) await handlePaypalPlanEvent(deps, type, { ...resource }, now);
};
const own = async (userId: number) => (await listOwnSubscriptions(app.db, userId))[0];
const userOf = (id: number) => ({ id, group: "default" });
let people = 0;
/** An account that pays for a plan by PayPal since `START`; with the number of its order, which PayPal knows. */
async function payByPaypal(planId = plans.small): Promise<Readonly<{ userId: number; tradeNo: string }>> {
  const userId = await app.addUser(`changer${++people}`);
  await startCardPlan(deps, userOf(userId), { planId, site: SITE, service: "paypal" }, START);
  const [order] = await app.db.select().from(planOrders).where(eq(planOrders.userId, userId));
  const tradeNo = order?.tradeNo ?? "";
  await deliver(START, paypal.plans.approve(tradeNo, START));
  return { userId, tradeNo };
}
const change = async (userId: number, planId: number, now: number) =>
  changePlan(deps, userOf(userId), { subscriptionId: (await own(userId))?.id ?? 0, planId, site: SITE }, now);
const preview = async (userId: number, planId: number, now: number) =>
  previewChange(deps, userOf(userId), { subscriptionId: (await own(userId))?.id ?? 0, planId }, now);
const paidOf = async (userId: number) =>
  (await readPaidOrders(app.db, userId, { from: 0, until: START + 1000 * DAY_S })).map(({ money, tax }) => [
    money,
    tax?.amount,
  ]);
const ordersOf = (userId: number) =>
  app.db.select().from(planOrders).where(eq(planOrders.userId, userId)).orderBy(planOrders.id);
const statusesOf = async (userId: number) => (await ordersOf(userId)).map(({ status }) => status);
const casesOf = async (userId: number) =>
  (await listCases(app.db, { page: 0, pageSize: 100 })).items.filter(({ user_id }) => user_id === userId);

test("a change counts when PayPal's page is approved, and begins with the next payment, whatever comes twice or late", async () => {
  const { userId, tradeNo } = await payByPaypal();
  const now = START + DAY_S;
  const end = (await own(userId))?.period_end ?? 0;
  expect(await preview(userId, plans.large, now)).toMatchObject({
    ...{ starts: "next_period", pays: "paypal", due: "0.00", price: "23.80", currency: "EUR", period_end: end },
  });
  const { url } = await change(userId, plans.large, now);
  expect(url).toContain("https://www.paypal.test/revise");
  await pollCards(deps, undefined, now + HOUR_S);
  expect(await own(userId)).toMatchObject({ plan_name: "Small", next_plan_id: null });
  const updated = paypal.plans.approveRevision(tradeNo, now + HOUR_S);
  await deliver(now + 2 * HOUR_S, [updated, updated]);
  expect(await own(userId)).toMatchObject({ plan_name: "Small", next_plan_id: plans.large, remaining: 700 });
  const paid = paypal.plans.charge(tradeNo, end - HOUR_S);
  await Promise.all([1, 2, 3].map(() => deliver(end, [paid, updated])));
  const begun = { plan_name: "Large", status: "active", period_start: end, next_plan_id: null, remaining: 2_000 };
  expect(await own(userId)).toMatchObject(begun);
  await pollCards(deps, undefined, end + DAY_S);
  expect(await own(userId)).toMatchObject(begun);
  const second = (await own(userId))?.period_end ?? 0;
  await deliver(second, [paypal.plans.charge(tradeNo, second)]);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", period_start: second });
  expect(await paidOf(userId)).toEqual([
    ["11.90", "1.90"],
    ["23.80", "3.80"],
    ["23.80", "3.80"],
  ]);
  expect([await statusesOf(userId), await casesOf(userId)]).toEqual([["replaced", "active"], []]);
  // The renewal is that of the subscription at PayPal.
  await setRenewal(deps, userId, (await own(userId))?.id ?? 0, false);
  expect(paypal.plans.byOrder(tradeNo).status).toBe("CANCELLED");
  await pollCards(deps, undefined, second + DAY_S);
  expect(await own(userId)).toMatchObject({ cancel_at_end: true });
});

test("what nobody approves ends, and the present plan goes on at its price; approved later it counts all the same", async () => {
  const { userId, tradeNo } = await payByPaypal(plans.large);
  await change(userId, plans.small, START + DAY_S);
  await pollCards(deps, undefined, START + 3 * DAY_S);
  expect(await statusesOf(userId)).toEqual(["active", "ended"]);
  const end = (await own(userId))?.period_end ?? 0;
  await deliver(end, [paypal.plans.charge(tradeNo, end)]);
  expect(await own(userId)).toMatchObject({ plan_name: "Large", period_start: end });
  paypal.plans.approveRevision(tradeNo, end + DAY_S);
  await pollCards(deps, undefined, end + 2 * DAY_S);
  expect(await own(userId)).toMatchObject({ next_plan_id: plans.small });
  const second = (await own(userId))?.period_end ?? 0;
  await deliver(second, [paypal.plans.charge(tradeNo, second)]);
  expect(await own(userId)).toMatchObject({ plan_name: "Small", period_start: second });
  expect(await casesOf(userId)).toEqual([]);
});

test("an approved change is taken back by approving the present plan again, and with the end of the subscription", async () => {
  const { userId, tradeNo } = await payByPaypal();
  await change(userId, plans.large, START + DAY_S);
  await deliver(START + DAY_S, [paypal.plans.approveRevision(tradeNo, START + DAY_S)]);
  await expect(change(userId, plans.same, START + DAY_S)).rejects.toMatchObject({ code: "plan_change_noted" });
  expect((await change(userId, plans.small, START + 2 * DAY_S)).url).not.toBeNull();
  expect(await own(userId)).toMatchObject({ next_plan_id: plans.large });
  await deliver(START + 2 * DAY_S, [paypal.plans.approveRevision(tradeNo, START + 2 * DAY_S)]);
  expect(await own(userId)).toMatchObject({ plan_name: "Small", next_plan_id: null });
  await change(userId, plans.large, START + 3 * DAY_S);
  await deliver(START + 3 * DAY_S, [paypal.plans.approveRevision(tradeNo, START + 3 * DAY_S)]);
  await deliver(START + 4 * DAY_S, [paypal.plans.change(tradeNo, "CANCELLED", START + 4 * DAY_S)]);
  expect(await own(userId)).toMatchObject({ next_plan_id: null, cancel_at_end: true });
  expect(await statusesOf(userId)).toEqual(["ended", "ended", "ended"]);
});

test("a plan of the same price begins with the period after its approval; another amount waits for an administrator", async () => {
  const { userId, tradeNo } = await payByPaypal();
  await change(userId, plans.same, START + DAY_S);
  await deliver(START + DAY_S, [paypal.plans.approveRevision(tradeNo, START + DAY_S)]);
  const end = (await own(userId))?.period_end ?? 0;
  await deliver(end, [paypal.plans.charge(tradeNo, end)]);
  expect(await own(userId)).toMatchObject({ plan_name: "Same", period_start: end, remaining: 900 });
  await pollCards(deps, undefined, end + DAY_S);
  expect(await paidOf(userId)).toHaveLength(2);
  const second = (await own(userId))?.period_end ?? 0;
  await deliver(second, [paypal.plans.charge(tradeNo, second, "1.00")]);
  expect(await casesOf(userId)).toMatchObject([{ kind: "wrong_amount", money: "1.00" }]);
});

/** Approves a change to the yearly plan, which follows with a subscription of its own. Returns the number of its order. */
async function followYearly(userId: number, now: number): Promise<string> {
  const { url } = await change(userId, plans.yearly, now);
  expect(url).toContain("https://www.paypal.test/subscribe");
  const tradeNo = (await ordersOf(userId)).at(-1)?.tradeNo ?? "";
  paypal.plans.approve(tradeNo, now);
  return tradeNo;
}

test("a plan with periods of another length follows with a subscription of its own, which ends the renewal of the present one", async () => {
  const { userId, tradeNo } = await payByPaypal();
  const end = (await own(userId))?.period_end ?? 0;
  const now = START + DAY_S;
  expect(await preview(userId, plans.yearly, now)).toMatchObject({
    ...{ starts: "next_period", pays: "paypal", due: "0.00", price: "119.00", period_end: end },
  });
  await change(userId, plans.yearly, now);
  const [, unapproved] = await ordersOf(userId);
  await pollCards(deps, undefined, now + HOUR_S);
  expect(await own(userId)).toMatchObject({ next_plan_id: null, cancel_at_end: false, waiting_plan: "Yearly" });
  // Nobody reports the approval: the next look finds it.
  const following = await followYearly(userId, now + HOUR_S);
  await pollCards(deps, undefined, now + 2 * HOUR_S);
  for (const _ of [1, 2]) {
    expect(await own(userId)).toMatchObject({ plan_name: "Small", next_plan_id: plans.yearly, cancel_at_end: true });
    expect([tradeNo, following].map((one) => paypal.plans.byOrder(one).status)).toEqual(["CANCELLED", "ACTIVE"]);
    const { change: report } = paypal.plans;
    await deliver(now + 3 * HOUR_S, [report(tradeNo, "CANCELLED", now), report(following, "ACTIVE", now)]);
    await pollCards(deps, undefined, now + 2 * DAY_S);
  }
  expect(await statusesOf(userId)).toEqual(["ended", "ended", "next"]);
  await expect(change(userId, plans.large, now + DAY_S)).rejects.toMatchObject({ code: "plan_change_not_renewed" });
  const paid = paypal.plans.charge(following, end + HOUR_S);
  await advanceSubscriptions(deps, undefined, end);
  await advanceSubscriptions(deps, undefined, end);
  expect(await own(userId)).toBeUndefined();
  await Promise.all([1, 2].map(() => deliver(end + HOUR_S, [paid])));
  const begun = { plan_name: "Yearly", status: "active", period_start: end, next_plan_id: null, cancel_at_end: false };
  expect(await own(userId)).toMatchObject(begun);
  await pollCards(deps, undefined, end + 2 * DAY_S);
  expect(await own(userId)).toMatchObject(begun);
  expect((await paidOf(userId)).map(([money]) => money)).toEqual(["11.90", "119.00"]);
  expect([await statusesOf(userId), await casesOf(userId)]).toEqual([["ended", "ended", "active"], []]);
  // A page of before that is approved now would be a second subscription to the plan: it waits, and is canceled.
  await deliver(end + 3 * DAY_S, paypal.plans.approve(unapproved?.tradeNo ?? "", end + 3 * DAY_S));
  expect(paypal.plans.byOrder(unapproved?.tradeNo ?? "").status).toBe("CANCELLED");
  expect(await casesOf(userId)).toMatchObject([{ kind: "duplicate", money: "119.00" }]);
  expect(await own(userId)).toMatchObject(begun);
});

test("the plan that follows is given up, ended at PayPal, or ends with its account; the last day of a period is too late for it", async () => {
  const now = START + DAY_S;
  for (const giveUp of [
    async (userId: number) => expect(await change(userId, plans.small, now + HOUR_S)).toEqual({ url: null }),
    (_: number, following: string) => deliver(now, [paypal.plans.change(following, "CANCELLED", now + HOUR_S)]),
  ]) {
    const { userId } = await payByPaypal();
    const following = await followYearly(userId, now);
    await pollCards(deps, undefined, now + HOUR_S);
    expect(await own(userId)).toMatchObject({ next_plan_id: plans.yearly });
    await giveUp(userId, following);
    expect(await own(userId)).toMatchObject({ plan_name: "Small", next_plan_id: null, cancel_at_end: true });
    expect(paypal.plans.byOrder(following).status).toBe("CANCELLED");
    await pollCards(deps, undefined, now + 2 * DAY_S);
    expect(await statusesOf(userId)).toEqual(["ended", "ended"]);
  }
  const { userId, tradeNo } = await payByPaypal();
  const end = (await own(userId))?.period_end ?? 0;
  await expect(change(userId, plans.yearly, end - HOUR_S)).rejects.toMatchObject({ code: "plan_change_soon" });
  const following = await followYearly(userId, now);
  await pollCards(deps, undefined, now + HOUR_S);
  await app.db.update(users).set({ deletedAt: now }).where(eq(users.id, userId));
  await pollCards(deps, undefined, now + 2 * HOUR_S);
  expect([tradeNo, following].map((one) => paypal.plans.byOrder(one).status)).toEqual(["CANCELLED", "CANCELLED"]);
  expect(await statusesOf(userId)).toEqual(["ended", "ended"]);
});

test("PayPal changes no trial, and what it refuses changes nothing", async () => {
  const { userId } = await payByPaypal();
  paypal.plans.state.failsToRevise = true;
  await expect(change(userId, plans.large, START + DAY_S)).rejects.toMatchObject({ code: "payment_request_failed" });
  expect(await statusesOf(userId)).toEqual(["active", "ended"]);
  expect(await own(userId)).toMatchObject({ plan_name: "Small", next_plan_id: null });
  const tried = await payByPaypal(plans.trial);
  await expect(preview(tried.userId, plans.large, START + DAY_S)).rejects.toMatchObject({ code: "plan_change_trial" });
});
