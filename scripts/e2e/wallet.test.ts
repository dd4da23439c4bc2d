/** Somebody redeems, checks in, pays, invites and is paid in a real browser, in both languages. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { signEasyPay } from "../../src/wallet/easy-pay.ts";
import { type Language, openBrowser, openPage, seriousFindings, sidewaysScroll, WORDS } from "./browser.ts";
import { type Gateway, type Session, setOption, setUp, startGateway } from "./harness.ts";

const PATIENCE_MS = 10_000;
const NAME = "payer";
const PASSWORD = "a payer's password";
const MERCHANT_KEY = "merchant key";
const WEBHOOK_SECRET = "whsec_e2e";
const PAYMENT_SITE = "https://pay.example.test";
const DOLLAR = 500_000;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 30_000);
afterAll(() => browser.close());

/** Answers like the service that takes cards; `opened` are the orders it was asked to take. */
function startFakeStripe() {
  const opened: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const fields = new URLSearchParams(await request.text());
      opened.push(fields.get("client_reference_id") ?? "");
      return Response.json({ id: "cs_e2e", object: "checkout.session", url: `${PAYMENT_SITE}/card` });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, opened, stop: () => server.stop(true) };
}

describe.each<[Language, boolean, number]>([
  ["en", false, 1280],
  ["zh", true, 390],
])("the wallet in %s (dark: %p, %p px)", (language, dark, width) => {
  const words = WORDS[language];
  let gateway: Gateway;
  let stripe: ReturnType<typeof startFakeStripe>;
  let root: Session;
  let page: Page;
  let complaints: string[];
  /** What the browser posted to the payment site. */
  let posted = new URLSearchParams();

  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const signIn = async (username: string, password: string) => {
    await page.goto(`${gateway.url}/login`);
    await page.locator('input[name="username"]').fill(username);
    await page.locator('input[name="password"]').fill(password);
    await button(words.login.submit).click();
    await page.waitForURL("**/token");
  };
  const clean = async () => {
    expect(await seriousFindings(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
  };
  const balanceIs = (dollars: string) => page.getByText(dollars, { exact: true }).first().waitFor();
  const pay = async (method: string, price: RegExp) => {
    await button(method).click();
    // The price of the chosen way arrives a moment later; the quick amounts show theirs already.
    await page.locator('button[type="submit"]', { hasText: price }).click();
    await page.getByRole("dialog").getByRole("button", { name: price }).click();
    await page.waitForURL(`${PAYMENT_SITE}/**`);
  };

  beforeAll(async () => {
    stripe = startFakeStripe();
    gateway = await startGateway({ env: { ALLOW_PRIVATE_UPSTREAMS: "true", STRIPE_API_URL: stripe.url } });
    root = await setUp(gateway);
    const options = {
      ServerAddress: gateway.url,
      CheckInEnabled: "true",
      CheckInQuota: String(DOLLAR),
      QuotaForInviter: String(3 * DOLLAR),
      PayAddress: PAYMENT_SITE,
      EpayId: "1001",
      EpayKey: MERCHANT_KEY,
      StripeSecretKey: "sk_e2e",
      StripeWebhookSecret: WEBHOOK_SECRET,
    };
    for (const [key, value] of Object.entries(options)) await setOption(root, key, value);
    const account = { username: NAME, password: PASSWORD, password2: PASSWORD };
    await root.send("POST", "/api/user/register", account);
    ({ page, complaints } = await openPage(browser, { language, dark, width }));
    page.setDefaultTimeout(PATIENCE_MS);
    await page.route(`${PAYMENT_SITE}/**`, async (route) => {
      posted = new URLSearchParams(route.request().postData() ?? "");
      await route.fulfill({ contentType: "text/html", body: "<title>Pay</title>" });
    });
    await signIn(NAME, PASSWORD);
  }, 60_000);
  afterAll(async () => {
    await page.context().close();
    await gateway.stop();
    await stripe.stop();
  });

  test("redeems a code that came with the address", async () => {
    const key = "e2e-gift-code";
    await root.post("/api/redemption/", { name: "gift", quota: 2 * DOLLAR, count: 1, is_gift: true, key });
    await page.goto(`${gateway.url}/topup?code=${key}`);
    await button(words.wallet.redeem.action).click();
    await balanceIs("$2.00");
    await page.locator('#code:is([value=""])').waitFor();
    await page.getByLabel(words.wallet.redeem.label, { exact: true }).fill(key);
    await button(words.wallet.redeem.action).click();
    await page.locator("#code").locator("xpath=ancestor::form").getByRole("alert").waitFor();
    await clean();
  });

  test("checks in once a day", async () => {
    await button(words.rewards.checkIn.action).click();
    await balanceIs("$3.00");
    expect(await button(words.rewards.checkIn.already).isDisabled()).toBe(true);
  });

  test("pays through Easy Pay and is credited by the notice, not by coming back", async () => {
    await pay(words.wallet.methods.wx, /73\.00/);
    const form = Object.fromEntries(posted);
    expect(form).toMatchObject({ type: "wxpay", money: "73.00", sign: signEasyPay(form, MERCHANT_KEY) });
    await page.goto(form.return_url ?? "");
    await page.getByText(words.wallet.statuses.pending, { exact: true }).waitFor();
    await balanceIs("$3.00");
    const { pid = "", out_trade_no = "", type = "", name = "", money = "" } = form;
    const notice = { pid, trade_no: "GW1", out_trade_no, type, name, money, trade_status: "TRADE_SUCCESS" };
    const query = new URLSearchParams({ ...notice, sign: signEasyPay(notice, MERCHANT_KEY), sign_type: "MD5" });
    expect(await (await fetch(`${gateway.url}/api/user/epay/notify?${query}`)).text()).toBe("success");
    // Nobody reloads: the page hears of it by itself.
    await page.getByText(words.wallet.statuses.success, { exact: true }).waitFor();
    await balanceIs("$13.00");
  });

  test("pays by card and is credited by the webhook", async () => {
    await pay(words.wallet.methods.stripe, /10\.00/);
    const object = { id: "cs_e2e", client_reference_id: stripe.opened.at(-1), amount_total: 1000, currency: "usd" };
    const type = "checkout.session.completed";
    const body = JSON.stringify({
      id: "evt",
      object: "event",
      type,
      data: { object: { ...object, payment_status: "paid" } },
    });
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", WEBHOOK_SECRET).update(`${time}.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=${time},v1=${signature}` };
    expect((await fetch(`${gateway.url}/api/stripe/webhook`, { method: "POST", body, headers })).status).toBe(200);
    await page.goto(`${gateway.url}/topup`);
    await balanceIs("$23.00");
    await clean();
  });

  test("chooses an invitation code and transfers what it brought", async () => {
    await button(words.rewards.invitation.choose).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("come_in");
    await clean();
    await dialog.getByRole("button", { name: words.rewards.code.action }).click();
    await page.getByText(`${gateway.url}/register?aff=come_in`).waitFor();
    const guest = { username: "guest", password: PASSWORD, password2: PASSWORD, aff_code: "come_in" };
    await root.send("POST", "/api/user/register", guest);
    await page.reload();
    await button(words.rewards.invitation.transfer).click();
    await dialog.getByRole("button", { name: words.rewards.transfer.action, exact: true }).click();
    await balanceIs("$26.00");
  });

  test("earns as an agent and asks for it", async () => {
    await root.put("/api/agent/", { username: NAME, rate: 50 });
    await root.post("/api/redemption/", { name: "guest", quota: 8 * DOLLAR, count: 1, key: "e2e-guest-code" });
    const answer = await fetch(`${gateway.url}/api/user/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "guest", password: PASSWORD }),
    });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { data } = (await answer.json()) as { data: { id: number } };
    await fetch(`${gateway.url}/api/user/topup`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, "Sluice-User": String(data.id) },
      body: JSON.stringify({ key: "e2e-guest-code" }),
    });
    await page.goto(`${gateway.url}/topup`);
    await page.getByRole("link", { name: words.agents.own.title, exact: true }).click();
    await page.getByText("g***t").first().waitFor();
    await clean();
    await button(words.agents.withdraw.action).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(words.agents.withdraw.account).fill("account 7");
    await clean();
    await dialog.getByRole("button", { name: words.agents.withdraw.action, exact: true }).click();
    await page.getByRole("tab", { name: words.agents.lists.withdrawals }).click();
    await page.locator("main").getByText(words.agents.statuses.requested, { exact: true }).last().waitFor();
  });

  test("an administrator sees orders and agents, and approves", async () => {
    await page.evaluate(() => fetch("/api/user/logout", { method: "POST" }));
    await page.evaluate(() => localStorage.removeItem("user"));
    await signIn("root", "sluice-root-password");
    await page.goto(`${gateway.url}/order`);
    await page.getByText(words.wallet.methods.stripe, { exact: true }).first().waitFor();
    await clean();
    await page.goto(`${gateway.url}/agent`);
    await page.getByText(NAME, { exact: true }).first().waitFor();
    await clean();
    await page.goto(`${gateway.url}/agent?tab=requests`);
    await page.getByRole("button", { name: /#1/ }).click();
    await page.getByRole("menuitem", { name: words.agents.decide.approve }).click();
    await page.getByRole("dialog").getByRole("button", { name: words.agents.decide.approve, exact: true }).click();
    await page.getByText(words.agents.requests.emptyTitle).waitFor();
    expect(await root.get("/api/agent/requests?status=approved")).toMatchObject({ total: 1 });
    await clean();
  });

  test("nothing complained", () => expect(complaints).toEqual([]));
});
