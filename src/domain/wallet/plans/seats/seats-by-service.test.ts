import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { planOrders } from "../../../../../db/schema/billing/plan-orders.ts";
import { addUser } from "../../../../../test/support/billing/start-billing.ts";
import { startCardPlans } from "../../../../../test/support/billing/start-card-plans.ts";
import { startFakePaypal } from "../../../../../test/support/console/fake-paypal.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { startCardPlan } from "../card/checkout/checkout.ts";
import { handlePaypalPlanEvent } from "../card/paypal/paypal-events.ts";
import { handlePlanEvent } from "../card/stripe-events.ts";
import { listOwnSubscriptions } from "../plans.ts";
import { setSeats } from "./change-seats.ts";
import { requireFreeSeat } from "./seats.ts";

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
  startCardPlan(deps, { id, group: "default" }, planId, "https://gateway.test", START, { service, seats });
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
    // The service charges what was ordered: seats are not changed here.
    const subscriptionId = (await own(id))?.id ?? 0;
    await expect(setSeats(deps, id, subscriptionId, 7)).rejects.toMatchObject({ code: "plan_seats_at_service" });
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
