/** Somebody limits and changes a key, looks calls, prices and announcements up in a real browser, in both languages. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright";
import { findSeriousViolations } from "../../support/e2e/axe/find-violations.ts";
import { type Language, measureHorizontalOverflow, openPage, openPath, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  PAGE_TIMEOUT_MS,
  showFilters,
  startBrowserFixture,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, setOption } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

/** Chinese words have no form of their own for one. */
const CREATE_ONE = {
  en: WORDS.en.apiKeys.form.create_one,
  zh: WORDS.zh.apiKeys.form.create_other.replace("{{count}}", "1"),
} as const;

const { browser, fixture } = await startBrowserFixture(["gpt-4o"], { engine: CHEAPEST_ENGINE });
await setOption(fixture.root, "StatusPageEnabled", true);

describe.each<[Language, boolean, number]>([
  ["en", false, 1280],
  ["zh", true, 390],
])("one's own use in %s (dark: %p, %p px)", (language, dark, width) => {
  const words = WORDS[language];
  let page: Page;
  let complaints: string[];

  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const open = (path: string) => openPath(page, fixture.gateway.url, path);
  const clean = async () => {
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  };
  const callWith = (key: string) =>
    fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] }),
    });

  beforeAll(async () => {
    ({ page, complaints } = await openPage(browser, { language, dark, width }));
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  }, 120_000);
  afterAll(() => page.context().close());

  test("visitors look a key up, and see how models do", async () => {
    const reply = await callWith(fixture.key);
    expect(reply.status).toBe(200);
    await reply.text();
    await open("/");
    await page.getByRole("link", { name: words.keyUsage.link }).click();
    await page.getByLabel(words.keyUsage.key).fill(fixture.key);
    await button(words.keyUsage.look).click();
    await page.getByText("gpt-4o", { exact: true }).first().waitFor();
    await page.getByText(words.apiKeys.unlimited).first().waitFor();
    expect(page.url()).not.toContain(fixture.key.slice(3, 12));
    await clean();
    await page.getByLabel(words.keyUsage.key).fill("sk-nobody-has-this");
    await button(words.keyUsage.look).click();
    await page.getByRole("alert").first().waitFor();
    // The browser writes down a refused request when it likes.
    await until(() => complaints.some((text) => text.includes("401")));
    complaints.length = 0;

    await open("/status");
    await page.getByText(words.status.allUp).waitFor();
    await clean();

    await open("/pricing");
    await button(words.pricing.changes.title).click();
    await page.getByText(words.pricing.changes.none).waitFor();
    await clean();
  }, 120_000);

  test("an announcement is unread until it is opened", async () => {
    await fixture.root.post("/api/announcement/", {
      level: "warning",
      title: `The lock is closed (${language})`,
      content: "Until **noon**.",
      published_at: Math.floor(Date.now() / 1000),
    });
    await open("/login");
    await page.locator('input[name="username"]').fill(ROOT_NAME);
    await page.locator('input[name="password"]').fill(ROOT_PASSWORD);
    await button(words.signIn.submit).click();
    await page.waitForURL("**/detail");
    const unread = words.announcements.bellUnread_other.replace("{{count}}", "1");
    await button(unread).click();
    await button(new RegExp(`The lock is closed \\(${language}\\)`)).click();
    await page.getByText("noon", { exact: true }).waitFor();
    await clean();
    await page.keyboard.press("Escape");
    await button(words.announcements.title).waitFor();
  }, 120_000);

  test("a key gets a budget of a day, and another secret while the old one goes on", async () => {
    const name = `daily-${language}`;
    await open("/token");
    await button(width < 600 ? words.apiKeys.addShort : words.apiKeys.add)
      .first()
      .click();
    const drawer = page.getByRole("dialog");
    await drawer.getByLabel(words.apiKeys.form.name, { exact: true }).fill(name);
    await drawer.getByRole("combobox", { name: words.apiKeys.form.budgetPeriod }).click();
    await page.getByRole("option", { name: words.apiKeys.form.period.day }).click();
    await drawer.getByLabel(words.apiKeys.form.requestsPerMinute).fill("30");
    await drawer.getByLabel(words.apiKeys.form.strict, { exact: true }).click();
    await clean();
    await drawer.getByRole("button", { name: CREATE_ONE[language] }).click();
    await button(words.apiKeys.created.done).click();
    await page.getByText(new RegExp(words.apiKeys.periodQuota.day)).first().waitFor();
    const [made] = await fixture.root.get("/api/token/?p=0&size=1");
    expect(made).toMatchObject({ name, budget_period: "day", requests_per_minute: 30, strict: true });

    await button(words.components.table.actionsFor.replace("{{name}}", name)).click();
    await page.getByRole("menuitem", { name: words.apiKeys.rotate.action }).click();
    await clean();
    await page.getByRole("dialog").getByRole("button", { name: words.apiKeys.rotate.action }).click();
    await button(words.apiKeys.created.done).click();
    const [rotated] = await fixture.root.get("/api/token/?p=0&size=1");
    expect(rotated.key).not.toBe(made.key);
    for (const { key } of [made, rotated]) {
      const reply = await callWith(`sk-${key}`);
      expect(reply.status).toBe(200);
      await reply.text();
    }
  }, 120_000);

  test("a request has a page of its own; filters are kept under a name", async () => {
    const reply = await callWith(fixture.key);
    await reply.text();
    const id = reply.headers.get("x-request-id") ?? "";
    await until(
      () => fixture.root.get(`/api/log/?request_id=${id}`),
      ({ items }) => items.length > 0,
    );
    await open(`/log/${id}`);
    await page.getByText(words.receipt.charged).waitFor();
    await button(words.logs.share.receipt).waitFor();
    await clean();

    await open("/log?type=failed&range=30d");
    await showFilters(page, language);
    await button(words.components.views.title).click();
    await page.getByRole("textbox", { name: words.components.views.name }).fill("failures");
    await page.getByRole("menuitem", { name: words.components.views.save }).click();
    await open("/log");
    await showFilters(page, language);
    await button(words.components.views.title).click();
    await page.getByRole("menuitem", { name: /failures/ }).click();
    await page.waitForURL("**/log?**type=failed**");
    expect(complaints).toEqual([]);
  }, 120_000);
});

describe("keys", () => {
  const words = WORDS.en.apiKeys;
  const parts = WORDS.en.components;

  test("are made in numbers, limited, found, switched, changed, copied and deleted; snippets have their address", async () => {
    const consolePage = await openConsolePage(browser, fixture.gateway, VIEWPORTS.en);
    const { page, button, dialog, row, waitForNotice } = consolePage;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await consolePage.open("/token");
    await page.getByText(words.warning).waitFor();
    await button(words.add).first().click();
    const drawer = dialog(words.form.createTitle);
    const field = (name: string) => drawer.getByLabel(name, { exact: true });
    await field(words.form.quantity).fill("0");
    await field(words.form.allowIps).fill("10.0.0.0/8\nnot an address");
    await drawer.getByRole("button", { name: /^Create/ }).click();
    const { errors } = words.form;
    for (const error of [
      errors.token_name_required,
      errors.token_count_invalid.replace("{{count}}", "100"),
      errors.token_ip_invalid,
    ])
      await drawer.getByText(error).waitFor();
    await consolePage.expectAccessible();
    await field(words.form.name).fill("fleet");
    await field(words.form.quantity).fill("3");
    await field(words.form.allowIps).fill("10.0.0.0/8\n2001:db8::/32");
    await drawer.getByPlaceholder(words.form.modelsPlaceholder).fill("gpt-4o");
    await drawer.getByPlaceholder(words.form.modelsPlaceholder).press("Enter");
    await drawer.getByRole("button", { name: words.form.quickDay, exact: true }).click();
    const posts: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/api/token")) posts.push(request.postData() ?? "");
    });
    await button(fillPlaceholders(words.form.create_other, { count: 3 }), drawer).click();
    await dialog(fillPlaceholders(words.created.title_other, { count: 3 })).waitFor();
    expect(posts.map((post) => JSON.parse(post).count)).toEqual([3]);
    await consolePage.expectAccessible();
    await button(words.created.done).click();

    await page.getByRole("searchbox", { name: words.filters.search }).fill("fleet");
    await until(
      () => page.locator("[data-row]").count(),
      (count) => count === 3,
    );
    const made = (await fixture.root.get("/api/token/search?keyword=fleet")) as {
      id: number;
      name: string;
      key: string;
      allow_ips: string;
      model_limits: string;
    }[];
    expect(made.map(({ name }) => name).sort()[0]).toBe("fleet");
    expect(made.filter(({ name }) => /^fleet-\w{6}$/.test(name))).toHaveLength(2);
    for (const token of made)
      expect(token).toMatchObject({
        allow_ips: "10.0.0.0/8\n2001:db8::/32",
        model_limits: "gpt-4o",
        model_limits_enabled: true,
        unlimited_quota: false,
        remain_quota: 500_000,
      });
    const one = made.find(({ name }) => name !== "fleet");
    if (!one) throw new Error("no key was made");

    await row(one.name).getByRole("switch").click();
    await waitForNotice(fillPlaceholders(words.disabledToast, { name: one.name }));
    await consolePage.open("/token?search=fleet&status=2");
    await until(
      () => page.locator("[data-row]").count(),
      (count) => count === 1,
    );
    await consolePage.chooseRowAction(one.name, words.edit);
    const editor = dialog(fillPlaceholders(words.form.editTitle, { name: one.name }));
    await editor.getByLabel(words.form.name, { exact: true }).fill("flagship");
    const never = editor.getByRole("switch", { name: parts.neverExpires });
    const hour = editor.getByRole("group", { name: words.form.expires }).getByRole("spinbutton", { name: "Hours" });
    await editor.getByRole("button", { name: words.form.quickHour, exact: true }).click();
    expect(await never.isChecked()).toBe(false);
    await hour.click();
    await page.keyboard.press("Backspace");
    await button(words.form.save, editor).click();
    await editor.getByText(words.form.errors.expiry).waitFor();
    await never.click();
    await never.click();
    await hour.click();
    await page.keyboard.type("12");
    await button(words.form.save, editor).click();
    await editor.getByText(words.form.errors.expiry).waitFor();
    await editor.getByRole("button", { name: words.form.quickNever, exact: true }).click();
    expect(await never.isChecked()).toBe(true);
    await button(words.form.save, editor).click();
    await waitForNotice(fillPlaceholders(words.saved, { name: "flagship" }));
    expect(await fixture.root.get(`/api/token/${one.id}`)).toMatchObject({
      name: "flagship",
      expired_time: -1,
      status: 2,
    });

    await consolePage.open("/token?search=fl");
    await row("flagship").waitFor();
    await page.getByRole("checkbox", { name: parts.table.selectPage }).check();
    await button(fillPlaceholders(words.batch.copy_other, { count: 3 })).click();
    await waitForNotice(fillPlaceholders(words.batch.copied_other, { count: 3 }));
    const text = await page.evaluate(() => navigator.clipboard.readText());
    for (const { key } of made) expect(text).toContain(`sk-${key}`);
    await button(fillPlaceholders(words.batch.delete_other, { count: 3 })).click();
    await button(/Delete/, dialog(fillPlaceholders(words.batch.deleteTitle_other, { count: 3 }))).click();
    await page.getByText(words.empty.filteredTitle).waitFor();
    expect(await fixture.root.get("/api/token/search?keyword=fl")).toEqual([]);

    await consolePage.open("/token");
    for (const [tool, address] of [
      ["curl", "/v1/chat/completions"],
      ["python", "/v1"],
      ["anthropic", ""],
      ["google", ""],
      ["claudeCode", ""],
      ["codex", "/v1"],
      ["cherryStudio", ""],
      ["openWebUi", "/v1"],
    ] as const) {
      await button(words.use[tool]).click();
      await page.locator("pre", { hasText: `${fixture.gateway.url}${address}` }).waitFor();
    }
    expect(consolePage.complaints).toEqual([]);
    await consolePage.close();
  }, 180_000);
});

test("whoever leaves takes their data along, with keys in clear after the password", async () => {
  const consolePage = await openConsolePage(browser, fixture.gateway, VIEWPORTS.en);
  const { button, dialog } = consolePage;
  const words = WORDS.en.profile.export;
  await consolePage.open("/personal");
  await button(words.open).click();
  const box = dialog(words.open);
  const masked = await consolePage.download(() => button(words.action, box).click());
  expect(masked.name).toMatch(/^account-[\d-]+\.ndjson$/);
  expect(masked.text).toContain(`"username":"${ROOT_NAME}"`);
  expect(masked.text).not.toContain(fixture.key);
  await consolePage.waitForNotice(words.done);
  await button(words.open).click();
  await box.getByRole("switch", { name: words.withKeys }).click();
  const password = box.locator('input[name="password"]');
  await password.fill("not the password");
  await button(words.action, box).click();
  await box.getByRole("alert").waitFor();
  await consolePage.expectAccessible();
  await password.fill(ROOT_PASSWORD);
  const csv = await consolePage.download(() => button(words.action, box).click());
  expect(csv.text).toContain(fixture.key);
  await consolePage.close();
}, 120_000);
