/** Plans in a real browser: paid period by period, tried, changed and ended, with seats, by codes and grants; and their documents. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { signEpay } from "../../../src/domain/wallet/payments/epay.ts";
import { startFakeAlipay, startFakeWechatPay } from "../../support/console/fake-payment-services.ts";
import { startFakeStripe, stripeSignature } from "../../support/console/fake-stripe.ts";
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
  startSeeded,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, type Session } from "../../support/e2e/fixture.ts";

const PASSWORD = "a subscriber's pw";
const PAYMENT_SITE = "https://pay.example.test";
const EPAY_KEY = "merchant key";
const WEBHOOK_SECRET = "whsec_of_the_tests";
const INSTRUCTIONS = "Transfer it to account 4711 of the harbor bank.";
const DOLLAR = 500_000;
const PLAN = {
  ...{ description: "", price: 5 * DOLLAR, period: "month", periodCount: 1, windowQuota: DOLLAR, window: "day" },
  ...{ userGroup: "", trialDays: 0, isVisible: true },
};

const alipay = startFakeAlipay();
const wechat = startFakeWechatPay();
const stripe = startFakeStripe();
afterAll(() => Promise.all([alipay.stop(), wechat.stop(), stripe.stop()]));
// Calls of the last months are what statements are issued for.
const { browser, gateway, root } = await startConsoleFixture(() =>
  startSeeded({ channels: 1, users: 2, tokens: 2, logs: 100 }, { STRIPE_API_URL: stripe.url }, CHEAPEST_ENGINE),
);
await setOptions(root, {
  ...{ Organizations: "on", ServerAddress: gateway.url, ManualPaymentInstructions: INSTRUCTIONS },
  ...{ PayAddress: PAYMENT_SITE, EpayId: "1001", EpayKey: EPAY_KEY },
  ...{
    StripeSecretKey: "sk_of_the_tests",
    StripeWebhookSecret: WEBHOOK_SECRET,
    StripePrice: "1",
    StripeCurrency: "usd",
  },
  ...alipay.settings,
  ...wechat.settings,
});
await root.post("/api/jobs/statements/run");
for (const plan of [
  { name: "Sail" },
  { name: "Oar" },
  { name: "Raft" },
  { name: "Pinnace" },
  { name: "Dinghy", price: DOLLAR, trialDays: 7 },
  { name: "Yacht", price: 9 * DOLLAR },
  { name: "Cutter" },
  { name: "Clipper", price: 12 * DOLLAR },
  { name: "Crew", seats: 2, seatPrice: DOLLAR },
])
  await root.post("/api/plan", { ...PLAN, ...plan });

describe("plans", () => {
  const words = WORDS.en;
  const { plans } = words;
  const { methods } = words.wallet;
  const [customer, visitor] = ["buyer", "guest"];
  let own: Session;
  let guest: Session;
  let buyer: ConsolePage;
  let office: ConsolePage;

  beforeAll(async () => {
    const account = { username: customer, password: PASSWORD };
    for (const username of [customer, visitor]) await root.post("/api/user/", { ...account, username });
    own = await login(gateway, account.username, PASSWORD);
    guest = await login(gateway, visitor, PASSWORD);
    await root.put("/api/user/", { id: own.userId, quota_delta: 100 * DOLLAR });
    [buyer, office] = await Promise.all([
      openConsolePage(browser, gateway, BOTH_VIEWPORTS, account),
      openConsolePage(browser, gateway, BOTH_VIEWPORTS),
    ]);
    for (const site of [`${PAYMENT_SITE}/**`, "**/gateway.do?**", "https://*.test/**"])
      await buyer.page.route(site, (route) => route.fulfill({ status: 204 }));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([buyer.close(), office.close()]);
  });

  const openPlans = () => buyer.open("/topup?list=plans");
  const cardOf = (name: string) =>
    buyer.page.locator("section section, section", {
      has: buyer.page.getByRole("heading", { level: 2, name: name, exact: true }),
    });
  const inCard = (name: string, action: string) => buyer.button(action, cardOf(name).last());
  const state = (name: string, text: string | RegExp) => cardOf(name).last().getByText(text).first().waitFor();
  /** Chooses a way to pay in the open dialog. */
  const choose = async (option: string) => {
    await buyer.dialog().getByRole("combobox", { name: plans.payWith }).click();
    await buyer.page.getByRole("option", { name: option, exact: true }).click();
    await buyer.button(plans.toCard, buyer.dialog()).click();
  };
  const byPeriod = (method: keyof typeof methods) => fillPlaceholders(plans.orders.payBy, { method: methods[method] });
  const nextPaid = new RegExp(plans.orders.nextPaid.split("{{")[0] ?? "?");

  test("is tried, changed for a larger one, canceled and continued", async () => {
    await openPlans();
    await inCard("Dinghy", fillPlaceholders(plans.try_other, { count: 7 })).click();
    const trial = buyer.dialog(fillPlaceholders(plans.subscribeTitle, { name: "Dinghy" }));
    await trial.getByText(fillPlaceholders(plans.trialBody_other, { count: 7, price: "$1.00" })).waitFor();
    await buyer.expectAccessible();
    await buyer.button(plans.subscribe, trial).click();
    await buyer.waitForNotice(fillPlaceholders(plans.subscribed, { name: "Dinghy" }));
    await state("Dinghy", plans.statuses.trial);
    await inCard("Yacht", fillPlaceholders(plans.switchFrom, { name: "Dinghy" })).click();
    const change = buyer.dialog(fillPlaceholders(plans.switchTitle, { name: "Yacht" }));
    await change.getByText(plans.dueNow, { exact: true }).waitFor();
    await change
      .getByText(/\$9\.00/)
      .first()
      .waitFor();
    await buyer.button(plans.switch, change).click();
    await state("Yacht", plans.statuses.active);
    // The cheaper one would begin with the next period, until that is taken back.
    await inCard("Dinghy", fillPlaceholders(plans.switchFrom, { name: "Yacht" })).click();
    const cheaper = buyer.dialog(fillPlaceholders(plans.switchTitle, { name: "Dinghy" }));
    await cheaper
      .getByRole("status")
      .getByText(/\$1\.00/)
      .first()
      .waitFor();
    await buyer.button(plans.switch, cheaper).click();
    await inCard("Yacht", fillPlaceholders(plans.stay, { name: "Yacht" })).click();
    await inCard("Yacht", fillPlaceholders(plans.stay, { name: "Yacht" })).waitFor({ state: "detached" });
    await inCard("Yacht", plans.cancel).click();
    const cancel = buyer.dialog(fillPlaceholders(plans.cancelTitle, { name: "Yacht" }));
    await cancel.waitFor();
    await buyer.expectAccessible();
    await buyer.button(plans.cancel, cancel).click();
    await state("Yacht", new RegExp(`^${plans.endsOn.split("{{date}}")[0]}`));
    await inCard("Yacht", plans.resume).click();
    await inCard("Yacht", plans.cancel).waitFor();
  }, 60_000);

  test("is begun with a payment by Epay, and its next period paid by Alipay", async () => {
    await openPlans();
    await inCard("Sail", plans.subscribe).click();
    const toEpay = await buyer.leaveFor(`${PAYMENT_SITE}/**`, () => choose(byPeriod("zfbByEpay")));
    const posted = new URLSearchParams(toEpay.postData() ?? "");
    const { pid = "", out_trade_no = "", type = "", name = "", money = "" } = Object.fromEntries(posted);
    expect(money).toBe("36.50");
    const notice = { pid, trade_no: "GW1", out_trade_no, type, name, money, trade_status: "TRADE_SUCCESS" };
    const query = new URLSearchParams({ ...notice, sign: signEpay(notice, EPAY_KEY), sign_type: "MD5" });
    expect(await (await fetch(`${gateway.url}/api/user/epay/notify?${query}`)).text()).toBe("success");
    await openPlans();
    await state("Sail", plans.statuses.active);
    await inCard("Sail", plans.orders.payNext).click();
    await buyer.dialog().getByRole("combobox", { name: plans.payWith }).waitFor();
    await buyer.expectAccessible();
    const toAlipay = await buyer.leaveFor(/gateway\.do\?/, () => choose(methods.alipay));
    const { out_trade_no: tradeNo = "" } = JSON.parse(alipay.openPage(toAlipay.url()).biz_content ?? "{}");
    const body = alipay.notice(tradeNo);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(`${gateway.url}/api/user/alipay/notify`, { method: "POST", headers, body });
    expect(await answer.text()).toBe("success");
    await openPlans();
    await state("Sail", nextPaid);
    expect(await inCard("Sail", plans.orders.payNext).count()).toBe(0);
    await buyer.expectAccessible();
  }, 60_000);

  test("is begun with a code of WeChat Pay, and its next period paid to the operator", async () => {
    await inCard("Oar", plans.subscribe).click();
    await choose(byPeriod("wechat"));
    const code = buyer.dialog(words.wallet.topUp.codeTitle);
    await code.locator("svg").waitFor();
    await buyer.expectAccessible();
    const { body, headers } = wechat.notice([...wechat.state.trades.keys()].at(-1) ?? "");
    expect((await fetch(`${gateway.url}/api/user/wechat/notify`, { method: "POST", body, headers })).status).toBe(204);
    await buyer.button(words.components.close, code).click();
    await state("Oar", plans.statuses.active);
    await inCard("Oar", plans.orders.payNext).click();
    await choose(methods.manual);
    const manual = buyer.dialog(fillPlaceholders(plans.orders.manualTitle, { price: "$5.00" }));
    await manual.getByText(INSTRUCTIONS).waitFor();
    await buyer.expectAccessible();
    const tradeNo = (await manual.locator(".mono").textContent()) ?? "";
    await root.post("/api/topup/complete", { trade_no: tradeNo });
    await buyer.button(words.components.close, manual).click();
    await state("Oar", nextPaid);
  }, 60_000);

  test("is paid by card, changed for a larger one for the difference, and its card opened at Stripe", async () => {
    const report = async () => {
      for (const event of stripe.events.splice(0)) {
        const body = JSON.stringify(event);
        const headers = { "stripe-signature": stripeSignature(body, WEBHOOK_SECRET) };
        expect((await fetch(`${gateway.url}/api/stripe/webhook`, { method: "POST", headers, body })).status).toBe(200);
      }
    };
    await inCard("Cutter", plans.subscribe).click();
    await buyer.leaveFor("https://checkout.test/**", () => choose(plans.payCard));
    const now = Math.floor(Date.now() / 1000);
    stripe.checkOut(stripe.openPages().at(-1) ?? "", now - 3600);
    await report();
    await openPlans();
    await state("Cutter", plans.statuses.active);
    stripe.setCard(now, true);
    await inCard("Clipper", plans.switch).click();
    const change = buyer.dialog(fillPlaceholders(plans.switchTitle, { name: "Clipper" }));
    await change.getByRole("combobox", { name: plans.changeFrom }).click();
    await buyer.page.getByRole("option", { name: "Cutter", exact: true }).click();
    const text = change.getByRole("status").getByText(/Stripe/);
    await text.waitFor();
    await buyer.expectAccessible();
    const message = (await text.textContent()) ?? "";
    await buyer.button(plans.switch, change).click();
    await state("Clipper", plans.statuses.active);
    const charged = ((stripe.invoices.at(-1)?.amount ?? 0) / 100).toFixed(2);
    expect([message.includes(`$${charged}`), Number(charged) < 8]).toEqual([true, true]);
    await report();
    await buyer.leaveFor("https://portal.test/**", () => inCard("Clipper", plans.portal).click());
  }, 60_000);

  test("a payment for a plan that runs already waits for an administrator, who closes the report", async () => {
    const offered: { id: number; name: string }[] = await own.get("/api/user/plans");
    const plan_id = offered.find(({ name }) => name === "Raft")?.id;
    const { tradeNo } = await own.post("/api/user/subscriptions/order", { plan_id, method: "manual" });
    await own.post("/api/user/subscriptions", { plan_id });
    await root.post("/api/topup/complete", { trade_no: tradeNo });
    const { cases } = plans;
    await office.open("/plan?tab=cases");
    await office.row(tradeNo).getByText(cases.kinds.to_balance).waitFor();
    await office.expectAccessible();
    await office.chooseRowAction(tradeNo, cases.close);
    const form = office.dialog(fillPlaceholders(cases.closeTitle, { reference: tradeNo }));
    await office.button(cases.close, form).click();
    await form.getByText(cases.noteMissing).waitFor();
    await form.getByLabel(cases.note).fill("The balance has it.");
    await office.expectAccessible();
    await office.button(cases.close, form).click();
    await office.waitForNotice(cases.closed);
    await office.row(tradeNo).waitFor({ state: "detached" });
  }, 60_000);

  test("a payment that an administrator pays back stands on the statement as a credit note", async () => {
    const { allOrders, statements } = words.wallet;
    const orders = (await own.get("/api/user/topup/orders?p=0&page_size=20")).items;
    const { trade_no: tradeNo } = orders.find(({ method }: { method: string }) => method === "manual");
    await office.open("/order");
    await office.row(tradeNo).getByText(methods.manual, { exact: true }).waitFor();
    await office.row(methods.zfbByEpay).first().waitFor();
    await office.chooseRowAction(tradeNo, allOrders.refund);
    await office.expectAccessible();
    await office.button(allOrders.refund, office.dialog(allOrders.refundTitle)).click();
    await office.row(tradeNo).getByText(words.wallet.statuses.refunded, { exact: true }).waitFor();
    await buyer.open("/topup?list=statements");
    await buyer.button(statements.thisMonth).click();
    await buyer.dialog().getByText(`${statements.refund} ${tradeNo}`).first().waitFor();
    await buyer.expectAccessible();
    const { text } = await buyer.download(() => buyer.button("CSV", buyer.dialog()).click());
    expect(text).toContain(tradeNo);
    await buyer.button(words.components.close, buyer.dialog()).last().click();
  }, 60_000);

  test("is paused and resumed by an administrator", async () => {
    const name = "Oar";
    const subscription = async () =>
      (await own.get("/api/user/subscriptions")).find(({ plan_name }: { plan_name: string }) => plan_name === name);
    await office.open("/plan");
    await office.page.getByRole("tab", { name: plans.subscriptions }).click();
    await office.chooseRowAction(`${customer}, ${name}`, plans.pause);
    const question = office.dialog(fillPlaceholders(plans.pauseTitle, { name }));
    await question.getByText(plans.adminPauseBody).waitFor();
    await office.button(plans.pause, question).click();
    await office.waitForNotice(plans.saved);
    await office.row(name).filter({ hasText: customer }).getByText(plans.pausesThen, { exact: true }).waitFor();
    expect(await subscription()).toMatchObject({ status: "active", pause_at_end: true });
    await office.chooseRowAction(`${customer}, ${name}`, plans.unpause);
    await office.button(plans.unpause, office.dialog(fillPlaceholders(plans.resumeTitle, { name }))).click();
    await office.row(name).filter({ hasText: customer }).getByText(plans.renews, { exact: true }).waitFor();
    expect(await subscription()).toMatchObject({ pause_at_end: false });
  }, 60_000);

  test("is granted and ended by an administrator", async () => {
    const { grant } = plans;
    await office.open("/plan");
    await office.page.getByRole("tab", { name: plans.subscriptions }).click();
    await office.button(grant.action).first().click();
    const form = office.dialog(grant.title);
    await office.button(grant.action, form).click();
    await form.getByText(grant.idMissing).waitFor();
    await form.getByLabel(grant.user).fill(String(guest.userId));
    await form.getByRole("combobox").click();
    await office.page.getByRole("option", { name: "Yacht", exact: true }).click();
    await office.expectAccessible();
    await office.button(grant.action, form).click();
    await office.waitForNotice(grant.done);
    const name = visitor;
    const statusOf = async () => (await guest.get("/api/user/subscriptions"))[0]?.status;
    await office.row(name).getByText(plans.statuses.active, { exact: true }).waitFor();
    await office.expectAccessible();
    await office.chooseRowAction(`${name}, Yacht`, plans.end);
    const title = fillPlaceholders(plans.endTitle, { name: "Yacht", user: name });
    await office.button(plans.end, office.dialog(title)).click();
    await office.waitForNotice(plans.ended);
    // The job that ends what is ending may have come by.
    expect(["ending", undefined]).toContain(await statusOf());
  }, 60_000);

  test("comes with a redemption code", async () => {
    const { codes, wallet } = words;
    await office.open("/redemption");
    await office.button(codes.add).first().click();
    const drawer = office.dialog(codes.form.createTitle);
    await drawer.getByRole("combobox").first().click();
    const worth = fillPlaceholders(codes.form.planPeriod, { name: "Pinnace" });
    await office.page.getByRole("option", { name: worth, exact: true }).click();
    await drawer.getByLabel(codes.form.key).fill("ANCHOR-east");
    await office.expectAccessible();
    await drawer.getByRole("button", { name: /^(Create code|创建 1)/ }).click();
    await drawer.waitFor({ state: "detached" });
    await buyer.open("/topup");
    await buyer.page.getByLabel(wallet.redeem.label, { exact: true }).fill("ANCHOR-east");
    await buyer.button(wallet.redeem.action).click();
    await buyer.waitForNotice(fillPlaceholders(wallet.redeem.plan, { plan: "Pinnace" }));
  }, 60_000);

  test("has seats for members of an organization, more at once and fewer later", async () => {
    const { id } = await own.post("/api/organization/", { username: "crew-east", display_name: "Crew" });
    await own.post(`/api/organization/${id}/transfer`, { direction: "in", quota: 40 * DOLLAR });
    await buyer.open(`/organization?organization=${id}&section=members`);
    await buyer.page.getByText(words.organizations.members.you, { exact: true }).waitFor();
    await openPlans();
    await inCard("Crew", plans.subscribe).click();
    const sale = buyer.dialog(fillPlaceholders(plans.subscribeTitle, { name: "Crew" }));
    const seats = sale.getByLabel(plans.seatsField, { exact: true });
    await seats.fill("1");
    await sale.getByText(fillPlaceholders(plans.seatsInvalid, { least: 2 })).waitFor();
    await seats.fill("3");
    await sale.getByText(/\$6\.00/).waitFor();
    await buyer.expectAccessible();
    await buyer.button(plans.subscribe, sale).click();
    await buyer.waitForNotice(fillPlaceholders(plans.subscribed, { name: "Crew" }));
    const used = (count: number) => fillPlaceholders(plans.seatsUsed, { used: 1, seats: count });
    await state("Crew", used(3));
    for (const count of [5, 2]) {
      await inCard("Crew", plans.seatsChange).click();
      const form = buyer.dialog(fillPlaceholders(plans.seatsTitle, { name: "Crew" }));
      await form.getByLabel(plans.seatsField, { exact: true }).fill(String(count));
      if (count === 5) await buyer.expectAccessible();
      await buyer.button(plans.seatsChange, form).click();
      await buyer.waitForNotice(plans.saved);
    }
    await state("Crew", used(5));
    const later = plans.seatsNext.split("{{date}}")[0] ?? "?";
    await state("Crew", new RegExp(`${later}.*2$`));
    await buyer.open("/organization?section=members");
    // Nobody joins who would have no seat in the next period.
    const { seats: free } = words.organizations.members;
    await buyer.page.getByText(fillPlaceholders(free, { used: 1, seats: 2 })).waitFor();
    await buyer.expectAccessible();
  }, 60_000);

  test("stands on documents that are made out to the customer and issued by the month", async () => {
    const { statements } = words.wallet;
    const { profile } = statements;
    await buyer.open("/topup?list=statements");
    await buyer.button(profile.title).click();
    const form = buyer.dialog(profile.title);
    await form.getByLabel(profile.name, { exact: true }).fill("Harbor & Sons");
    await form.getByRole("combobox").click();
    await buyer.page.getByRole("option").nth(1).click();
    await buyer.expectAccessible();
    await buyer.button(profile.save, form).click();
    await buyer.waitForNotice(profile.saved);
    await buyer.button(statements.movements.title).click();
    const movements = await buyer.download(() =>
      buyer.page.getByRole("menuitem", { name: statements.movements.call }).click(),
    );
    expect(movements.text).toContain(String(40 * DOLLAR));

    await office.open("/statement");
    const first = office.page.locator("[data-row]").first();
    await first.waitFor();
    await office.expectAccessible();
    await office.openRow(first);
    const drawer = office.dialog();
    await drawer.getByText(statements.closing, { exact: true }).waitFor();
    await office.expectAccessible();
    const pdf = await office.download(() => office.button("PDF", drawer).click());
    expect(pdf.text).toStartWith("%PDF-");
    await office.button(words.components.close, drawer).last().click();
    expect([...buyer.complaints, ...office.complaints]).toEqual([]);
  }, 60_000);

  test("its pages can be read in Chinese on a phone", async () => {
    const account = { username: customer, password: PASSWORD };
    await expectChinesePages(browser, gateway, ["/topup?list=plans", "/topup?list=statements", "/topup"], account);
    await expectChinesePages(browser, gateway, ["/plan", "/plan?tab=cases", "/order", "/redemption", "/statement"]);
  }, 120_000);
});
