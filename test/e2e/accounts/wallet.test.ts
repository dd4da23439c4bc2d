/** Somebody redeems codes and pays in a real browser; an administrator completes an order whose payment was never reported. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { createHmac } from "node:crypto";
import { signEpay } from "../../../src/domain/wallet/payments/epay.ts";
import { say } from "../../../src/lib/messages.ts";
import { startFakeWechatPay } from "../../support/console/fake-payment-services.ts";
import { startFakePaypal } from "../../support/console/fake-paypal.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { login, setOptions } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startConsoleFixture,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, type Session, startOn } from "../../support/e2e/fixture.ts";

const PASSWORD = "a payer's password";
const MERCHANT_KEY = "merchant key";
const WEBHOOK_SECRET = "whsec_e2e";
const PAYMENT_SITE = "https://pay.example.test";
const DOLLAR = 500_000;
const AUTO_TOP_UP = "**/api/user/auto_top_up";

/** A page to save a card, on which somebody has saved one. */
const SAVED = {
  ...{ id: "cs_e2e", object: "checkout.session", mode: "setup", status: "complete", customer: "cus_e2e" },
  setup_intent: {
    status: "succeeded",
    payment_method: { id: "pm_e2e", card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2099 } },
  },
};

/** Answers like the service that takes cards; `opened` are the orders it was asked to take. */
function startFakeStripe() {
  const opened: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const id = new URL(request.url).pathname.split("/").at(-1);
      if (request.method === "GET") {
        const payment_method = { ...SAVED.setup_intent.payment_method, id: `pm_${id}` };
        return Response.json({ ...SAVED, id, setup_intent: { ...SAVED.setup_intent, payment_method } });
      }
      const fields = new URLSearchParams(await request.text());
      const order = fields.get("client_reference_id");
      if (order !== null) opened.push(order);
      const session = fields.get("mode") === "setup" ? `cs_${Bun.randomUUIDv7()}` : "cs_e2e";
      return Response.json({ id: session, object: "checkout.session", url: `${PAYMENT_SITE}/card` });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, opened, stop: () => server.stop(true) };
}

const stripe = startFakeStripe();
const wechat = startFakeWechatPay();
const paypal = await startFakePaypal();
afterAll(async () => {
  await Promise.all([stripe.stop(), wechat.stop(), paypal.stop()]);
});
const { browser, gateway, root } = await startConsoleFixture(() =>
  startOn(CHEAPEST_ENGINE, { env: { STRIPE_API_URL: stripe.url } }),
);
await setOptions(root, {
  Organizations: "on",
  ServerAddress: gateway.url,
  RechargeCashbackRate: 10,
  MinTopUp: 2,
  PayAddress: PAYMENT_SITE,
  EpayId: "1001",
  EpayKey: MERCHANT_KEY,
  StripeSecretKey: "sk_e2e",
  StripeWebhookSecret: WEBHOOK_SECRET,
});

/** Reports a payment to the gateway as Epay does; returns the gateway's answer. */
async function notifyAsEpay(form: Readonly<Record<string, string>>, changes: object = {}, key = MERCHANT_KEY) {
  const { pid = "", out_trade_no = "", type = "", name = "", money = "" } = form;
  const notice = { pid, trade_no: "GW1", out_trade_no, type, name, money, trade_status: "TRADE_SUCCESS", ...changes };
  const query = new URLSearchParams({ ...notice, sign: signEpay(notice, key), sign_type: "MD5" });
  return (await fetch(`${gateway.url}/api/user/epay/notify?${query}`)).text();
}

/** Reports a payment by card to the gateway as Stripe does; returns the answer's status. */
async function postStripeEvent(tradeNo: string, secret = WEBHOOK_SECRET) {
  const paid = { amount_total: 1000, currency: "usd", payment_status: "paid" };
  const object = { id: "cs_e2e", client_reference_id: tradeNo, ...paid };
  const body = JSON.stringify({ id: "evt", object: "event", type: "checkout.session.completed", data: { object } });
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const headers = { "stripe-signature": `t=${time},v1=${signature}` };
  return (await fetch(`${gateway.url}/api/stripe/webhook`, { method: "POST", body, headers })).status;
}

describe("the wallet", () => {
  const { wallet: words, agents, plans, accountSwitch, components: common } = WORDS.en;
  const name = "payer-east";
  const guest = "guest-east";
  /** The balance before the payment by card: the codes and, where it was tried, the payment before. */
  const before = 13;
  let consolePage: ConsolePage;
  let own: Session;
  let invited: Session;

  beforeAll(async () => {
    await root.post("/api/user/", { username: name, password: PASSWORD });
    own = await login(gateway, name, PASSWORD);
    const invitation = { aff_code: await own.get("/api/user/aff"), password2: PASSWORD };
    await root.send("POST", "/api/user/register", { username: guest, password: PASSWORD, ...invitation });
    invited = await login(gateway, guest, PASSWORD);
    consolePage = await openConsolePage(browser, gateway, BOTH_VIEWPORTS, { username: name, password: PASSWORD });
    for (const site of [`${PAYMENT_SITE}/**`, "https://www.paypal.test/**"])
      await consolePage.page.route(site, (route) => route.fulfill({ status: 204 }));
  });
  afterAll(() => consolePage.close());

  const balanceIs = (dollars: string) => consolePage.page.getByText(dollars, { exact: true }).first().waitFor();
  const addCode = (key: string, dollars: number, more: object = {}) =>
    root.post("/api/redemption/", { name: "e2e", quota: dollars * DOLLAR, count: 1, key, ...more });
  const redeem = async (key: string) => {
    await consolePage.page.getByLabel(words.redeem.label, { exact: true }).fill(key);
    await consolePage.button(words.redeem.action).click();
  };
  const refusal = (text: string) => consolePage.page.getByRole("alert").filter({ hasText: text }).waitFor();
  /** Chooses a way to pay, waits for its price, and confirms. Returns the form that was posted. */
  const pay = async (method: keyof typeof words.methods, price: RegExp) => {
    await consolePage.open("/topup");
    await consolePage.button(words.methods[method]).click();
    // The price of the chosen way arrives a moment later; the quick amounts show theirs already.
    await consolePage.page.locator('button[type="submit"]', { hasText: price }).click();
    const confirm = () => consolePage.button(price, consolePage.dialog()).click();
    const posted = await consolePage.leaveFor(`${PAYMENT_SITE}/**`, confirm);
    return Object.fromEntries(new URLSearchParams(posted.postData() ?? ""));
  };

  test("redeems a gift code that came with the address, and a code that is typed; neither twice", async () => {
    await addCode("gift-east", 2, { is_gift: true });
    await addCode("code-east", 1);
    await consolePage.open("/topup?code=gift-east");
    await consolePage.button(words.redeem.action).click();
    await consolePage.waitForNotice(fillPlaceholders(words.redeem.gift, { amount: "$2.00" }));
    await balanceIs("$2.00");
    await consolePage.button(words.redeem.action).click();
    await refusal(words.redeem.missing);
    await redeem("gift-east");
    await refusal(say("redeem_used_by_you", "en"));
    await redeem(` code-east `);
    await consolePage.waitForNotice(fillPlaceholders(words.redeem.done, { amount: "$1.00" }));
    await balanceIs("$3.00");
    await redeem("code-east");
    await refusal(say("redeem_used", "en"));
    await redeem("no-such-code");
    await refusal(say("redeem_invalid", "en"));
    await consolePage.expectAccessible();
  });

  test("pays with Alipay or WeChat Pay, from the minimum on, and is credited by the notice, not by coming back", async () => {
    await consolePage.page.getByLabel(words.topUp.amount, { exact: true }).fill("1");
    await refusal(fillPlaceholders(words.topUp.tooSmall, { minimum: 2 }));
    const alipay = await pay("zfb", /73\.00/);
    expect(alipay).toMatchObject({ type: "alipay", money: "73.00", sign: signEpay(alipay, MERCHANT_KEY) });
    const form = await pay("wx", /73\.00/);
    expect(form).toMatchObject({ type: "wxpay", money: "73.00", sign: signEpay(form, MERCHANT_KEY) });
    await consolePage.page.goto(form.return_url ?? "");
    const order = consolePage.row(form.out_trade_no ?? "?");
    await order.getByText(words.statuses.pending, { exact: true }).waitFor();
    expect(await notifyAsEpay(form, {}, "another key")).toBe("fail");
    expect(await notifyAsEpay(form, { money: "0.73" })).toBe("success");
    expect((await own.get("/api/user/self")).quota).toBe(3 * DOLLAR);
    expect(await notifyAsEpay(form)).toBe("success");
    expect(await notifyAsEpay(form)).toBe("success");
    // Nobody reloads: the page is notified by itself.
    await order.getByText(words.statuses.success, { exact: true }).waitFor();
    await balanceIs("$13.00");
    await consolePage
      .row(alipay.out_trade_no ?? "?")
      .getByText(words.statuses.pending, { exact: true })
      .waitFor();
  });

  test("pays by card and is credited by the webhook before coming back, once, whoever else says so", async () => {
    await own.post("/api/user/pay", { amount: 10, top_up_code: "", payment_method: "zfb" });
    await pay("stripe", /10\.00/);
    const tradeNo = stripe.opened.at(-1) ?? "";
    expect(await postStripeEvent(tradeNo, "whsec_other")).toBe(400);
    expect((await own.get("/api/user/self")).quota).toBe(before * DOLLAR);
    expect([await postStripeEvent(tradeNo), await postStripeEvent(tradeNo)]).toEqual([200, 200]);
    await consolePage.open(`/topup?order=${tradeNo}`);
    await consolePage.row(tradeNo).getByText(words.methods.stripe, { exact: true }).waitFor();
    await consolePage.row(tradeNo).getByText(words.statuses.success, { exact: true }).waitFor();
    await balanceIs(`$${before + 10}.00`);
    await consolePage.expectAccessible();
    // The newest is first, and the cheapest: by what was paid it comes last.
    const first = consolePage.page.locator("[data-row]:first-child");
    await first.filter({ hasText: tradeNo }).waitFor();
    const { page } = consolePage;
    await page.getByRole("columnheader", { name: words.orders.money }).getByRole("button").click();
    await first.filter({ hasNotText: tradeNo }).waitFor();
  });

  test("saves a card, turns automatic top-up on, changes and ends it", async () => {
    const { autoTopUp } = words;
    const field = (label: string) => consolePage.dialog().getByLabel(label, { exact: true });
    const state = (text: string) => consolePage.page.getByText(text, { exact: true }).waitFor();
    await consolePage.open("/topup");
    await state(autoTopUp.states.off);
    await consolePage.leaveFor(`${PAYMENT_SITE}/**`, () => consolePage.button(autoTopUp.saveCard).click());
    // The page asks what it shows as it opens, and a slow network brings that after the card is confirmed.
    const isConfirmed = Promise.withResolvers<void>();
    const isLate = Promise.withResolvers<void>();
    await consolePage.page.route(AUTO_TOP_UP, async (route) => {
      const response = await route.fetch();
      if (route.request().method() === "GET") await isConfirmed.promise;
      // The page may have given the request up.
      await route.fulfill({ response }).catch(() => {});
      if (route.request().method() === "GET") isLate.resolve();
    });
    await consolePage.open("/topup?card=saved");
    await consolePage.waitForNotice(autoTopUp.cardSaved);
    isConfirmed.resolve();
    await isLate.promise;
    await consolePage.page.unroute(AUTO_TOP_UP);
    await state("Visa •••• 4242");
    await consolePage.button(autoTopUp.setUp).click();
    await field(autoTopUp.threshold).fill("1");
    await field(autoTopUp.amount).fill("1.5*");
    await field(autoTopUp.limit).fill("5");
    await consolePage.button(autoTopUp.turnOn, consolePage.dialog()).click();
    await refusal(autoTopUp.errors.invalid);
    await field(autoTopUp.amount).fill("10");
    await refusal(autoTopUp.errors.tooLow);
    await field(autoTopUp.limit).fill("4*5");
    await consolePage
      .dialog()
      .getByText(/10\.00/)
      .first()
      .waitFor();
    await consolePage.expectAccessible();
    await consolePage.button(autoTopUp.turnOn, consolePage.dialog()).click();
    await state(autoTopUp.states.on);
    await state(fillPlaceholders(autoTopUp.rule, { threshold: "$1.00", amount: "$10.00" }));
    await consolePage.expectAccessible();
    await consolePage.button(autoTopUp.remove).click();
    await consolePage.button(autoTopUp.remove, consolePage.dialog()).click();
    await consolePage.waitForNotice(autoTopUp.removed);
    await state(autoTopUp.states.off);
    await consolePage.button(autoTopUp.saveCard).waitFor();
  });

  test("tops an organization up by a card of its own", async () => {
    const { page, button, dialog } = consolePage;
    const { autoTopUp } = words;
    const organization = "pier-east";
    const { id } = await own.post("/api/organization/", { username: organization });
    await consolePage.load("/topup");
    await consolePage.actAs(organization);
    await consolePage.open("/topup");
    await consolePage.leaveFor(`${PAYMENT_SITE}/**`, () => button(autoTopUp.saveCard).click());
    await consolePage.open("/topup?card=saved");
    await consolePage.waitForNotice(autoTopUp.cardSaved);
    await button(autoTopUp.setUp).click();
    for (const [label, dollars] of [
      [autoTopUp.threshold, "1"],
      [autoTopUp.amount, "10"],
      [autoTopUp.limit, "20"],
    ] as const)
      await dialog().getByLabel(label, { exact: true }).fill(dollars);
    await button(autoTopUp.turnOn, dialog()).click();
    await page.getByText(autoTopUp.states.on, { exact: true }).waitFor();
    await consolePage.expectAccessible();
    const stateOf = (sent: Record<string, string>) =>
      page.evaluate(async (headers) => (await (await fetch("/api/user/auto_top_up", { headers })).json()).data, sent);
    const person = { "Sluice-User": String(own.userId) };
    const isOn = { is_on: true, threshold: DOLLAR };
    expect(await stateOf({ ...person, "Sluice-Organization": String(id) })).toMatchObject(isOn);
    expect(await stateOf(person)).not.toMatchObject(isOn);
    await consolePage.actAs(accountSwitch.personal);
    await consolePage.open("/topup");
    await button(autoTopUp.saveCard).waitFor();
  });

  test("lists what others' recharges brought", async () => {
    await addCode(guest, 20);
    await invited.post("/api/user/topup", { key: guest });
    await consolePage.open("/topup");
    await balanceIs(`$${before + 12}.00`);
    await consolePage.page.getByRole("tab", { name: words.lists.rebates }).click();
    const rebate = consolePage.row("g***");
    for (const text of [words.rebates.cashback, "10%", "$20.00", "$2.00"]) await rebate.getByText(text).waitFor();
    expect(await consolePage.page.getByRole("link", { name: agents.own.title, exact: true }).count()).toBe(0);
    await consolePage.expectAccessible();
  });

  test("subscribes to a plan, sees it on this month's statement and downloads that", async () => {
    const plan = "Pro east";
    await root.post("/api/plan", {
      ...{ name: plan, description: "", price: 5 * DOLLAR, period: "month", periodCount: 1, windowQuota: 2 * DOLLAR },
      ...{ window: "day", userGroup: "", trialDays: 0, isVisible: true },
    });
    await consolePage.open("/topup?list=plans");
    await consolePage.page.getByRole("button", { name: plans.subscribe, exact: true }).last().click();
    await consolePage.button(plans.subscribe, consolePage.dialog()).click();
    await consolePage.waitForNotice(fillPlaceholders(plans.subscribed, { name: plan }));
    await consolePage.page.getByText(plans.statuses.active, { exact: true }).waitFor();
    expect((await own.get("/api/user/self")).quota).toBe((before + 12 - 5 + 2) * DOLLAR);
    await consolePage.button(plans.pause).click();
    await consolePage.button(plans.pause, consolePage.dialog()).click();
    await consolePage.button(plans.unpause).click();
    await consolePage.button(plans.pause).waitFor();
    await consolePage.expectAccessible();
    await consolePage.open("/topup?list=statements");
    await consolePage.button(words.statements.thisMonth).click();
    await consolePage.dialog().getByText(words.statements.credits.plans, { exact: true }).waitFor();
    await consolePage
      .dialog()
      .getByText(`$${before + 9}.000000`, { exact: true })
      .waitFor();
    const { name: file, text } = await consolePage.download(() => consolePage.button("CSV").click());
    expect(file).toMatch(/^draft-\d{4}-\d\d\.csv$/);
    expect(text).toContain(`,${(before + 9) * DOLLAR},${before + 9}`);
    await consolePage.expectAccessible();
    await consolePage.button(common.close, consolePage.dialog()).last().click();
  });

  test("scans a code of WeChat Pay and is credited by its notice; PayPal is paid on its own page", async () => {
    const payment = /73\.00/;
    await setOptions(root, { EpayKey: "", ...wechat.settings, ...paypal.settings });
    try {
      const quota = Number((await own.get("/api/user/self")).quota);
      await consolePage.open("/topup");
      await consolePage.button(words.methods.wechat).click();
      await consolePage.page.locator('button[type="submit"]', { hasText: payment }).click();
      await consolePage.button(payment, consolePage.dialog()).click();
      const code = consolePage.page.getByRole("dialog", { name: words.topUp.codeTitle, exact: true });
      await code.locator("svg").getByText(words.topUp.codeTitle).waitFor({ state: "attached" });
      await code.getByText(words.topUp.codeWaiting, { exact: true }).waitFor();
      await consolePage.expectAccessible();
      const tradeNo = [...wechat.state.trades.keys()].at(-1) ?? "";
      const { body, headers } = wechat.notice(tradeNo);
      const answer = await fetch(`${gateway.url}/api/user/wechat/notify`, { method: "POST", body, headers });
      expect(answer.status).toBe(204);
      await consolePage.page.keyboard.press("Escape");
      await code.waitFor({ state: "detached" });
      await consolePage.row(tradeNo).getByText(words.statuses.success, { exact: true }).waitFor();
      expect((await own.get("/api/user/self")).quota).toBe(quota + 10 * DOLLAR);

      await consolePage.open("/topup");
      await consolePage.button(words.methods.paypal).click();
      await consolePage.page.locator('button[type="submit"]', { hasText: payment }).click();
      await consolePage.leaveFor("https://www.paypal.test/**", () =>
        consolePage.button(payment, consolePage.dialog()).click(),
      );
      const [order] = [...paypal.orders.values()].slice(-1);
      expect(order).toMatchObject({ value: "73.00", currency: "USD", state: "open" });
      await consolePage.open(`/topup?order=${order?.tradeNo}`);
      await consolePage
        .row(order?.tradeNo ?? "?")
        .getByText(words.statuses.pending, { exact: true })
        .waitFor();
      await root.post("/api/plan", {
        ...{ name: "PayPal east", description: "", price: 5 * DOLLAR, period: "month", periodCount: 1 },
        ...{ windowQuota: DOLLAR, window: "day", userGroup: "", trialDays: 0, isVisible: true },
      });
      await consolePage.open("/topup?list=plans");
      await consolePage.page.getByRole("button", { name: plans.subscribe, exact: true }).last().click();
      await consolePage.dialog().getByRole("combobox").click();
      await consolePage.page.getByRole("option", { name: plans.payPaypal, exact: true }).click();
      await consolePage.expectAccessible();
      await consolePage.leaveFor(/paypal\.test\/subscribe\?ba_token=I-/, () =>
        consolePage.button(plans.toCard, consolePage.dialog()).click(),
      );
    } finally {
      await setOptions(root, { EpayKey: MERCHANT_KEY, WechatPayPrivateKey: "", PaypalSecret: "" });
    }
  });

  test("an administrator finds a pending order and completes it, once; the log says who did", async () => {
    const body = { amount: 4, top_up_code: "", payment_method: "zfb" };
    const { out_trade_no: tradeNo } = await invited.post("/api/user/pay", body);
    const office = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
    await office.open("/order");
    await office.row(name).first().waitFor();
    await office.expectAccessible();
    await office.open(`/order?search=${guest}&status=pending`);
    await office.row(tradeNo).getByText(guest, { exact: true }).waitFor();
    await office.chooseRowAction(tradeNo, words.allOrders.complete);
    await office
      .dialog()
      .getByText(fillPlaceholders(words.allOrders.confirmBody, { amount: "$4.00", name: guest }))
      .waitFor();
    await office.button(words.allOrders.complete, office.dialog()).click();
    await office.waitForNotice(words.allOrders.done);
    await office.row(tradeNo).waitFor({ state: "detached" });
    expect((await invited.get("/api/user/self")).quota).toBe(24 * DOLLAR);
    await office.open(`/order?search=${tradeNo}`);
    await office.row(tradeNo).getByText(words.statuses.success, { exact: true }).waitFor();
    const { name: file, text } = await office.download(() => office.button(/CSV$/).click());
    expect(file).toMatch(/^orders-\d{4}-\d\d-\d\d\.csv$/);
    expect(text.trim().split("\n")).toHaveLength(2);
    for (const cell of [tradeNo, guest, "29.20", "success"]) expect(text).toContain(cell);
    await office.open("/audit");
    await office.page
      .getByText(new RegExp(`${tradeNo}.*${guest}|${guest}.*${tradeNo}`))
      .first()
      .waitFor();
    expect([...office.complaints, ...consolePage.complaints]).toEqual([]);
    await office.close();
  });

  test("its pages can be read in Chinese on a phone", async () => {
    const account = { username: name, password: PASSWORD };
    await expectChinesePages(browser, gateway, ["/topup", "/topup?list=plans", "/topup?list=statements"], account);
    await expectChinesePages(browser, gateway, ["/order", "/audit"]);
  }, 120_000);
});
