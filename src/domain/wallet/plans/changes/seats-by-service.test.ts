import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { addUser } from "../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../test/support/billing/start-card-plans.ts";
import { setSeats } from "../../../../../test/support/billing/start-plans.ts";
import { startFakePaypal } from "../../../../../test/support/console/fake-paypal.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { requireFreeSeat } from "../../../accounts/organizations/members/seats.ts";
import { listCases } from "../../payments/cases.ts";
import { startCardPlan } from "../card/checkout.ts";
import { handlePaypalPlanEvent } from "../card/paypal/events.ts";
import { handlePlanEvent } from "../card/stripe/events.ts";
import { listOwnSubscriptions } from "../plans.ts";
import { subscribe } from "../subscribe.ts";
import { changePlan, previewChange } from "./change-subscription.ts";

const START = nowSeconds();

type Started = Awaited<ReturnType<typeof startCardPlans>>;
let started: Started;
let database: Started["database"];
let stripe: Started["stripe"];
let deps: Started["deps"];
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
let planId: number;
beforeAll(async () => {
  paypal = await startFakePaypal();
  started = await startCardPlans({
    StripeCurrency: "eur",
    ...{ ...paypal.settings, PaypalPrice: "1", PaypalCurrency: "eur", TaxRates: '{"DE":19}', TaxCountry: "DE" },
  });
  ({ database, stripe, deps } = started);
  // $10, with two seats; $1.50 for each further one.
  planId = await started.offer({ name: "Team", price: 5_000_000, seats: 2, seatPrice: 750_000 });
});
afterAll(async () => {
  await Promise.all([started.stop(), paypal.stop()]);
});

const organization = async (members: number): Promise<number> => {
  const id = await addUser(database.sql, 0);
  await database.db.update(users).set({ kind: "organization" }).where(eq(users.id, id));
  for (let at = 0; at < members; at++) await join(id);
  return id;
};
const join = async (id: number) => {
  await database.sql`insert into organization_members (organization_id, user_id, role, joined_at)
    values (${id}, ${await addUser(database.sql, 0)}, 'developer', ${START})`;
};
const start = (id: number, service: "stripe" | "paypal", seats?: number) =>
  startCardPlan(deps, { id, group: "default" }, { planId, site: "https://gateway.test", service, seats }, START);
const orderOf = async (id: number) => {
  const [order] = await database.db.select().from(planOrders).where(eq(planOrders.userId, id));
  if (!order) throw new Error("there is no order");
  return order;
};
const own = async (id: number) => (await listOwnSubscriptions(database.db, id))[0];
const findSeat = (id: number) => database.db.transaction((tx) => requireFreeSeat(tx, id));

/** Pays an order at its service, and delivers what that reports. */
const PAY = {
  async stripe(tradeNo: string) {
    stripe.checkOut(tradeNo, START);
    for (const event of stripe.events.splice(0)) await handlePlanEvent(deps, event, START);
  },
  async paypal(tradeNo: string) {
    for (const { type, resource } of paypal.plans.approve(tradeNo, START)) {
      await handlePaypalPlanEvent(deps, type, { ...resource }, START);
    }
  },
};

test.each(["stripe", "paypal"] as const)(
  "%s charges the seats that were ordered, and they are the limit",
  async (service) => {
    const id = await organization(3);
    await start(id, service, 5);
    const { tradeNo, money, extraSeats } = await orderOf(id);
    // (10.00 + 3 × 1.50) and 19 % tax.
    expect([money, extraSeats]).toEqual(["17.26", 3]);
    if (service === "paypal") expect(paypal.plans.byOrder(tradeNo).value).toBe("17.26");
    await PAY[service](tradeNo);
    if (service === "stripe") expect(stripe.invoices.at(-1)?.amount).toBe(1726);
    expect(await own(id)).toMatchObject({ service, seats: 5, next_seats: 5, members: 3 });
    await join(id);
    await findSeat(id);
    await join(id);
    await expect(findSeat(id)).rejects.toMatchObject({ code: "organization_seats_taken", params: { seats: 5 } });
    // The service charges what was ordered: the balance pays for no more.
    const subscriptionId = (await own(id))?.id ?? 0;
    await expect(setSeats(deps, id, subscriptionId, 7)).rejects.toMatchObject({ code: "subscription_changed" });
  },
);

test("too few seats for the members, seats of people and numbers out of range are refused before anything is ordered", async () => {
  const id = await organization(3);
  await expect(start(id, "stripe")).rejects.toMatchObject({ code: "plan_seats_too_few" });
  await expect(start(id, "paypal", 1)).rejects.toMatchObject({ code: "plan_seats_invalid" });
  await expect(start(id, "stripe", 100_001)).rejects.toMatchObject({
    ...{ code: "plan_seats_invalid", params: { min: 2, max: 100_000 } },
  });
  const person = await addUser(database.sql, 0);
  await expect(start(person, "stripe", 4)).rejects.toMatchObject({ code: "plan_seats_organizations" });
  expect(await database.db.select().from(planOrders).where(eq(planOrders.userId, id))).toEqual([]);
});

const DAY_S = 86_400;
const SITE = "https://gateway.test";
const TEN_DAYS = START + 10 * DAY_S;

/** An organization whose plan with `seats` is paid since `START`. */
async function subscribed(service: "stripe" | "paypal", members: number, seats: number) {
  const id = await organization(members);
  await start(id, service, seats);
  const { tradeNo } = await orderOf(id);
  await PAY[service](tradeNo);
  return { id, tradeNo, subscriptionId: (await own(id))?.id ?? 0, user: { id, group: "default" } };
}
const deliver = async (now: number) => {
  for (const event of stripe.events.splice(0)) await handlePlanEvent(deps, event, now);
};
const casesOf = async (id: number) =>
  (await listCases(database.db, { page: 0, pageSize: 100 })).items.filter(({ user_id }) => user_id === id);
/** What customers paid at Stripe, in cents. */
const ledger = (tradeNo: string) =>
  stripe.invoices
    .filter(({ subscription, status }) => subscription.metadata.order === tradeNo && status === "paid")
    .map(({ amount }) => amount);

test("Stripe charges more seats at once, less the unused time, and fewer from the next period on; both once, and kept renewed", async () => {
  const { id, tradeNo, subscriptionId, user } = await subscribed("stripe", 3, 4);
  stripe.setCard(TEN_DAYS, true);
  // 22.61 − 20 of 30 days of 15.47: with 19 % tax.
  const shown = await previewChange(deps, user, { subscriptionId, seats: 8 }, TEN_DAYS);
  expect(shown).toMatchObject({ starts: "now", pays: "stripe", due: "12.30", price: "22.61" });
  const more = { subscriptionId, seats: 8, at: shown.at, site: SITE };
  expect(await changePlan(deps, user, more, TEN_DAYS)).toEqual({ url: null });
  const events = [...stripe.events];
  await deliver(TEN_DAYS);
  stripe.events.push(...events.toReversed());
  await deliver(TEN_DAYS + 60);
  expect(await own(id)).toMatchObject({ plan_id: planId, seats: 8, next_seats: 8, period_start: TEN_DAYS });
  await expect(changePlan(deps, user, { ...more, at: TEN_DAYS }, TEN_DAYS)).rejects.toMatchObject({
    code: "plan_seats_same",
  });
  // Three members fit into three seats.
  await expect(changePlan(deps, user, { subscriptionId, seats: 2, site: SITE }, TEN_DAYS)).rejects.toMatchObject({
    code: "plan_seats_too_few",
  });
  await changePlan(deps, user, { subscriptionId, seats: 3, site: SITE }, TEN_DAYS + DAY_S);
  expect(await own(id)).toMatchObject({ seats: 8, next_seats: 3, next_plan_id: null, plan_id: planId });
  await changePlan(deps, user, { subscriptionId, seats: 8, site: SITE }, TEN_DAYS + DAY_S);
  expect(await own(id)).toMatchObject({ seats: 8, next_seats: 8 });
  await changePlan(deps, user, { subscriptionId, seats: 3, site: SITE }, TEN_DAYS + 2 * DAY_S);
  await deliver(TEN_DAYS + 2 * DAY_S);
  const end = stripe.periodEnd(tradeNo);
  stripe.renew(tradeNo, end);
  await deliver(end);
  expect(await own(id)).toMatchObject({ seats: 3, next_seats: 3, status: "active", period_start: end });
  expect([ledger(tradeNo), await casesOf(id)]).toEqual([[1547, 1230, 1369], []]);
});

test("seats that the card does not pay for stay as they are, with Stripe's page to pay on", async () => {
  const { id, tradeNo, subscriptionId, user } = await subscribed("stripe", 2, 3);
  stripe.setCard(TEN_DAYS, false);
  const { url } = await changePlan(deps, user, { subscriptionId, seats: 9, site: SITE }, TEN_DAYS);
  expect(url).toContain("https://invoice.test/");
  await deliver(TEN_DAYS);
  expect(await own(id)).toMatchObject({ seats: 3, next_seats: 3, period_start: START });
  stripe.payPending(tradeNo);
  await deliver(TEN_DAYS + 60);
  expect(await own(id)).toMatchObject({ seats: 9, status: "active" });
  expect(await casesOf(id)).toEqual([]);
});

test("PayPal changes seats with the next payment, once the new price is approved there", async () => {
  const { id, tradeNo, subscriptionId, user } = await subscribed("paypal", 2, 3);
  const now = START + DAY_S;
  expect(await previewChange(deps, user, { subscriptionId, seats: 6 }, now)).toMatchObject({
    ...{ starts: "next_period", pays: "paypal", due: "0.00", price: "19.04" },
  });
  const { url } = await changePlan(deps, user, { subscriptionId, seats: 6, site: SITE }, now);
  expect(url).toContain("https://www.paypal.test/revise");
  expect(await own(id)).toMatchObject({ seats: 3, next_seats: 3 });
  const { type, resource } = paypal.plans.approveRevision(tradeNo, now);
  await handlePaypalPlanEvent(deps, type, { ...resource }, now);
  expect(await own(id)).toMatchObject({ seats: 3, next_seats: 6, next_plan_id: null });
  const end = (await own(id))?.period_end ?? 0;
  const paid = paypal.plans.charge(tradeNo, end);
  for (const _ of [1, 2]) await handlePaypalPlanEvent(deps, paid.type, { ...paid.resource }, end);
  expect(await own(id)).toMatchObject({ seats: 6, next_seats: 6, period_start: end });
  expect(await casesOf(id)).toEqual([]);
});

test("a plan paid from the balance says what more seats cost, and takes that", async () => {
  const id = await organization(2);
  await database.db.update(users).set({ quota: 100_000_000 }).where(eq(users.id, id));
  await subscribe(deps, id, planId, START);
  const subscriptionId = (await own(id))?.id ?? 0;
  const user = { id, group: "default" };
  const balance = async () =>
    (await database.sql<{ quota: number }[]>`select quota::float8 as quota from users where id = ${id}`)[0]?.quota;
  const before = (await balance()) ?? 0;
  const shown = await previewChange(deps, user, { subscriptionId, seats: 4 }, TEN_DAYS);
  expect(shown).toMatchObject({ starts: "now", pays: "balance", price_units: 6_500_000 });
  expect(await changePlan(deps, user, { subscriptionId, seats: 4, site: SITE }, TEN_DAYS)).toEqual({ url: null });
  expect(before - ((await balance()) ?? 0)).toBe(shown.due_units);
  expect(await previewChange(deps, user, { subscriptionId, seats: 3 }, TEN_DAYS)).toMatchObject({
    ...{ starts: "next_period", due_units: 0, price_units: 5_750_000 },
  });
});
