import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { paymentCases } from "../../../../db/schema/wallet/plans/plan-orders.ts";
import { billingProfiles } from "../../../../db/schema/wallet/statements.ts";
import { rebates, topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import { startTestWallet, type TestWallet } from "../../../../test/support/console/wallet.ts";
import { pollCheckouts } from "../../../domain/wallet/orders/poll-checkouts.ts";
import { signEpay } from "../../../domain/wallet/payments/epay.ts";
import { createAddressPolicy } from "../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../lib/runtime/log.ts";

const MERCHANT_KEY = "the merchant's key";
const WEBHOOK_SECRET = "whsec_of_the_tests";
const HUNDRED = Array.from({ length: 100 }, (_, index) => index);

let app: TestWallet;
/** Requests that the fake of Stripe received. */
const requests: { path: string; fields: URLSearchParams; key: string | null }[] = [];
/** What the fake says of pages, by their numbers. */
const sessions = new Map<string, object>();
const charges = new Map<string, object>();
let pages = 0;
const stripe = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const fields = new URLSearchParams(await request.text());
    const [, , kind, chargeNo, sessionNo] = new URL(request.url).pathname.split("/");
    if (kind === "charges") {
      const charge = charges.get(chargeNo ?? "");
      return charge ? Response.json(charge) : Response.json({ error: { message: "unavailable" } }, { status: 400 });
    }
    if (sessionNo) {
      const found = sessions.get(sessionNo);
      return found ? Response.json(found) : Response.json({ error: { message: "unavailable" } }, { status: 400 });
    }
    requests.push({ path: new URL(request.url).pathname, fields, key: request.headers.get("authorization") });
    if (fields.get("client_reference_id") === null) return Response.json({ error: { message: "no" } }, { status: 400 });
    const id = `cs_${++pages}`;
    return Response.json({ id, object: "checkout.session", url: `https://checkout.test/pay/${id}` });
  },
});

beforeAll(async () => {
  app = await startTestWallet(
    {
      ServerAddress: "https://gateway.test",
      PayAddress: "https://pay.test",
      EpayId: "1001",
      EpayKey: MERCHANT_KEY,
      TopupGroupRatio: '{"default":1,"vip":0.5,"free":0}',
      MinTopUp: "2",
      StripeSecretKey: "sk_of_the_tests",
      StripeWebhookSecret: WEBHOOK_SECRET,
    },
    `http://127.0.0.1:${stripe.port}`,
  );
});
afterAll(async () => {
  await app.close();
  await stripe.stop(true);
});
beforeEach(async () => {
  await app.db.update(users).set({ quota: 0, inviterId: null });
});

const quotaOf = async (id = app.ids.user) => (await app.rowOf(id)).quota;
const orderOf = async (tradeNo: string) => {
  const [order] = await app.db.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo));
  return order;
};

const casesOf = async (tradeNo: string) =>
  (await app.db.select().from(paymentCases).where(eq(paymentCases.tradeNo, tradeNo))).map(
    ({ kind, money, currency }) => [kind, money, currency],
  );

/** Starts an order and returns the form that the browser would post. */
async function pay(method: string, amount = 10, headers = app.as.user) {
  const answer = await app.call("POST", "/api/user/pay", { amount, top_up_code: "", payment_method: method }, headers);
  expect(answer).toMatchObject({ success: true, message: "success" });
  return { fields: answer.data as Record<string, string>, url: String(answer.url) };
}

/** The payment callback that an Epay service would send. */
function noticeOf(form: Record<string, string>, changes: Record<string, string> = {}, key = MERCHANT_KEY) {
  const { pid = "", out_trade_no = "", type = "", name = "", money = "" } = form;
  const fields = { pid, trade_no: "GW77", out_trade_no, type, name, money, trade_status: "TRADE_SUCCESS", ...changes };
  return new URLSearchParams({ ...fields, sign: signEpay(fields, key), sign_type: "MD5" });
}
const notify = async (notice: URLSearchParams) => (await app.ask("GET", `/api/user/epay/notify?${notice}`)).text;

test("how one can pay: the ways that are set up, by the user's group, to people who are signed in", async () => {
  const ways = async () => (await app.call("GET", "/api/user/topup/ways")).data;
  expect(await ways()).toEqual({
    ways: [
      { method: "zfb", price: "7.3", currency: "CNY" },
      { method: "wx", price: "7.3", currency: "CNY" },
      { method: "stripe", price: "1", currency: "USD" },
    ],
    periods: ["zfb", "wx"],
    minimum: 2,
    link: "",
  });
  await app.settings.set("StripeSecretKey", "");
  expect(await ways()).toMatchObject({ ways: [{ method: "zfb" }, { method: "wx" }] });
  await app.settings.set("StripeSecretKey", "sk_of_the_tests");
  expect((await app.ask("GET", "/api/user/topup/ways")).status).toBe(401);
});

describe("prices", () => {
  const amount = (body: object) => app.call("POST", "/api/user/amount", { top_up_code: "", ...body });

  test("dollars by price and group", async () => {
    expect(await amount({ amount: 10 })).toMatchObject({ message: "success", data: "73.00" });
    expect(await amount({ amount: 10, payment_method: "stripe" })).toMatchObject({ data: "10.00" });
    await app.db.update(users).set({ group: "vip" }).where(eq(users.id, app.ids.user));
    await app.changes.publish("users", [app.ids.user]);
    expect(await amount({ amount: 3 })).toMatchObject({ data: "10.95" });
    await app.db.update(users).set({ group: "free" }).where(eq(users.id, app.ids.user));
    await app.changes.publish("users", [app.ids.user]);
    expect(await amount({ amount: 10 })).toMatchObject({ data: "73.00" });
    await app.db.update(users).set({ group: "default" }).where(eq(users.id, app.ids.user));
    await app.changes.publish("users", [app.ids.user]);
  });

  test("the tax of the customer's country is part of the order, and the payment must be for all of it", async () => {
    await app.settings.set("TaxRates", '{"DE":19,"FR":20}');
    await app.settings.set("TaxCountry", "DE");
    await app.db.insert(billingProfiles).values({
      ...{ userId: app.ids.user, name: "", address: "", taxId: "FR12345678901", country: "FR" },
    });
    const reverse = { data: "10.00", tax: { country: "FR", amount: "0.00", isReverseCharge: true } };
    expect(await amount({ amount: 10, payment_method: "stripe" })).toMatchObject(reverse);
    await app.db.update(billingProfiles).set({ taxId: "" });
    expect(await amount({ amount: 10 })).toMatchObject({ data: "87.60", tax: { rate: "20", amount: "14.60" } });
    const { fields } = await pay("zfb");
    expect(fields).toMatchObject({ money: "87.60" });
    // What changes after the order was made does not change it.
    await app.settings.set("TaxRates", "{}");
    expect(await notify(noticeOf(fields, { money: "73.00" }))).toBe("success");
    expect(await orderOf(fields.out_trade_no ?? "")).toMatchObject({ status: "pending" });
    expect(await notify(noticeOf(fields))).toBe("success");
    expect(await orderOf(fields.out_trade_no ?? "")).toMatchObject({
      ...{ status: "success", money: "87.60", tax: "14.60", taxRate: "20.000", taxCountry: "FR" },
      ...{ quota: 5_000_000, reverseChargeTaxId: "" },
    });
    await app.db.delete(billingProfiles);
    await expect(app.settings.set("TaxRates", '{"Germany":19}')).rejects.toMatchObject({ code: "option_json_shape" });
    await expect(app.settings.set("TaxRates", '{"DE":101}')).rejects.toMatchObject({ code: "option_json_shape" });
  });

  test.each([1, 0, -5, 2.5, 1_000_001, 1e300])("an amount of %p is refused in words", async (value) => {
    const answer = await amount({ amount: value });
    expect(answer).toMatchObject({ success: false, message: "error" });
    expect(String(answer.data)).toMatch(/amount/);
  });

  test("quota units, where the site shows those", async () => {
    await app.settings.set("DisplayInCurrencyEnabled", "false");
    expect(await amount({ amount: 999_999 })).toMatchObject({ message: "error" });
    expect(await amount({ amount: 1_000_001 })).toMatchObject({ data: "14.60" });
    const { fields } = await pay("wx", 1_250_000);
    expect(await orderOf(fields.out_trade_no ?? "")).toMatchObject({ quota: 1_250_000, money: "18.25" });
    await app.settings.set("DisplayInCurrencyEnabled", "true");
  });
});

describe("Epay", () => {
  test("the form is signed and leads back", async () => {
    const { fields, url } = await pay("zfb");
    expect(url).toBe("https://pay.test/submit.php");
    expect(fields).toMatchObject({
      pid: "1001",
      type: "alipay",
      money: "73.00",
      name: "TUC10",
      notify_url: "https://gateway.test/api/user/epay/notify",
      sign: signEpay(fields, MERCHANT_KEY),
    });
    expect(fields.out_trade_no).toMatch(new RegExp(`^USR${app.ids.user}NO\\w{6}\\d{10}$`));
    expect(await quotaOf()).toBe(0);
  });

  test.each(["cash", "toString", "__proto__", ""])(
    "a way to pay called %j is refused, and no order is made",
    async (method) => {
      const before = (await app.db.select().from(topUpOrders)).length;
      const body = { amount: 10, payment_method: method };
      expect(await app.call("POST", "/api/user/pay", body)).toMatchObject({
        message: "error",
        data: "Choose one of the ways to pay that are offered.",
      });
      expect((await app.db.select().from(topUpOrders)).length).toBe(before);
    },
  );

  test("100 simultaneous notices credit the order once", async () => {
    const { fields } = await pay("wx");
    const answers = await Promise.all(HUNDRED.map(() => notify(noticeOf(fields))));
    expect(new Set(answers)).toEqual(new Set(["success"]));
    expect(await quotaOf()).toBe(5_000_000);
    const written = await app.db.select().from(logs).where(eq(logs.type, 1));
    expect(written.filter(({ other }) => other.includes(fields.out_trade_no ?? ""))).toHaveLength(1);
    expect(await orderOf(fields.out_trade_no ?? "")).toMatchObject({ status: "success", gatewayNo: "GW77" });
  });

  test("a notice may come as a form, and after the order expired", async () => {
    const { fields } = await pay("wx");
    await app.db.update(topUpOrders).set({ status: "expired" });
    const body = noticeOf(fields).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await app.ask("POST", "/api/user/epay/notify", body, headers)).text).toBe("success");
    expect(await quotaOf()).toBe(5_000_000);
  });

  test.each([
    ["signed with another key", {}, "another key"],
    ["of another merchant", { pid: "1002" }, MERCHANT_KEY],
    ["of no order", { out_trade_no: "USR1NOxxxxxx1" }, MERCHANT_KEY],
  ])("a notice %s is refused", async (_, changes, key) => {
    const { fields } = await pay("wx");
    expect(await notify(noticeOf(fields, changes as Record<string, string>, key))).toBe("fail");
    expect(await orderOf(fields.out_trade_no ?? "")).toMatchObject({ status: "pending" });
    expect(await quotaOf()).toBe(0);
  });

  test.each([
    ["less money", "0.01", "0.01"],
    ["more money", "7300.00", "7300.00"],
    ["a negative amount", "-73.00", "0.00"],
    ["no amount", "73.00abc", "0.00"],
  ])("a notice with %s moves nothing, however often, and waits for an administrator once", async (_, money, shown) => {
    const { fields } = await pay("wx");
    const tradeNo = fields.out_trade_no ?? "";
    const changes = { money, trade_no: `GW${tradeNo}` };
    const answers = await Promise.all([1, 2, 3].map(() => notify(noticeOf(fields, changes))));
    expect(answers).toEqual(["success", "success", "success"]);
    expect(await orderOf(tradeNo)).toMatchObject({ status: "pending" });
    expect(await quotaOf()).toBe(0);
    expect(await casesOf(tradeNo)).toEqual([["wrong_amount", shown, "CNY"]]);
    expect(await notify(noticeOf(fields))).toBe("success");
    expect(await quotaOf()).toBe(5_000_000);
  });

  test("a payment under way is acknowledged, not credited", async () => {
    const { fields } = await pay("wx");
    expect(await notify(noticeOf(fields, { trade_status: "WAIT_BUYER_PAY" }))).toBe("success");
    expect(await quotaOf()).toBe(0);
  });

  test("the same amount written differently is the same", async () => {
    const { fields } = await pay("wx");
    expect(await notify(noticeOf(fields, { money: "73" }))).toBe("success");
    expect(await quotaOf()).toBe(5_000_000);
  });

  test("without a merchant key nothing is taken, an empty signature least of all", async () => {
    const { fields } = await pay("wx");
    await app.settings.set("EpayKey", "");
    expect(await notify(noticeOf(fields, {}, ""))).toBe("fail");
    const answer = await app.call("POST", "/api/user/pay", { amount: 10, payment_method: "wx" });
    expect(answer).toMatchObject({ message: "error", data: "Online top-up is not available on this site." });
    await app.settings.set("EpayKey", MERCHANT_KEY);
  });

  test("an oversized notice is refused", async () => {
    const answer = await app.ask("POST", "/api/user/epay/notify", `a=${"x".repeat(300_000)}`);
    expect(answer.status).toBe(413);
  });
});

describe("cards", () => {
  const signed = (text: string, secret = WEBHOOK_SECRET, time = Math.floor(Date.now() / 1000)) =>
    `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${text}`).digest("hex")}`;
  const eventOf = (type: string, tradeNo: string, changes: object = {}) => ({
    id: "evt_1",
    object: "event",
    type,
    data: {
      object: {
        id: "cs_1",
        object: "checkout.session",
        client_reference_id: tradeNo,
        amount_total: 1000,
        currency: "usd",
        payment_status: "paid",
        ...changes,
      },
    },
  });
  const sendEvent = async (event: object, sign: (text: string) => string = signed) => {
    const text = JSON.stringify(event);
    return (await app.ask("POST", "/api/stripe/webhook", text, { "stripe-signature": sign(text) })).status;
  };
  const start = async () => {
    const { url } = await pay("stripe");
    const session = requests.at(-1);
    return { url, session, tradeNo: session?.fields.get("client_reference_id") ?? "" };
  };

  test("a checkout is opened with the price", async () => {
    const { url, session } = await start();
    expect(url).toStartWith("https://checkout.test/pay/cs_");
    // WeChat Pay is refused without it.
    expect(session?.fields.get("payment_method_options[wechat_pay][client]")).toBe("web");
    expect(session?.fields.has("payment_method_types[0]")).toBe(false);
    expect(session).toMatchObject({ path: "/v1/checkout/sessions", key: "Bearer sk_of_the_tests" });
    expect(session?.fields.get("line_items[0][price_data][unit_amount]")).toBe("1000");
    expect(session?.fields.get("line_items[0][price_data][currency]")).toBe("usd");
  });

  test("100 simultaneous events credit the order once", async () => {
    const { tradeNo } = await start();
    const answers = await Promise.all(HUNDRED.map(() => sendEvent(eventOf("checkout.session.completed", tradeNo))));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await quotaOf()).toBe(5_000_000);
  });

  test.each([
    ["with a wrong secret", (text: string) => signed(text, "whsec_other")],
    ["with an empty secret", (text: string) => signed(text, "")],
    ["of an hour ago", (text: string) => signed(text, WEBHOOK_SECRET, Math.floor(Date.now() / 1000) - 3600)],
    ["of another text", () => signed("{}")],
    ["without a signature", () => ""],
  ])("an event signed %s is refused", async (_, sign) => {
    const { tradeNo } = await start();
    expect(await sendEvent(eventOf("checkout.session.completed", tradeNo), sign)).toBe(400);
    expect(await quotaOf()).toBe(0);
  });

  test.each([
    [{ amount_total: 1 }, ["0.01", "USD"]],
    [{ currency: "jpy" }, ["1000.00", "JPY"]],
    [{ amount_total: null }, ["0.00", "USD"]],
  ])("%o does not fit: nothing moves, and an administrator sees it", async (changes, shown) => {
    const { tradeNo } = await start();
    const event = eventOf("checkout.session.completed", tradeNo, { id: `cs_${tradeNo}`, ...changes });
    for (const _ of [1, 2]) expect(await sendEvent(event)).toBe(200);
    expect(await orderOf(tradeNo)).toMatchObject({ status: "pending" });
    expect(await quotaOf()).toBe(0);
    expect(await casesOf(tradeNo)).toEqual([["wrong_amount", ...shown]]);
  });

  test("a dispute moves nothing, and names who paid where Stripe says which order it was", async () => {
    const { tradeNo } = await start();
    charges.set("ch_ours", { id: "ch_ours", object: "charge", customer: null, metadata: { order: tradeNo } });
    charges.set("ch_other", { id: "ch_other", object: "charge", customer: null, metadata: {} });
    for (const charge of ["ch_ours", "ch_other", "ch_unknown"]) {
      const object = { id: `dp_${charge}`, object: "dispute", amount: 1000, currency: "usd", charge };
      const event = { id: "evt_d", object: "event", type: "charge.dispute.created", data: { object } };
      for (const _ of [1, 2]) expect(await sendEvent(event)).toBe(200);
    }
    const isDispute = eq(paymentCases.kind, "dispute");
    const found = await app.db.select().from(paymentCases).where(isDispute).orderBy(paymentCases.id);
    expect(found.map(({ reference, userId, money }) => [reference, userId, money])).toEqual([
      ["dp_ch_ours", app.ids.user, "10.00"],
      ["dp_ch_other", null, "10.00"],
      ["dp_ch_unknown", null, "10.00"],
    ]);
    expect(await quotaOf()).toBe(0);
  });

  test("events out of order: what was paid stays paid, what was not yet paid is paid later", async () => {
    const first = await start();
    await sendEvent(eventOf("checkout.session.completed", first.tradeNo));
    await sendEvent(eventOf("checkout.session.expired", first.tradeNo));
    expect(await orderOf(first.tradeNo)).toMatchObject({ status: "success" });
    const second = await start();
    await sendEvent(eventOf("checkout.session.async_payment_failed", second.tradeNo));
    expect(await orderOf(second.tradeNo)).toMatchObject({ status: "failed" });
    await sendEvent(eventOf("checkout.session.completed", second.tradeNo, { payment_status: "unpaid" }));
    expect(await quotaOf()).toBe(5_000_000);
    await sendEvent(eventOf("checkout.session.async_payment_succeeded", second.tradeNo));
    expect(await quotaOf()).toBe(10_000_000);
  });

  test("payments that no webhook reports are found by asking Stripe, once, whatever its answer and its webhook do at once", async () => {
    const poll = (now: number) =>
      pollCheckouts(
        {
          ...app,
          stripeAddress: `http://127.0.0.1:${stripe.port}`,
          fetch: createSafeFetch(createAddressPolicy(true)),
          log: createLogger({ logLevel: "silent", logFormat: "json" }),
        },
        undefined,
        now,
      );
    const [paid, other, open, expired, unknown] = [
      await start(),
      await start(),
      await start(),
      await start(),
      await start(),
    ];
    const say = async ({ tradeNo }: Readonly<{ tradeNo: string }>, changes: object) => {
      const sessionNo = (await orderOf(tradeNo))?.gatewayNo ?? "";
      const { object } = eventOf("", tradeNo).data;
      sessions.set(sessionNo, { ...object, id: sessionNo, status: "complete", ...changes });
    };
    await say(paid, {});
    await say(other, { amount_total: 1 });
    await say(open, { status: "open", payment_status: "unpaid" });
    await say(expired, { status: "expired", payment_status: "unpaid" });
    const now = Math.floor(Date.now() / 1000);
    await poll(now + 60);
    expect(await quotaOf()).toBe(0);
    await Promise.all([
      ...[poll(now + 400), poll(now + 400)],
      sendEvent(eventOf("checkout.session.completed", paid.tradeNo)),
    ]);
    expect(await quotaOf()).toBe(5_000_000);
    const statuses = [paid, other, open, expired, unknown].map(async ({ tradeNo }) => (await orderOf(tradeNo))?.status);
    expect(await Promise.all(statuses)).toEqual(["success", "pending", "pending", "failed", "pending"]);
    // Later it is asked less often, and in the end no more.
    await say(open, {});
    const hour = now - (now % 600) + 3600;
    await poll(hour + 300);
    expect(await quotaOf()).toBe(5_000_000);
    await poll(hour);
    expect(await quotaOf()).toBe(10_000_000);
    await say(unknown, {});
    await poll(hour + 9 * 86_400);
    expect(await quotaOf()).toBe(10_000_000);
  });

  test("neither service can settle the other's orders", async () => {
    const card = await start();
    expect(await notify(noticeOf({ pid: "1001", out_trade_no: card.tradeNo, money: "10.00" }))).toBe("fail");
    const { fields } = await pay("wx");
    await sendEvent(
      eventOf("checkout.session.completed", fields.out_trade_no ?? "", { amount_total: 7300, currency: "cny" }),
    );
    expect(await quotaOf()).toBe(0);
  });

  test("without a webhook secret cards are not taken", async () => {
    const { tradeNo } = await start();
    await app.settings.set("StripeWebhookSecret", "");
    expect(await sendEvent(eventOf("checkout.session.completed", tradeNo), (text) => signed(text, ""))).toBe(400);
    const answer = await app.call("POST", "/api/user/pay", { amount: 10, payment_method: "stripe" });
    expect(answer).toMatchObject({ message: "error" });
    await app.settings.set("StripeWebhookSecret", WEBHOOK_SECRET);
  });
});

describe("cashback", () => {
  const invite = () => app.db.update(users).set({ inviterId: app.ids.other }).where(eq(users.id, app.ids.user));

  test("goes to the inviter with the recharge, rounded down, from the minimum on", async () => {
    await invite();
    await app.settings.set("RechargeCashbackRate", "3.33");
    await app.settings.set("MinRechargeCashbackQuota", "5000000");
    const small = await pay("wx", 9);
    await notify(noticeOf(small.fields));
    expect(await quotaOf(app.ids.other)).toBe(0);
    const { fields } = await pay("wx", 11);
    await Promise.all(HUNDRED.map(() => notify(noticeOf(fields))));
    expect(await quotaOf(app.ids.other)).toBe(183_150);
    const rows = await app.db.select().from(rebates);
    expect(rows).toMatchObject([{ userId: app.ids.other, quota: 183_150, rechargeQuota: 5_500_000, rate: "3.33" }]);
    const list = await app.call("GET", "/api/user/topup/rebates", undefined, app.as.other);
    expect(list.data).toMatchObject({ total: 1, items: [{ from: "u***r", kind: "cashback", quota: 183_150 }] });
    await app.settings.set("RechargeCashbackRate", "0");
  });

  test("by the older switch too", async () => {
    await invite();
    await app.settings.set("RebatePercentage", "10");
    await notify(noticeOf((await pay("wx")).fields));
    expect(await quotaOf(app.ids.other)).toBe(0);
    await app.settings.set("RebateEnabled", "true");
    await notify(noticeOf((await pay("wx")).fields));
    expect(await quotaOf(app.ids.other)).toBe(500_000);
  });
});

describe("orders", () => {
  const complete = (tradeNo: string, headers: Record<string, string>) =>
    app.call("POST", "/api/topup/complete", { trade_no: tradeNo }, headers);

  test("everybody sees their own", async () => {
    const { fields } = await pay("wx", 7, app.as.other);
    const list = async (headers: Record<string, string>) =>
      JSON.stringify((await app.call("GET", "/api/user/topup/orders?page_size=100", undefined, headers)).data);
    expect(await list(app.as.other)).toContain(fields.out_trade_no ?? "?");
    expect(await list(app.as.user)).not.toContain(fields.out_trade_no ?? "?");
    expect(await app.call("GET", "/api/topup/")).toMatchObject({ code: "permission_denied" });
    const found = await app.call("GET", "/api/topup/?keyword=OTHER&status=pending", undefined, app.as.admin);
    expect(found.data).toMatchObject({ total: 1, items: [{ username: "other", money: "51.10" }] });
    expect((await app.call("GET", "/api/topup/?keyword=%25_%25", undefined, app.as.admin)).data).toMatchObject({
      total: 0,
    });
  });

  test("owners and administrators sort them, administrators have them as CSV", async () => {
    const numbers: string[] = [];
    for (const amount of [3, 9, 5]) numbers.push((await pay("wx", amount, app.as.other)).fields.out_trade_no ?? "");
    const list = async (query: string, path = "/api/topup/", headers = app.as.admin) => {
      const { data } = await app.call("GET", `${path}?page_size=100&${query}`, undefined, headers);
      const { items } = data as { items: { trade_no: string }[] };
      return items.map(({ trade_no }) => numbers.indexOf(trade_no)).filter((index) => index >= 0);
    };
    const own = (query: string) => list(query, "/api/user/topup/orders", app.as.other);
    expect(await own("")).toEqual([2, 1, 0]);
    expect(await own("sort=money")).toEqual([1, 2, 0]);
    expect(await own("sort=id&order=asc")).toEqual([0, 1, 2]);
    expect((await app.ask("GET", "/api/user/topup/orders?sort=username", undefined, app.as.other)).status).toBe(400);
    expect(await list("")).toEqual([2, 1, 0]);
    expect(await list("sort=money&order=asc")).toEqual([0, 2, 1]);
    expect(await list("sort=created_time&order=desc")).toEqual([2, 1, 0]);
    expect(await list("sort=username")).toEqual([2, 1, 0]);
    expect(await app.call("GET", "/api/topup/?sort=nonsense", undefined, app.as.admin)).toMatchObject({
      success: false,
    });
    const { text } = await app.ask("GET", `/api/topup/export?keyword=${numbers[1]}`, undefined, app.as.admin);
    const lines = text.trim().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toStartWith("id,trade_no,user_id,username,method,money,currency,quota,status,");
    expect(lines[1]).toContain(`,${numbers[1]},${app.ids.other},other,wx,65.70,CNY,4500000,pending,`);
    expect([lines[0]?.split(",").at(-1), lines[1]?.split(",").at(-1)]).toEqual(["quota_usd", "9"]);
    expect(await app.call("GET", "/api/topup/export")).toMatchObject({ code: "permission_denied" });
  });

  test("an administrator completes a pending one, once, and the log says so", async () => {
    const { fields } = await pay("wx");
    const tradeNo = fields.out_trade_no ?? "";
    expect(await complete(tradeNo, app.as.user)).toMatchObject({ code: "permission_denied" });
    const answers = await Promise.all(HUNDRED.slice(0, 20).map(() => complete(tradeNo, app.as.admin)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === "order_done_already")).toHaveLength(19);
    expect(await notify(noticeOf(fields))).toBe("success");
    expect(await quotaOf()).toBe(5_000_000);
    const [audit] = await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id);
    expect(audit).toMatchObject({ userId: app.ids.admin, content: expect.stringContaining(tradeNo) });
  });

  test("nobody completes orders of their own rank", async () => {
    const { fields } = await pay("wx", 10, app.as.admin);
    const tradeNo = fields.out_trade_no ?? "";
    expect(await complete(tradeNo, app.as.admin)).toMatchObject({ code: "user_out_of_reach" });
    expect(await complete(tradeNo, app.as.root)).toMatchObject({ success: true, message: "Order completed." });
    expect(await complete("USR1NOx", app.as.root)).toMatchObject({ code: "order_not_found" });
  });
});
