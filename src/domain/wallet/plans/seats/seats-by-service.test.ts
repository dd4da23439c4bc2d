import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { planOrders } from "../../../../../db/schema/billing/plan-orders.ts";
import { addUser, silentLog, transferDirectly } from "../../../../../test/support/billing/start-billing.ts";
import { startFakePaypal } from "../../../../../test/support/console/fake-paypal.ts";
import { startFakeStripe } from "../../../../../test/support/console/fake-stripe.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { fixedSettings } from "../../../../../test/support/lib/settings.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { createAddressPolicy } from "../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { startCardPlan } from "../card/checkout/checkout.ts";
import { handlePaypalPlanEvent } from "../card/paypal/paypal-events.ts";
import { handlePlanEvent } from "../card/stripe-events.ts";
import { listOwnSubscriptions, savePlan } from "../plans.ts";
import type { PlanDeps } from "../subscribe.ts";
import { setSeats } from "./change-seats.ts";
import { requireFreeSeat } from "./seats.ts";

const START = nowSeconds();

let database: TestDatabase;
let stripe: ReturnType<typeof startFakeStripe>;
let paypal: Awaited<ReturnType<typeof startFakePaypal>>;
let deps: Parameters<typeof startCardPlan>[0] & PlanDeps;
let planId: number;
beforeAll(async () => {
  database = await openTestDatabase();
  stripe = startFakeStripe();
  paypal = await startFakePaypal();
  const settings = fixedSettings({
    ...{ StripeSecretKey: "sk_test", StripeWebhookSecret: "whsec", StripePrice: "1", StripeCurrency: "eur" },
    ...{ ...paypal.settings, PaypalPrice: "1", PaypalCurrency: "eur", TaxRates: '{"DE":19}', TaxCountry: "DE" },
  });
  const { db, changes, sql } = database;
  deps = {
    ...{ db, changes, settings, log: silentLog, stripeAddress: stripe.url },
    fetch: createSafeFetch(createAddressPolicy(true)),
    billing: { transfer: transferDirectly },
  };
  // $10, with two seats; $1.50 for each further one.
  planId = await savePlan(deps, { id: await addUser(sql, 0), role: 100 } as UserEntry, {
    ...{ name: "Team", description: "", price: 5_000_000, period: "month", periodCount: 1, windowQuota: 700 },
    ...{ window: "period", userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true },
    ...{ seats: 2, seatPrice: 750_000 },
  });
});
afterAll(async () => {
  await stripe.stop();
  await paypal.stop();
  await database.close();
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
