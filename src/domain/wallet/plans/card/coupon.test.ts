import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser } from "../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../test/support/billing/start-card-plans.ts";
import { startFakePaypal } from "../../../../../test/support/console/fake-paypal.ts";
import { listCases } from "../../payments/cases.ts";
import { readPaidOrders } from "../../statements/movements/read-movements.ts";
import { createCoupon } from "../coupons.ts";
import { listOwnSubscriptions } from "../plans.ts";
import { subscribe } from "../subscribe.ts";
import { startCardPlan } from "./checkout.ts";
import { handlePaypalPlanEvent } from "./paypal/events.ts";
import { handlePlanEvent } from "./stripe/events.ts";

const START = Math.floor(Date.now() / 1000);
const DAY_S = 86_400;

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
const plans = { pro: 0, max: 0, trial: 0 };
beforeAll(async () => {
  paypal = await startFakePaypal();
  started = await startCardPlans({
    ...{ ...paypal.settings, PaypalPrice: "1", TaxRates: '{"DE":19}', TaxCountry: "DE" },
  });
  ({ database, stripe, deps } = started);
  const plan = { price: 5_000_000 };
  plans.pro = await started.offer({ ...plan, name: "Pro" });
  plans.max = await started.offer({ ...plan, name: "Max" });
  plans.trial = await started.offer({ ...plan, name: "Try", trialDays: 7 });
  const coupon = { percentOff: 20, amountOff: 0, planId: null, maxUses: 0, validUntil: 0 };
  const { actor } = started;
  await createCoupon(deps, actor, { ...coupon, code: "FIRST20", duration: "once" });
  await createCoupon(deps, actor, { ...coupon, code: "ALL20", duration: "forever" });
  await createCoupon(deps, actor, { ...coupon, code: "FREE", percentOff: 100, duration: "once" });
  await createCoupon(deps, actor, { ...coupon, code: "LAST", duration: "once", maxUses: 1 });
});
afterAll(async () => {
  await Promise.all([started.stop(), paypal.stop()]);
});

type Service = "stripe" | "paypal";

/** Orders a plan with a coupon and returns the order's number. */
async function order(userId: number, coupon: string, service: Service = "stripe", planId = plans.pro): Promise<string> {
  await startCardPlan(
    deps,
    { id: userId, group: "default" },
    { planId, site: "https://s.test", service, coupon },
    START,
  );
  const [row] = await database.sql<{ trade_no: string }[]>`
    select trade_no from plan_orders where user_id = ${userId} order by id desc limit 1`;
  return row?.trade_no ?? "";
}
const own = (userId: number) => listOwnSubscriptions(deps.db, userId);
const casesOf = async (userId: number) =>
  (await listCases(deps.db, { page: 0, pageSize: 100 })).items.filter(({ user_id }) => user_id === userId);
const paidBy = async (userId: number) =>
  (await readPaidOrders(deps.db, userId, { from: 0, until: START + 400 * DAY_S })).map(({ money, tax }) => [
    money,
    tax?.amount,
  ]);
const usesOf = async (code: string): Promise<number> =>
  Number((await database.sql`select used_count from coupons where code = ${code}`)[0]?.used_count);

/** What the services report of the first two periods of an order, and when the second begins. */
const PAYING = {
  stripe(tradeNo: string) {
    stripe.events.length = 0;
    stripe.checkOut(tradeNo, START);
    const end = stripe.periodEnd(tradeNo);
    stripe.renew(tradeNo, end);
    return { end, reports: stripe.events.splice(0).map((event) => () => handlePlanEvent(deps, event, end)) };
  },
  paypal(tradeNo: string) {
    const first = paypal.plans.approve(tradeNo, START);
    const end = START + 30 * DAY_S;
    const events = [...first, paypal.plans.charge(tradeNo, end)];
    const deliver = ({ type, resource }: (typeof events)[number]) =>
      handlePaypalPlanEvent(deps, type, { ...resource }, end);
    return { end, reports: events.map((event) => () => deliver(event)) };
  },
};

test.each(["stripe", "paypal"] as const)(
  "%s: a coupon for the first period lowers what is paid for that alone, whichever payment is reported first",
  async (service) => {
    for (const isReversed of [false, true]) {
      const userId = await addUser(database.sql, 0);
      const before = await usesOf("FIRST20");
      const { reports } = PAYING[service](await order(userId, " first20 ", service));
      expect(await usesOf("FIRST20")).toBe(before);
      for (const report of isReversed ? reports.toReversed() : reports) await report();
      for (const report of reports) await report();
      expect(await own(userId)).toMatchObject([{ status: "active", remaining: 700 }]);
      // 10 and 8 dollars, and 19 % tax.
      expect((await paidBy(userId)).sort()).toEqual([
        ["11.90", "1.90"],
        ["9.52", "1.52"],
      ]);
      expect((await casesOf(userId)).filter(({ kind }) => kind !== "late")).toEqual([]);
      expect(await usesOf("FIRST20")).toBe(before + 1);
      await expect(order(userId, "FIRST20", service, plans.max)).rejects.toMatchObject({ code: "coupon_used_by_you" });
    }
  },
);

test("the lower price of a first period counts once; paid again it waits for an administrator", async () => {
  const userId = await addUser(database.sql, 0);
  const tradeNo = await order(userId, "FIRST20", "paypal");
  const deliver = async (now: number, events: ReturnType<typeof paypal.plans.approve>) => {
    for (const { type, resource } of events) await handlePaypalPlanEvent(deps, type, { ...resource }, now);
  };
  await deliver(START, paypal.plans.approve(tradeNo, START));
  const end = START + 30 * DAY_S;
  await deliver(end, [paypal.plans.charge(tradeNo, end, paypal.plans.byOrder(tradeNo).firstValue)]);
  expect(await casesOf(userId)).toMatchObject([{ kind: "wrong_amount", money: "9.52" }]);
});

test("a coupon for all periods lowers each; the tax is of what is paid", async () => {
  const userId = await addUser(database.sql, 0);
  for (const report of PAYING.stripe(await order(userId, "ALL20")).reports) await report();
  expect(await paidBy(userId)).toEqual([
    ["9.52", "1.52"],
    ["9.52", "1.52"],
  ]);
});

test("the last use of a coupon is reserved for an order that may still be paid, and released when it is replaced", async () => {
  const [first, second] = [await addUser(database.sql, 0), await addUser(database.sql, 0)];
  const orders = await Promise.allSettled([order(first, "LAST"), order(second, "LAST", "paypal")]);
  expect(orders.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const holder = orders[0]?.status === "fulfilled" ? first : second;
  const other = holder === first ? second : first;
  await expect(order(holder, "LAST", "stripe", plans.max)).rejects.toMatchObject({ code: "coupon_used_by_you" });
  // The same plan again replaces the order, with its coupon; the balance cannot take the use away either.
  const tradeNo = await order(holder, "LAST");
  await database.sql`update users set quota = 10000000 where id = ${other}`;
  const refused = { code: "coupon_used_up" };
  await expect(subscribe(deps, other, plans.pro, START, "LAST")).rejects.toMatchObject(refused);
  for (const report of PAYING.stripe(tradeNo).reports) await report();
  expect(await usesOf("LAST")).toBe(1);
  await expect(order(other, "LAST")).rejects.toMatchObject(refused);
});

test("what a service cannot charge is refused in words", async () => {
  const userId = await addUser(database.sql, 0);
  await expect(order(userId, "FREE")).rejects.toMatchObject({ code: "plan_card_free" });
  await expect(order(userId, "NONE")).rejects.toMatchObject({ code: "coupon_invalid" });
  await expect(order(userId, "FIRST20", "stripe", plans.trial)).rejects.toMatchObject({
    code: "coupon_not_with_trial",
  });
});
