import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { addUser, silentLog } from "../../../../../test/support/billing/start-billing.ts";
import { startFakeStripe, stripeSignature } from "../../../../../test/support/console/fake-stripe.ts";
import type { CardBehavior } from "../../../../../test/support/console/fake-stripe-cards.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { fixedSettings } from "../../../../../test/support/lib/settings.ts";
import { createAddressPolicy } from "../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { listOwnOrders } from "../list-orders.ts";
import { handleStripeWebhook } from "../reports/stripe-webhook.ts";
import { type AutoTopUpInput, readAutoTopUp, resumeAutoTopUp, saveAutoTopUp } from "./auto-top-up.ts";
import { type AutoTopUpDeps, chargeDueTopUps } from "./charge-due.ts";
import { pollCharges } from "./poll-charges.ts";
import { confirmCardSetups, pollSavedCards, removeSavedCard, startCardSetup } from "./saved-card.ts";

const SECRET = "whsec_of_the_tests";
const DOLLAR = 500_000;
const DAY_S = 86_400;
const TODAY = new Date();
/** The tenth of the month before this one, so that no test crosses into the next. */
const START = Date.UTC(TODAY.getUTCFullYear(), TODAY.getUTCMonth() - 1, 10, 12) / 1000;
const SETTINGS = {
  ...{ StripeSecretKey: "sk_test", StripeWebhookSecret: SECRET, StripePrice: "1.1", StripeCurrency: "eur" },
  ...{ TaxRates: '{"DE":19}', TaxCountry: "DE", MinTopUp: "5" },
};
const INPUT: AutoTopUpInput = {
  ...{ is_on: true, threshold: 2 * DOLLAR, amount: 10 * DOLLAR, monthly_limit: 50 * DOLLAR },
};

let database: TestDatabase;
let stripe: ReturnType<typeof startFakeStripe>;
let deps: AutoTopUpDeps;
beforeAll(async () => {
  database = await openTestDatabase();
  stripe = startFakeStripe();
  const { db, changes } = database;
  deps = {
    ...{ db, changes, settings: fixedSettings(SETTINGS), log: silentLog, stripeAddress: stripe.url },
    fetch: createSafeFetch(createAddressPolicy(true)),
  };
});
afterAll(async () => {
  await stripe.stop();
  await database.close();
});
beforeEach(async () => {
  stripe.events.length = 0;
  await database.sql`update auto_top_ups set is_on = false`;
  await database.sql`delete from pending_notices`;
});

const PERSON = { id: 0, username: "somebody" };

/** Reports events as Stripe does, signed; resolves with what the webhook returned. */
const deliver = (events = stripe.events.splice(0)) =>
  Promise.all(
    events.map((event) => {
      const body = JSON.stringify(event);
      return handleStripeWebhook(deps, body, stripeSignature(body, SECRET));
    }),
  );

/** An account with a card and automatic top-up. */
async function account(behavior: CardBehavior = "pays", quota = 0, input: Partial<AutoTopUpInput> = {}) {
  const userId = await addUser(database.sql, quota);
  const card = stripe.cards.saveCard(await startCardSetup(deps, userId, "https://gateway.test"), behavior);
  expect(await deliver()).toEqual([true]);
  await saveAutoTopUp(deps, { id: userId, group: "default" }, PERSON, { ...INPUT, ...input });
  return { userId, card };
}
const quotaOf = async (userId: number): Promise<number> =>
  Number((await database.sql`select quota from users where id = ${userId}`)[0]?.quota);
const ordersOf = (userId: number) =>
  database.sql<{ trade_no: string; status: string; money: string; currency: string; quota: number }[]>`
    select trade_no, status, money, currency, quota::float8 as quota from top_up_orders where user_id = ${userId} order by id`;
const noticesOf = async (userId: number): Promise<string[]> =>
  (
    await database.sql<{ type: string }[]>`
    select notice ->> 'type' as type from pending_notices where user_id = ${userId} order by id`
  ).map(({ type }) => type);
const creditsOf = async (userId: number): Promise<number> =>
  (await database.sql`select 1 from logs where user_id = ${userId} and type = 1`).length;
const view = (userId: number, now = START) => readAutoTopUp(deps, userId, now);
const chargesOf = (orders: readonly { trade_no: string }[]) =>
  stripe.cards.intents.filter(({ order }) => orders.some(({ trade_no }) => trade_no === order)).length;

test("a low balance is topped up once, whatever reports the payment, how often and in which order", async () => {
  const { userId } = await account();
  expect(await view(userId)).toMatchObject({
    ...{ is_available: true, is_on: true, paused_at: 0, bought: 0 },
    card: { brand: "visa", expiry_month: 12, expiry_year: 2030 },
  });
  expect(await chargeDueTopUps(deps, undefined, START)).toBe(1);
  // 10 dollars of quota are 11 euros and 19 % tax, as the order says.
  expect(await ordersOf(userId)).toMatchObject([
    { status: "success", money: "13.09", currency: "EUR", quota: 10 * DOLLAR },
  ]);
  expect(stripe.cards.intents.at(-1)).toMatchObject({ amount: 1309, currency: "eur" });
  const events = stripe.events.splice(0);
  expect(events.map(({ type }) => type)).toEqual(["payment_intent.succeeded"]);
  await Promise.all(Array.from({ length: 5 }, () => deliver(events)));
  await pollCharges(deps, undefined, START + 600);
  expect(await chargeDueTopUps(deps, undefined, START + 600)).toBe(0);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
  expect(await creditsOf(userId)).toBe(1);
  expect(await view(userId)).toMatchObject({ bought: 10 * DOLLAR });
  expect(await noticesOf(userId)).toEqual([]);
  const { items } = await listOwnOrders(deps.db, userId, { page: 0, pageSize: 10 });
  expect(items).toMatchObject([{ is_automatic: true, status: "success" }]);
});

test("processes at the same time begin one order and charge once", async () => {
  const { userId } = await account();
  const begun = await Promise.all(Array.from({ length: 6 }, () => chargeDueTopUps(deps, undefined, START)));
  expect(begun.reduce((sum, count) => sum + count)).toBe(1);
  expect(await ordersOf(userId)).toHaveLength(1);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
});

test("while a payment is under way there is no other; a webhook that comes late, and twice, settles it", async () => {
  const { userId } = await account("slow");
  await chargeDueTopUps(deps, undefined, START);
  await chargeDueTopUps(deps, undefined, START + 60);
  await pollCharges(deps, undefined, START + 600);
  const [order] = await ordersOf(userId);
  expect(await ordersOf(userId)).toMatchObject([{ status: "pending" }]);
  stripe.cards.finishIntent(order?.trade_no ?? "", true);
  const events = stripe.events.splice(0);
  await Promise.all([deliver(events), deliver(events), pollCharges(deps, undefined, START + 600)]);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
  expect(await creditsOf(userId)).toBe(1);
});

test("a charge whose response and webhooks are lost is found by asking Stripe, also after a restart", async () => {
  const { userId } = await account("pays, then fails");
  await chargeDueTopUps(deps, undefined, START);
  stripe.events.length = 0;
  expect(await ordersOf(userId)).toMatchObject([{ status: "pending" }]);
  // Too early: the process that charges may still be at it.
  await pollCharges(deps, undefined, START + 60);
  expect(await quotaOf(userId)).toBe(0);
  await Promise.all([
    pollCharges({ ...deps }, undefined, START + 180),
    pollCharges({ ...deps }, undefined, START + 180),
  ]);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
  expect(chargesOf(await ordersOf(userId))).toBe(1);
  expect(await creditsOf(userId)).toBe(1);
});

test("an order whose process died before the charge fails, and the next one is charged", async () => {
  const { userId } = await account();
  const dying: AutoTopUpDeps = {
    ...deps,
    fetch: () => Promise.reject(new Error("the process is dead")),
  };
  await chargeDueTopUps(dying, undefined, START);
  expect(await chargeDueTopUps(deps, undefined, START + 60)).toBe(0);
  // Stripe cannot be asked: nothing is known of the charge yet.
  await pollCharges(dying, undefined, START + 180);
  expect(await ordersOf(userId)).toMatchObject([{ status: "pending" }]);
  await pollCharges(deps, undefined, START + 180);
  expect(await ordersOf(userId)).toMatchObject([{ status: "failed" }]);
  expect(await view(userId)).toMatchObject({ paused_at: 0 });
  await chargeDueTopUps(deps, undefined, START + 600);
  const orders = await ordersOf(userId);
  expect(orders).toMatchObject([{ status: "failed" }, { status: "success" }]);
  expect(chargesOf(orders)).toBe(1);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
}, 20_000);

test("a declined card pauses with a notice, is tried after a day and after three more, then not until somebody acts", async () => {
  const { userId, card } = await account({ code: "card_declined", decline_code: "insufficient_funds" });
  await chargeDueTopUps(deps, undefined, START);
  const events = stripe.events.splice(0);
  await Promise.all([deliver(events), deliver(events)]);
  expect(await view(userId)).toMatchObject({ is_on: true, paused_at: START, pause_reason: "card_declined" });
  expect(await view(userId)).toMatchObject({ next_try_at: START + DAY_S });
  expect(await noticesOf(userId)).toEqual(["auto_top_up_paused"]);
  expect(await chargeDueTopUps(deps, undefined, START + DAY_S - 1)).toBe(0);
  expect(await chargeDueTopUps(deps, undefined, START + DAY_S)).toBe(1);
  expect(await chargeDueTopUps(deps, undefined, START + 4 * DAY_S)).toBe(1);
  expect(await chargeDueTopUps(deps, undefined, START + 9 * DAY_S)).toBe(0);
  expect(await view(userId)).toMatchObject({ paused_at: START, next_try_at: 0 });
  expect(await noticesOf(userId)).toHaveLength(3);
  expect(await view(userId)).toMatchObject({ bought: 0 });
  stripe.cards.setBehavior(card, "pays");
  await resumeAutoTopUp(deps, userId, PERSON);
  await expect(resumeAutoTopUp(deps, userId, PERSON)).rejects.toMatchObject({ code: "auto_top_up_not_paused" });
  expect(await chargeDueTopUps(deps, undefined, START + 9 * DAY_S)).toBe(1);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
  expect(await view(userId)).toMatchObject({ paused_at: 0, pause_reason: "" });
});

test.each([
  [{ code: "authentication_required" }, "authentication_required"],
  [{ code: "card_declined", decline_code: "authentication_required" }, "authentication_required"],
  [{ code: "expired_card", decline_code: "expired_card" }, "card_expired"],
  [{ code: "card_declined", decline_code: "stolen_card" }, "card_declined"],
  [{ code: "card_declined", decline_code: "generic_decline", advice_code: "do_not_try_again" }, "card_declined"],
])("%o is not tried again by itself; a new card ends the pause", async (behavior, reason) => {
  const { userId, card } = await account(behavior);
  await chargeDueTopUps(deps, undefined, START);
  expect(await view(userId)).toMatchObject({ pause_reason: reason, next_try_at: 0 });
  expect(await chargeDueTopUps(deps, undefined, START + 30 * DAY_S)).toBe(0);
  const next = stripe.cards.saveCard(await startCardSetup(deps, userId, "https://gateway.test"));
  stripe.events.length = 0;
  // The webhook never comes: the person returns from the page.
  await Promise.all([confirmCardSetups(deps, userId), confirmCardSetups(deps, userId)]);
  expect(await view(userId)).toMatchObject({ paused_at: 0 });
  await chargeDueTopUps(deps, undefined, START + 60);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
  await pollSavedCards(deps, undefined, START);
  expect([card, next].map(stripe.cards.hasCard)).toEqual([false, true]);
});

test("the limit of a month holds, is notified once, and begins again with the next month or when it is raised", async () => {
  const { userId } = await account("pays", 0, { monthly_limit: 25 * DOLLAR });
  const spend = () => database.sql`update users set quota = 0 where id = ${userId}`;
  for (let round = 0; round < 5; round++) {
    await chargeDueTopUps(deps, undefined, START + round);
    await spend();
  }
  expect(await ordersOf(userId)).toHaveLength(2);
  expect(await noticesOf(userId)).toEqual(["auto_top_up_limit"]);
  await saveAutoTopUp(deps, { id: userId, group: "default" }, PERSON, { ...INPUT, monthly_limit: 30 * DOLLAR });
  await Promise.all(Array.from({ length: 4 }, () => chargeDueTopUps(deps, undefined, START + 60)));
  await spend();
  await chargeDueTopUps(deps, undefined, START + 60);
  expect(await ordersOf(userId)).toHaveLength(3);
  expect(await noticesOf(userId)).toHaveLength(2);
  const { month_ends_at } = await view(userId);
  expect(await chargeDueTopUps(deps, undefined, month_ends_at - 1)).toBe(0);
  expect(await chargeDueTopUps(deps, undefined, month_ends_at)).toBe(1);
});

test("what is turned off while a card is charged is credited, and nothing is charged after it", async () => {
  const { userId, card } = await account();
  const release = stripe.cards.holdCharges();
  const running = chargeDueTopUps(deps, undefined, START);
  while ((await ordersOf(userId)).length === 0) await Bun.sleep(5);
  await removeSavedCard(deps, userId, PERSON);
  release();
  await running;
  await deliver();
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
  expect(await creditsOf(userId)).toBe(1);
  await database.sql`update users set quota = 0 where id = ${userId}`;
  expect(await chargeDueTopUps(deps, undefined, START + 60)).toBe(0);
  expect(await view(userId)).toMatchObject({ card: null, is_on: false });
  await pollSavedCards(deps, undefined, START + 60);
  expect(stripe.cards.hasCard(card)).toBe(false);
  await expect(removeSavedCard(deps, userId, PERSON)).rejects.toMatchObject({ code: "auto_top_up_no_card" });
});

test("a decline that is reported after it was turned off pauses nothing and notifies nobody", async () => {
  const { userId } = await account("slow");
  await chargeDueTopUps(deps, undefined, START);
  await saveAutoTopUp(deps, { id: userId, group: "default" }, PERSON, { ...INPUT, is_on: false });
  const [order] = await ordersOf(userId);
  stripe.cards.finishIntent(order?.trade_no ?? "", false);
  await deliver();
  expect(await ordersOf(userId)).toMatchObject([{ status: "failed" }]);
  expect(await view(userId)).toMatchObject({ is_on: false, paused_at: 0 });
  expect(await noticesOf(userId)).toEqual([]);
});

test("a payment that does not fit its order moves nothing and waits for an administrator", async () => {
  const { userId } = await account("slow");
  await chargeDueTopUps(deps, undefined, START);
  const [order] = await ordersOf(userId);
  stripe.cards.finishIntent(order?.trade_no ?? "", true);
  const [event] = stripe.events.splice(0);
  if (!event) throw new Error("nothing was reported");
  const cheap = JSON.stringify(event).replace('"amount_received":1309', '"amount_received":1');
  expect(await handleStripeWebhook(deps, cheap, stripeSignature(cheap, "whsec_other"))).toBe(false);
  expect(await handleStripeWebhook(deps, cheap, stripeSignature(cheap, SECRET))).toBe(true);
  expect(await handleStripeWebhook(deps, cheap, stripeSignature(cheap, SECRET))).toBe(true);
  expect(await quotaOf(userId)).toBe(0);
  expect(await database.sql`select kind, money from payment_cases where user_id = ${userId}`).toMatchObject([
    { kind: "wrong_amount", money: "0.01" },
  ]);
  await deliver([event]);
  expect(await quotaOf(userId)).toBe(10 * DOLLAR);
});

test("an amount that the site no longer sells pauses; those who may top an organization up are notified", async () => {
  const { userId } = await account();
  const [owner, billing, developer] = [0, 0, 0].map(() => addUser(database.sql, 0));
  const roles = { owner: await owner, billing: await billing, developer: await developer };
  await database.sql`update users set kind = 'organization' where id = ${userId}`;
  for (const [role, id] of Object.entries(roles)) {
    await database.sql`
      insert into organization_members (organization_id, user_id, role, joined_at)
      values (${userId}, ${id ?? 0}, ${role}, ${START})`;
  }
  const settings = fixedSettings({ ...SETTINGS, MinTopUp: "20" });
  expect(await chargeDueTopUps({ ...deps, settings }, undefined, START)).toBe(0);
  expect(await view(userId)).toMatchObject({ pause_reason: "amount_not_allowed", next_try_at: 0 });
  expect(await Promise.all(Object.values(roles).map((id) => noticesOf(id ?? 0)))).toEqual([
    ["auto_top_up_paused"],
    ["auto_top_up_paused"],
    [],
  ]);
  expect(await noticesOf(userId)).toEqual([]);
  const actor = { id: userId, group: "default" };
  await saveAutoTopUp({ ...deps, settings }, actor, PERSON, { ...INPUT, amount: 20 * DOLLAR });
  expect(await chargeDueTopUps({ ...deps, settings }, undefined, START)).toBe(1);
});

test("cards that are removed or of an older page are not charged, and Stripe forgets them", async () => {
  const userId = await addUser(database.sql, 0);
  const older = stripe.cards.saveCard(await startCardSetup(deps, userId, "https://gateway.test"));
  stripe.events.length = 0;
  const newer = stripe.cards.saveCard(await startCardSetup(deps, userId, "https://gateway.test"));
  await deliver();
  await pollSavedCards(deps, undefined, Math.floor(Date.now() / 1000) + 600);
  await pollSavedCards(deps);
  expect([older, newer].map(stripe.cards.hasCard)).toEqual([false, true]);
  const abandoned = await startCardSetup(deps, userId, "https://gateway.test");
  await removeSavedCard(deps, userId, PERSON);
  stripe.cards.saveCard(abandoned);
  await deliver();
  expect(await view(userId)).toMatchObject({ card: null });
});

test.each([
  [{ threshold: 0 }, "auto_top_up_amount_invalid", "threshold"],
  [{ threshold: 1.5 }, "auto_top_up_amount_invalid", "threshold"],
  [{ amount: -1 }, "auto_top_up_amount_invalid", "amount"],
  [{ monthly_limit: 1e300 }, "auto_top_up_amount_invalid", "monthly_limit"],
  [{ monthly_limit: DOLLAR }, "auto_top_up_limit_too_low", undefined],
  [{ amount: 4 * DOLLAR }, "top_up_too_small", undefined],
])("%o is refused with %s", async (input, code, field) => {
  const { userId } = await account("pays", 5 * DOLLAR);
  const saving = saveAutoTopUp(deps, { id: userId, group: "default" }, PERSON, { ...INPUT, ...input });
  await expect(saving).rejects.toMatchObject({ code, ...(field && { params: { field } }) });
  expect(await view(userId)).toMatchObject(INPUT);
});

test("nothing is turned on without a card, or where no cards are charged", async () => {
  const actor = { id: await addUser(database.sql, 0), group: "default" };
  await expect(saveAutoTopUp(deps, actor, PERSON, INPUT)).rejects.toMatchObject({ code: "auto_top_up_no_card" });
  const closed = { ...deps, settings: fixedSettings({}) };
  await expect(saveAutoTopUp(closed, actor, PERSON, INPUT)).rejects.toMatchObject({ code: "card_top_up_disabled" });
  await expect(startCardSetup(closed, actor.id, "")).rejects.toMatchObject({ code: "card_top_up_disabled" });
  await account();
  expect(await chargeDueTopUps(closed, undefined, START)).toBe(0);
});
