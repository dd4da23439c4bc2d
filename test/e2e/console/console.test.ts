/** A newcomer's first ten minutes in a real browser, in both languages: from the set-up page to the row in the log. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import OpenAI from "openai";
import type { Page } from "playwright";
import { findSeriousViolations } from "../../support/e2e/axe/find-violations.ts";
import { type Language, lookNarrow, measureHorizontalOverflow, openPage, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { openSharedBrowser, PAGE_TIMEOUT_MS } from "../../support/e2e/console-page.ts";
import { type Gateway, setUp, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";

const NAME = "captain";
const PASSWORD = "lock-keeper-9";
const MODEL = "usage-1000-500";

const browser = await openSharedBrowser();
const upstream = startFakeUpstream();
afterAll(upstream.stop);

describe.each<[Language, boolean]>([
  ["en", false],
  ["zh", true],
])("the console in %s (dark: %p)", (language, dark) => {
  const words = WORDS[language];
  let gateway: Gateway;
  let page: Page;
  let complaints: string[];
  let key = "";

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const clean = async () => {
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  };

  const fitsPhone = () => lookNarrow(page, async () => expect(await measureHorizontalOverflow(page)).toBe(0));

  beforeAll(async () => {
    gateway = await startGateway();
    ({ page, complaints } = await openPage(browser, { language, dark }));
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  });
  afterAll(async () => {
    await page.context().close();
    await gateway.stop();
  });

  test("a new gateway leads to the set-up page, whatever page was requested", async () => {
    await page.goto(`${gateway.url}/channel`);
    await page.waitForURL("**/setup");
    await button(words.setup.submit).click();
    await page.getByText(words.setup.errors.username_required).waitFor();
    await page.getByLabel(words.setup.username).fill(NAME);
    await page.getByLabel(words.setup.password, { exact: true }).fill(PASSWORD);
    await page.getByLabel(words.setup.confirm, { exact: true }).fill("something else");
    await button(words.setup.submit).click();
    await page.getByText(words.setup.errors.confirm).waitFor();
    await clean();
    await fitsPhone();
    await page.getByLabel(words.setup.confirm, { exact: true }).fill(PASSWORD);
    await page.getByText(words.setup.modes.self.name, { exact: true }).click();
    await button(words.setup.submit).click();
    await page.waitForURL("**/start");
    await page.getByRole("heading", { name: words.firstSteps.title }).waitFor();
  }, 120_000);

  test("signing in leads back to the requested page", async () => {
    // A page of the console could go to sign-in by itself meanwhile.
    await page.goto(`${gateway.url}/healthz`);
    await page.context().clearCookies();
    await page.evaluate(() => localStorage.removeItem("user"));
    await page.goto(`${gateway.url}/channel`);
    await page.waitForURL("**/login?**");
    await clean();
    await fitsPhone();
    await page.getByLabel(words.signIn.username).fill(NAME);
    await page.getByLabel(words.signIn.password, { exact: true }).fill("wrong-password");
    await button(words.signIn.submit).click();
    await page.getByRole("alert").first().waitFor();
    await page.getByLabel(words.signIn.password, { exact: true }).fill(PASSWORD);
    await button(words.signIn.submit).click();
    await page.waitForURL("**/channel");
    await page.getByText(words.channels.empty.title).waitFor();
    await page.getByText(words.shell.selfUse).waitFor();
    await clean();
  }, 120_000);

  test("a channel is added and tested", async () => {
    await button(words.channels.add).first().click();
    const drawer = page.getByRole("dialog", { name: words.channels.form.createTitle });
    await clean();
    await drawer.getByRole("button", { name: words.channels.quick.allSettings, exact: true }).click();
    await drawer.getByLabel(words.channels.form.name, { exact: true }).fill("main-upstream");
    await drawer.getByLabel(words.channels.form.baseUrl).fill(upstream.url);
    await drawer.getByLabel(words.channels.form.key, { exact: true }).fill("sk-upstream-key");
    const models = drawer.getByPlaceholder(words.channels.form.modelsPlaceholder);
    await models.fill(MODEL);
    await models.press("Enter");
    await clean();
    await drawer.getByLabel(words.channels.form.name, { exact: true }).press("Control+Enter");
    await page.getByRole("row").filter({ hasText: "main-upstream" }).waitFor();
    await button(words.components.table.actionsFor.replace("{{name}}", "main-upstream")).click();
    await page.getByRole("menuitem", { name: words.channels.test.action }).click();
    await button(words.channels.test.run).click();
    const [before = "", after = ""] = words.channels.test.success.split("{{time}}").map(RegExp.escape);
    await page
      .getByText(new RegExp(`${before}\\d+(?:\\.\\d+ s| ms)${after}`))
      .first()
      .waitFor();
    await clean();
    await page.keyboard.press("Escape");
  }, 120_000);

  test("an API key is made and shown", async () => {
    await page.getByRole("link", { name: words.shell.tokens }).click();
    // A keyboard goes on at the page's heading.
    await page.locator("h1:focus", { hasText: words.apiKeys.title }).waitFor();
    await button(words.apiKeys.add).first().click();
    const drawer = page.getByRole("dialog", { name: words.apiKeys.form.createTitle });
    const name = drawer.getByLabel(words.apiKeys.form.name, { exact: true });
    await name.fill("notebook");
    await drawer.getByLabel(words.apiKeys.form.unlimited).click();
    await clean();
    await name.press("Enter");
    key = (await page.getByRole("dialog").locator("code", { hasText: /^sk-/ }).first().textContent()) ?? "";
    expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/);
    await button(words.apiKeys.created.done).click();
    await page.getByRole("row").filter({ hasText: "notebook" }).waitFor();
    await clean();
  }, 120_000);

  test("a call with that key is in the log, with its receipt", async () => {
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: MODEL,
      stream: true,
      messages: [{ role: "user", content: "What is a sluice?" }],
    });
    let answer = "";
    for await (const chunk of stream) answer += chunk.choices[0]?.delta.content ?? "";
    expect(answer).toContain("sluice");
    // The journal is written to the database a moment after the call.
    await page.waitForFunction(async () => {
      const { id } = JSON.parse(localStorage.getItem("user") ?? "{}");
      const reply = await fetch("/api/log/self/?type=2", { headers: { "Sluice-User": String(id) } });
      return (await reply.json()).data.total > 0;
    });
    await page.getByRole("link", { name: words.shell.groups.logs, exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: MODEL }).first();
    await row.waitFor();
    expect(await row.textContent()).toContain("1,000");
    await row.getByRole("button").first().click();
    await page.getByText(words.receipt.charged, { exact: true }).waitFor();
    await clean();
  }, 120_000);

  test("the password can be changed, and the old one is needed for it", async () => {
    await page.getByRole("link", { name: words.shell.personalSettings }).click();
    await page.getByRole("tab", { name: words.profile.tabs.security }).click();
    const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
    await fill(words.profile.password.original, "not-the-old-one");
    await fill(words.profile.password.new, "another-lock-7");
    await fill(words.profile.password.confirm, "another-lock-7");
    await button(words.profile.password.submit).click();
    await page.getByRole("alert").first().waitFor();
    await fill(words.profile.password.original, PASSWORD);
    await button(words.profile.password.submit).click();
    await page.getByText(words.profile.password.done).waitFor();
    await clean();
  }, 120_000);

  test("nothing on the way made the browser complain", () => {
    // Refused sign-ins and wrong passwords have statuses that browsers list as errors.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});

describe("a page that is opened for the first time", () => {
  const limit = 40;
  let gateway: Gateway;
  let page: Page;
  beforeAll(async () => {
    const env = {
      ...{ GLOBAL_API_RATE_LIMIT_ENABLE: "true", GLOBAL_API_RATE_LIMIT: "1000" },
      ...{ USER_API_RATE_LIMIT: String(limit), USER_API_RATE_LIMIT_DURATION: "15" },
    };
    gateway = await startGateway({ env });
    await setUp(gateway);
    ({ page } = await openPage(browser, { language: "en" }));
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  });
  afterAll(async () => {
    await page.context().close();
    await gateway.stop();
  });

  test("has small scripts, in few files, cached for ever, and nothing comes from elsewhere", async () => {
    let bytes = 0;
    let files = 0;
    const foreign: string[] = [];
    const uncached: string[] = [];
    page.on("response", async (response) => {
      const url = response.url();
      if (!url.startsWith(gateway.url)) foreign.push(url);
      if (!url.endsWith(".js")) return;
      bytes += Number(response.headers()["content-length"] ?? 0);
      files += 1;
      if (!response.headers()["cache-control"]?.includes("immutable")) uncached.push(url);
    });
    await page.goto(`${gateway.url}/login?returnTo=/token`);
    await page.waitForLoadState("networkidle");
    expect(foreign).toEqual([]);
    expect(uncached).toEqual([]);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(171 * 1024);
    // Each costs a browser some milliseconds; there were over a hundred once.
    expect(files).toBeLessThanOrEqual(20);
    files = 0;
    await page.getByLabel(WORDS.en.signIn.username).fill(ROOT_NAME);
    await page.getByLabel(WORDS.en.signIn.password, { exact: true }).fill(ROOT_PASSWORD);
    await page.getByRole("button", { name: WORDS.en.signIn.submit, exact: true }).click();
    await page.getByText(WORDS.en.apiKeys.empty.title).waitFor();
    await page.waitForLoadState("networkidle");
    expect(files).toBeGreaterThan(0);
    expect(files).toBeLessThanOrEqual(46);
    // The first list of a signed-in user, everything before it included.
    expect(bytes).toBeLessThanOrEqual(300 * 1024);
  }, 120_000);

  test("waits when too much is asked for, as long as the server says, and loads by itself", async () => {
    // Somebody else with this account uses up its limit.
    const spent = await page.evaluate(async (times) => {
      const user: unknown = JSON.parse(localStorage.getItem("user") ?? "{}");
      const id = typeof user === "object" && user !== null && "id" in user ? String(user.id) : "";
      const ask = async () => (await fetch("/api/user/self", { headers: { "Sluice-User": id } })).status;
      return Promise.all(Array.from({ length: times }, ask));
    }, limit);
    expect(spent).toContain(429);
    await page.getByRole("link", { name: WORDS.en.shell.channels, exact: true }).click();
    const [notice = ""] = WORDS.en.api.waiting.split("{{");
    await page.getByRole("status").filter({ hasText: notice }).first().waitFor();
    await page.getByText(WORDS.en.channels.empty.title).waitFor();
  }, 120_000);
});
