/** An administrator looks after channels in a real browser: tags, keys, models, files, the keyboard. */
import { afterAll, expect } from "bun:test";
import { findSeriousViolations } from "../../support/e2e/axe/find-violations.ts";
import { lookOnPhone, measureHorizontalOverflow, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, setOption } from "../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  PAGE_TIMEOUT_MS,
  showFilters,
  startConsoleFixture,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
import { startFakeUpstream } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const SHOW_THREE = "展开 3 个渠道";
const DISABLED_BY_ROOT = { en: "Disabled by root", zh: "由 root 手动禁用" } as const;
const GOOD_KEY = "sk-upstream-key";
const WIDTH_PX = 1440;
const words = WORDS.en.channels;
const { table } = WORDS.en.components;

const upstream = startFakeUpstream();
afterAll(upstream.stop);
const { browser, gateway, root } = await startConsoleFixture();
const ids: Record<string, number> = {};
for (const [name, fields] of Object.entries({
  "east-1": { tag: "east", priority: 3 },
  "east-2": { tag: "east", priority: 3, key: `${GOOD_KEY},sk-wrong` },
  west: { tag: "west", models: "gpt-4o,left-long-ago" },
})) {
  ids[name] = await createChannel(root, upstream.url, ["gpt-4o"], { ...fields, name });
}
const consolePage = await openConsolePage(browser, gateway, { ...VIEWPORTS.en, width: WIDTH_PX });
const { page, button, dialog, row } = consolePage;

const statusOf = async (name: string) => (await root.get(`/api/channel/${ids[name]}`)).status;
const expectClean = async (looked = page) => {
  expect(await findSeriousViolations(looked, true)).toEqual([]);
  expect(await measureHorizontalOverflow(looked)).toBe(0);
};
/** On a wide screen, and on a phone in the dark. */
const clean = async () => {
  await expectClean();
  await lookOnPhone(page, expectClean);
};
const openList = async () => {
  await consolePage.open("/channel");
  await row("east-1").first().waitFor();
};
const openTab = async (on: typeof consolePage, id: number | undefined, tab: string) => {
  await on.open(`/channel/edit/${id}`);
  await on.page.getByRole("tab", { name: tab }).click();
};

test("a tag is one row, opens into its channels and switches them together", async () => {
  await openList();
  await page.getByRole("columnheader", { name: words.columns.tag }).waitFor();
  await page.getByText(fillPlaceholders(words.totalOf, { total: 3 })).waitFor();
  await clean();
  await showFilters(page, "en");
  await page.getByLabel(words.filters.byTag).click();
  await row("west").first().waitFor();
  expect(await page.getByText("east-1", { exact: true }).count()).toBe(0);
  const tag = page.locator('[data-row="tag:east"]');
  await tag.getByText("east", { exact: true }).click();
  await page.getByText("east-1", { exact: true }).first().waitFor();
  await tag.getByRole("switch").click();
  await page.getByText(fillPlaceholders(words.batch.disabled_other, { count: 2 })).waitFor();
  expect([await statusOf("east-1"), await statusOf("east-2"), await statusOf("west")]).toEqual([2, 2, 1]);
  await consolePage.chooseRowAction("east", words.tags.enable);
  await page.getByText(fillPlaceholders(words.batch.enabled_other, { count: 2 })).waitFor();
  expect(await statusOf("east-1")).toBe(1);
  const name = fillPlaceholders(table.selectRow, { name: "east" });
  await page.getByRole("checkbox", { name, exact: true }).check();
  const ticked = (count: number) =>
    page.getByRole("toolbar", { name: fillPlaceholders(words.batch.selected_other, { count }) });
  const all = fillPlaceholders(words.batch.selectTags, {
    tags: fillPlaceholders(words.batch.tags_other, { count: 2 }),
    channels: fillPlaceholders(words.tags.count_other, { count: 3 }),
  });
  await button(all, ticked(2)).click();
  await ticked(3).waitFor();
  await clean();
  await page.getByLabel(words.filters.byTag).click();
});

test("a head under the menus of a table that scrolls sideways is reached by keyboard", async () => {
  await openList();
  await page.setViewportSize({ width: 1290, height: 900 });
  await expectClean();
  const menus = page.getByRole("columnheader").last();
  const handle = page.getByRole("columnheader", { name: words.columns.used }).getByRole("button").last();
  const edges = async () => [(await handle.boundingBox())?.x ?? 0, (await menus.boundingBox())?.x ?? 0] as const;
  const [under, from] = await edges();
  expect(under).toBeGreaterThan(from);
  await handle.focus();
  const [clear, until] = await edges();
  expect(clear).toBeLessThan(until);
  await page.setViewportSize({ width: WIDTH_PX, height: 900 });
  await page.locator("thead").hover();
  await expectClean();
});

test("one key of a channel is tested and switched off alone", async () => {
  await openTab(consolePage, ids["east-2"], words.tabs.health);
  const keys = dialog().getByRole("listitem");
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
  await keys.nth(1).getByText(DISABLED_BY_ROOT.en).waitFor();
  expect((await root.get(`/api/channel/${ids["east-2"]}`)).keys).toEqual({ total: 2, enabled: 1 });
  await clean();
  await page.getByRole("tab", { name: words.tabs.errors }).click();
  await page.getByRole("heading", { name: words.errors.none }).waitFor();
  await clean();
});

test("new models of the upstream are compared and taken over", async () => {
  await openList();
  await consolePage.chooseRowAction("west", words.modelList.action);
  await button(words.modelList.refresh).click();
  await dialog().getByText("left-long-ago").waitFor();
  await dialog().getByText("text-embedding-3-small").click();
  await clean();
  await button(fillPlaceholders(words.modelList.take, { added: 1, removed: 1 }), dialog()).click();
  await page.getByText(fillPlaceholders(words.modelList.taken, { name: "west" })).waitFor();
  expect((await root.get(`/api/channel/${ids.west}`)).models).toBe("gpt-4o,gpt-4o-mini");
});

test("channels leave as a file, and come back after a look at what would change", async () => {
  await openList();
  await button(words.moreActions).click();
  await page.getByRole("menuitem", { name: words.transfer.export }).click();
  await page.getByLabel(words.transfer.withSecrets).click();
  await clean();
  const { text } = await consolePage.download(async () => {
    await button(words.transfer.export, dialog()).click();
    await button(words.transfer.export, dialog(words.transfer.secretsTitle)).click();
  });
  const content = JSON.parse(text);
  expect(content.channels).toHaveLength(3);
  expect(content.channels[0].key).toBe(GOOD_KEY);
  content.channels[0].priority = 42;
  content.channels.push({ ...content.channels[1], name: "imported" });
  const buffer = Buffer.from(JSON.stringify(content));
  await page.locator("input[type=file]").setInputFiles({ name: "channels.json", mimeType: "application/json", buffer });
  await page.getByText("imported", { exact: true }).waitFor();
  await clean();
  await button(fillPlaceholders(words.transfer.apply_other, { count: 2 })).click();
  await page.getByText(fillPlaceholders(words.transfer.imported, { created: 1, changed: 1 })).waitFor();
  expect((await root.get(`/api/channel/${ids["east-1"]}`)).priority).toBe(42);
  await row("imported").first().waitFor();
});

test("an administrator enters the key again to send a channel's requests elsewhere, and never sees the old one", async () => {
  const account = { username: "keeper", password: "keep the keys 7" };
  const { id } = await root.post("/api/user/", account);
  await root.post("/api/user/manage", { id, action: "promote" });
  const theirs = await openConsolePage(browser, gateway, VIEWPORTS.en, account);
  await theirs.open(`/channel/edit/${ids.west}`);
  await theirs.page.getByText(words.form.keyReplace).waitFor();
  expect(await theirs.button(words.form.keyShow).count()).toBe(0);
  const address = theirs.page.getByLabel(words.form.baseUrl, { exact: true });
  await address.fill("https://elsewhere.example");
  await theirs.button(words.form.save).click();
  const key = theirs.page.getByLabel(words.form.key, { exact: true });
  await key.waitFor();
  await theirs.page.getByRole("alert").filter({ hasText: "another destination" }).first().waitFor();
  await expectClean(theirs.page);
  expect((await root.get(`/api/channel/${ids.west}`)).base_url).toBe(upstream.url);
  await key.fill("sk-entered-again");
  await theirs.button(words.form.save).click();
  await until(
    async () => (await root.get(`/api/channel/${ids.west}`)).base_url,
    (url) => url === "https://elsewhere.example",
  );
  expect((await root.get(`/api/channel/${ids.west}?show_key=true`)).key).toBe("sk-entered-again");
  await root.put("/api/channel/", { id: ids.west, base_url: upstream.url, key: GOOD_KEY });
  await theirs.close();
});

test("the keyboard moves, ticks and opens; all that match can be ticked", async () => {
  await openList();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  // Screen readers follow the real focus.
  expect(await page.locator("[data-row]:focus").count()).toBe(1);
  await page.keyboard.press("Space");
  await page.getByRole("toolbar").waitFor();
  await button(fillPlaceholders(words.batch.selectAll, { total: 4 })).click();
  await page.getByRole("toolbar", { name: fillPlaceholders(words.batch.selected_other, { count: 4 }) }).waitFor();
  await button(words.disable).click();
  await page.getByText(fillPlaceholders(words.batch.disabled_other, { count: 4 })).waitFor();
  expect(await statusOf("west")).toBe(2);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/channel/edit/*");
});

test("a switch shows at once, takes one action at a time, and goes back after 15 seconds", async () => {
  await root.post("/api/channel/batch/status", { ids: [ids.west], status: 1 });
  await openList();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/channel", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    await held.promise;
    await route.abort().catch(() => {});
  });
  const toggle = page.getByRole("switch", { name: fillPlaceholders(words.toggle, { name: "west" }) });
  // The list first shows what it had before.
  await toggle.and(page.getByRole("switch", { checked: true })).waitFor();
  await toggle.click();
  // The request is still held.
  await toggle.and(page.getByRole("switch", { checked: false })).waitFor();
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
  const vip = { group: "vip", priority: 9 };
  ids.leak = await createChannel(root, "http://127.0.0.1:1", ["gpt-4o"], { ...vip, name: "leak" });
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
    () => root.get(`/api/log/rescued?channel=${ids.leak}`),
    (rows) => rows.length > 0,
  );
  await openTab(consolePage, ids.leak, words.tabs.errors);
  await page.getByText(words.errors.rescued).waitFor();
  await clean();
  expect(consolePage.complaints).toEqual([]);
});

test("the list, its dialogs and the drawer are readable in Chinese on a phone", async () => {
  const chinese = WORDS.zh.channels;
  const { moreActions, transfer, modelList, tabs, errors } = chinese;
  const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
  const look = () => expectClean(phone.page);
  const cancel = async () => {
    await phone.page.keyboard.press("Escape");
    await phone.dialog().waitFor({ state: "detached" });
  };
  await phone.open("/channel");
  await phone.row("east-1").first().waitFor();
  await phone.page.getByText(fillPlaceholders(chinese.totalOf, { total: 6 })).waitFor();
  await look();
  await phone.chooseRowAction("west", modelList.action);
  await phone.button(modelList.refresh).click();
  await phone.dialog().getByText("text-embedding-3-small").waitFor();
  await look();
  await cancel();
  await phone.button(moreActions).click();
  await phone.page.getByRole("menuitem", { name: transfer.export }).click();
  await phone.page.getByLabel(transfer.withSecrets).click();
  await look();
  await cancel();
  await showFilters(phone.page, "zh");
  await phone.page.getByLabel(chinese.filters.byTag).click();
  await phone.row("west").first().waitFor();
  expect(await phone.page.getByText("east-1", { exact: true }).count()).toBe(0);
  await phone.button(SHOW_THREE, phone.page.locator('[data-row="tag:east"]')).click();
  await phone.page.getByText("east-1", { exact: true }).first().waitFor();
  await look();
  await openTab(phone, ids["east-2"], tabs.health);
  await phone.dialog().getByRole("listitem").nth(1).getByText(DISABLED_BY_ROOT.zh).waitFor();
  await look();
  await openTab(phone, ids.leak, tabs.errors);
  await phone.page.getByText(errors.rescued).waitFor();
  await look();
  expect(phone.complaints).toEqual([]);
  await phone.close();
});
