import { afterAll, beforeAll, expect, test } from "bun:test";
import { startFakeStripe, stripeSignature } from "../../../../test/support/console/fake-stripe.ts";
import { startTestWallet, type TestWallet } from "../../../../test/support/console/wallet.ts";

const SECRET = "whsec_of_the_tests";
const PATH = "/api/user/auto_top_up";
const INPUT = { is_on: true, threshold: 1_000_000, amount: 5_000_000, monthly_limit: 50_000_000 };

let app: TestWallet;
const stripe = startFakeStripe();
beforeAll(async () => {
  const options = { ServerAddress: "https://gateway.test", StripeSecretKey: "sk_test", StripeWebhookSecret: SECRET };
  app = await startTestWallet(options, stripe.url);
});
afterAll(async () => {
  await app.close();
  await stripe.stop();
});

const report = async (secret: string, event = stripe.events.at(-1)) => {
  const body = JSON.stringify(event);
  const headers = { "stripe-signature": stripeSignature(body, secret) };
  return (await app.ask("POST", "/api/stripe/webhook", body, headers)).status;
};
const view = async (headers = app.as.user) => (await app.call("GET", PATH, undefined, headers)).data;

test("a card is saved by Stripe's signed report, shown, and removed; it is its owner's alone", async () => {
  expect(await app.call("PUT", PATH, INPUT)).toMatchObject({ success: false, code: "auto_top_up_no_card" });
  const { data } = await app.call("POST", `${PATH}/card`, {});
  const card = stripe.cards.saveCard((data as { url: string }).url);
  expect(await report("whsec_other")).toBe(400);
  expect(await view()).toMatchObject({ card: null });
  expect(await report(SECRET)).toBe(200);
  expect(await view()).toMatchObject({ card: { brand: "visa", last_four: card.slice(-4).padStart(4, "0") } });
  expect(await view(app.as.other)).toMatchObject({ card: null, is_on: false });
  expect(await app.call("PUT", PATH, INPUT)).toMatchObject({ success: true });
  expect(await view()).toMatchObject(INPUT);
  expect(await app.call("POST", `${PATH}/resume`, {})).toMatchObject({ code: "auto_top_up_not_paused" });
  expect(await app.call("DELETE", `${PATH}/card`)).toMatchObject({ success: true });
  expect(await view()).toMatchObject({ card: null, is_on: false, threshold: INPUT.threshold });
  expect((await app.ask("GET", PATH)).status).toBe(401);
});

test.each([
  [{ threshold: undefined }, "threshold"],
  [{ amount: "ten" }, "amount"],
  [{ is_on: 7 }, "is_on"],
  [{ monthly_limit: 0 }, "monthly_limit"],
  [{ monthly_limit: 1 }, "monthly_limit"],
])("%o is refused with the name of the field", async (changes, field) => {
  const answer = await app.call("PUT", PATH, { ...INPUT, ...changes });
  expect(answer).toMatchObject({ success: false });
  expect(String(answer.message)).toContain(field);
});

test("a page to save a card that Stripe does not open is an error, and nothing is stored", async () => {
  await app.settings.set("StripeSecretKey", "");
  expect(await app.call("POST", `${PATH}/card`, {})).toMatchObject({ code: "card_top_up_disabled" });
  expect(await view()).toMatchObject({ is_available: false });
  await app.settings.set("StripeSecretKey", "sk_test");
});
