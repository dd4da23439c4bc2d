/** An administrator looks after channels in a real browser: tags, keys, models, files, the keyboard; in both languages. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright";
import { findSeriousViolations } from "../../support/e2e/axe/find-violations.ts";
import { type Language, measureHorizontalOverflow, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, setOption } from "../../support/e2e/console-client.ts";
import { openConsolePage, openSharedBrowser, PAGE_TIMEOUT_MS, showFilters } from "../../support/e2e/console-page.ts";
import {
  type FakeUpstream,
  type Gateway,
  type Session,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const SHOW_TWO = { en: "Show 2 channels", zh: "展开 2 个渠道" } as const;
const DISABLED_BY_ROOT = { en: "Disabled by root", zh: "由 root 手动禁用" } as const;
const GOOD_KEY = "sk-upstream-key";

const browser = await openSharedBrowser();

describe.each<[Language, boolean, number]>([
  ["en", false, 1440],
  ["zh", true, 390],
])("channels in %s (dark: %p, %p px)", (language, dark, width) => {
  const words = WORDS[language].channels;
  const isPhone = width <= 600;
  let gateway: Gateway;
  let upstream: FakeUpstream;
  let root: Session;
  let page: Page;
  let complaints: string[];
  const ids: Record<string, number> = {};

  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const row = (name: string) => page.locator("[data-row]").filter({ hasText: name });
  const statusOf = async (name: string) => (await root.get(`/api/channel/${ids[name]}`)).status;
  const clean = async () => {
    expect(await findSeriousViolations(page, true)).toEqual([]);
    expect(await measureHorizontalOverflow(page)).toBe(0);
  };
  const openList = async () => {
    await page.evaluate(() => localStorage.removeItem("channel-tag-mode"));
    await page.goto(`${gateway.url}/channel`);
    await row("east-1").first().waitFor();
  };

  beforeAll(async () => {
    upstream = startFakeUpstream();
    gateway = await startGateway({ env: { ALLOW_PRIVATE_UPSTREAMS: "true" } });
    root = await setUp(gateway);
    const channels = {
      "east-1": { tag: "east", priority: 3 },
      "east-2": { tag: "east", priority: 3, key: `${GOOD_KEY},sk-wrong` },
      west: { tag: "west", models: "gpt-4o,left-long-ago" },
    };
    for (const [name, fields] of Object.entries(channels)) {
      ids[name] = await createChannel(root, upstream.url, ["gpt-4o"], { ...fields, name });
    }
    ({ page, complaints } = await openConsolePage(browser, gateway, { language, dark, width }));
  });
  afterAll(async () => {
    await page.context().close();
    await gateway.stop();
    await upstream.stop();
  });

  test("a tag is one row, opens into its channels and switches them together", async () => {
    await openList();
    if (!isPhone) await page.getByRole("columnheader", { name: words.columns.tag }).waitFor();
    await page.getByText(words.totalOf.replace("{{total}}", "3")).waitFor();
    await clean();
    await showFilters(page, language);
    await page.getByLabel(words.filters.byTag).click();
    await row("west").first().waitFor();
    expect(await page.getByText("east-1", { exact: true }).count()).toBe(0);
    const tag = page.locator('[data-row="tag:east"]');
    if (isPhone) await tag.getByRole("button", { name: SHOW_TWO[language] }).click();
    else await tag.getByText("east", { exact: true }).click();
    await page.getByText("east-1", { exact: true }).first().waitFor();
    await tag.getByRole("switch").click();
    await page.getByText(words.batch.disabled_other.replace("{{count}}", "2")).waitFor();
    expect([await statusOf("east-1"), await statusOf("east-2"), await statusOf("west")]).toEqual([2, 2, 1]);
    await tag
      .getByRole("button", { name: WORDS[language].components.table.actionsFor.replace("{{name}}", "east") })
      .click();
    await page.getByRole("menuitem", { name: words.tags.enable }).click();
    await page.getByText(words.batch.enabled_other.replace("{{count}}", "2")).waitFor();
    expect(await statusOf("east-1")).toBe(1);
    const selectRow = WORDS[language].components.table.selectRow;
    await page.getByRole("checkbox", { name: selectRow.replace("{{name}}", "east"), exact: true }).check();
    const ticked = (count: string) =>
      page.getByRole("toolbar", { name: words.batch.selected_other.replace("{{count}}", count) });
    const all = words.batch.selectTags
      .replace("{{tags}}", words.batch.tags_other.replace("{{count}}", "2"))
      .replace("{{channels}}", words.tags.count_other.replace("{{count}}", "3"));
    await ticked("2").getByRole("button", { name: all }).click();
    await ticked("3").waitFor();
    await clean();
  });

  test.if(!isPhone)("a head under the menus of a table that scrolls sideways is reached by keyboard", async () => {
    await openList();
    await page.setViewportSize({ width: 1290, height: 900 });
    await clean();
    const menus = page.getByRole("columnheader").last();
    const handle = page.getByRole("columnheader", { name: words.columns.used }).getByRole("button").last();
    const edges = async () => [(await handle.boundingBox())?.x ?? 0, (await menus.boundingBox())?.x ?? 0] as const;
    const [under, from] = await edges();
    expect(under).toBeGreaterThan(from);
    await handle.focus();
    const [clear, until] = await edges();
    expect(clear).toBeLessThan(until);
    await page.setViewportSize({ width, height: 900 });
    await page.locator("thead").hover();
    await clean();
  });

  test("one key of a channel is tested and switched off alone", async () => {
    await page.goto(`${gateway.url}/channel/edit/${ids["east-2"]}`);
    await page.getByRole("tab", { name: words.tabs.health }).click();
    const keys = page.getByRole("dialog").getByRole("listitem");
    await keys.nth(1).waitFor();
    await keys.nth(0).getByRole("button").first().click();
    await keys
      .nth(0)
      .locator("[aria-live]")
      .getByText(/\d(?:\.\d+ s| ms)/)
      .first()
      .waitFor();
    await keys.nth(1).getByRole("button").first().click();
    await keys.nth(1).getByText("HTTP 401").waitFor();
    await keys.nth(1).locator("input[type=checkbox]").click();
    await keys.nth(1).getByText(words.status.disabled, { exact: true }).waitFor();
    await keys.nth(1).getByText(DISABLED_BY_ROOT[language]).waitFor();
    expect((await root.get(`/api/channel/${ids["east-2"]}`)).keys).toEqual({ total: 2, enabled: 1 });
    await clean();
    await page.getByRole("tab", { name: words.tabs.errors }).click();
    await page.getByRole("heading", { name: words.errors.none }).waitFor();
    await clean();
  });

  test("new models of the upstream are compared and taken over", async () => {
    await openList();
    await button(WORDS[language].components.table.actionsFor.replace("{{name}}", "west")).click();
    await page.getByRole("menuitem", { name: words.modelList.action }).click();
    await button(words.modelList.refresh).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("left-long-ago").waitFor();
    await dialog.getByText("text-embedding-3-small").click();
    await clean();
    await dialog
      .getByRole("button", { name: words.modelList.take.replace("{{added}}", "1").replace("{{removed}}", "1") })
      .click();
    await page.getByText(words.modelList.taken.replace("{{name}}", "west")).waitFor();
    expect((await root.get(`/api/channel/${ids.west}`)).models).toBe("gpt-4o,gpt-4o-mini");
  });

  test("channels leave as a file, and come back after a look at what would change", async () => {
    await openList();
    await button(words.moreActions).click();
    await page.getByRole("menuitem", { name: words.transfer.export }).click();
    await page.getByLabel(words.transfer.withSecrets).click();
    await clean();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: words.transfer.export, exact: true }).click();
    await page
      .getByRole("dialog", { name: words.transfer.secretsTitle })
      .getByRole("button", { name: words.transfer.export, exact: true })
      .click();
    const content = JSON.parse(await Bun.file(await (await download).path()).text());
    expect(content.channels).toHaveLength(3);
    expect(content.channels[0].key).toBe(GOOD_KEY);
    content.channels[0].priority = 42;
    content.channels.push({ ...content.channels[1], name: "imported" });
    const buffer = Buffer.from(JSON.stringify(content));
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "channels.json", mimeType: "application/json", buffer });
    await page.getByText("imported", { exact: true }).waitFor();
    await clean();
    await button(words.transfer.apply_other.replace("{{count}}", "2")).click();
    await page.getByText(words.transfer.imported.replace("{{created}}", "1").replace("{{changed}}", "1")).waitFor();
    expect((await root.get(`/api/channel/${ids["east-1"]}`)).priority).toBe(42);
    await row("imported").first().waitFor();
  });

  test.if(!isPhone)("the keyboard moves, ticks and opens; all that match can be ticked", async () => {
    await openList();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    // Screen readers follow the real focus.
    expect(await page.locator("[data-row]:focus").count()).toBe(1);
    await page.keyboard.press("Space");
    await page.getByRole("toolbar").waitFor();
    await button(words.batch.selectAll.replace("{{total}}", "4")).click();
    await page.getByRole("toolbar", { name: words.batch.selected_other.replace("{{count}}", "4") }).waitFor();
    await button(words.disable).click();
    await page.getByText(words.batch.disabled_other.replace("{{count}}", "4")).waitFor();
    expect(await statusOf("west")).toBe(2);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/channel/edit/*");
  });

  test.if(!isPhone)("a switch shows at once, takes one action at a time, and goes back after 15 seconds", async () => {
    await root.post("/api/channel/batch/status", { ids: [ids.west], status: 1 });
    await openList();
    const held = Promise.withResolvers<void>();
    await page.route("**/api/channel", async (route) => {
      if (route.request().method() !== "PUT") return route.continue();
      await held.promise;
      await route.abort().catch(() => {});
    });
    const toggle = page.getByRole("switch", { name: words.toggle.replace("{{name}}", "west") });
    await toggle.click();
    expect(await toggle.isChecked()).toBe(false);
    await toggle.click();
    await page.getByText(words.busy).waitFor();
    await page.getByText(words.timeout).waitFor({ timeout: 2 * PAGE_TIMEOUT_MS });
    expect(await toggle.isChecked()).toBe(true);
    held.resolve();
    await page.unroute("**/api/channel");
    expect(await statusOf("west")).toBe(1);
  });

  test("a call that failed here and was answered by another channel is among the errors", async () => {
    await setOption(root, "RetryTimes", 1);
    const leak = await createChannel(root, "http://127.0.0.1:1", ["gpt-4o"], {
      name: "leak",
      group: "vip",
      priority: 9,
    });
    await createChannel(root, upstream.url, ["gpt-4o"], { name: "bucket", group: "vip" });
    const { key } = await createApiKey(root, { group: "vip" });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    // The log is written in batches.
    await until(
      () => root.get(`/api/log/rescued?channel=${leak}`),
      (rows) => rows.length > 0,
    );
    await page.goto(`${gateway.url}/channel/edit/${leak}`);
    await page.getByRole("tab", { name: words.tabs.errors }).click();
    await page.getByText(words.errors.rescued).waitFor();
    await clean();
  });

  test("nothing went wrong in the page meanwhile", () => {
    expect(complaints).toEqual([]);
  });
});
