/** An administrator adds, copies, tags, tests, repairs and removes channels in a real browser. */
import { afterAll, expect } from "bun:test";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startConsoleFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { startFakeUpstream } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const words = WORDS.en.channels;
const table = WORDS.en.components.table;
const KEY = "sk-upstream-key";

type Channel = {
  id: number;
  name: string;
  models: string;
  status: number;
  tag: string;
  response_time: number;
  priority: number;
};

const channels = async (): Promise<Record<string, Channel>> => {
  const rows: Channel[] = await root.get("/api/channel/?p=0&page_size=100");
  return Object.fromEntries(rows.map((channel) => [channel.name, channel]));
};
const tick = (name: string) =>
  consolePage.page.getByRole("checkbox", { name: fillPlaceholders(table.selectRow, { name }), exact: true }).check();
const chooseMore = async (action: string) => {
  await consolePage.button(words.moreActions).click();
  await consolePage.page.getByRole("menuitem", { name: action }).click();
};

const upstream = startFakeUpstream();
afterAll(upstream.stop);
const { browser, gateway, root } = await startConsoleFixture();
for (const [name, fields] of Object.entries({
  "lock-1": { priority: 5 },
  "lock-2": {},
  weir: { key: "sk-wrong" },
  idle: {},
})) {
  await createChannel(root, upstream.url, ["gpt-4o", "gpt-4o-mini"], { name, key: KEY, ...fields });
}
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

test("the drawer says what is missing, shows where calls go, and checks JSON where it is wrong", async () => {
  const { button, dialog, waitForNotice } = consolePage;
  const form = words.form;
  await consolePage.open("/channel/add?all=1");
  const drawer = dialog(form.createTitle);
  await button(form.create, drawer).click();
  await drawer.getByText(form.errors.nameAndKey).first().waitFor();
  await drawer.getByText(form.errors.models).waitFor();
  await drawer.getByLabel(form.name, { exact: true }).fill("sluice-gate");
  await drawer.getByLabel(form.key, { exact: true }).fill(KEY);
  await drawer.getByText("https://api.openai.com/v1/chat/completions").waitFor();
  for (const typed of ["", "/v1/", "/v1/chat/completions"]) {
    await drawer.getByLabel(form.baseUrl).fill(`${upstream.url}${typed}`);
    await drawer.getByText(`${upstream.url}/v1/chat/completions`, { exact: true }).waitFor();
  }
  await drawer.getByLabel(form.baseUrl).fill(`${upstream.url}/api/coding/paas/v4/`);
  await drawer.getByText(`${upstream.url}/api/coding/paas/v4/chat/completions`).waitFor();
  await drawer.getByLabel(form.baseUrl).fill(`${upstream.url}/v1/`);
  await button(form.fetch, drawer).click();
  const picker = dialog(form.pickTitle);
  await picker.getByText("gpt-4o", { exact: true }).waitFor();
  await picker.getByRole("checkbox", { name: new RegExp(`^${form.pickAll}`) }).check();
  await button(/^Use \d+ models?$/, picker).click();
  await drawer.getByLabel(form.modelMapping).fill('{"gpt-4o": }');
  await button(form.create, drawer).click();
  await drawer.getByText(fillPlaceholders(WORDS.en.components.json.invalid, { line: 1, column: 12 })).waitFor();
  await drawer.getByLabel(form.modelMapping).fill('{"mine": "gpt-4o"}');
  await button(form.create, drawer).click();
  await waitForNotice(fillPlaceholders(words.created, { name: "sluice-gate" }));
  const { id } = (await channels())["sluice-gate"] as Channel;
  expect(await root.get(`/api/channel/${id}`)).toMatchObject({
    base_url: `${upstream.url}/v1`,
    model_mapping: '{"mine": "gpt-4o"}',
  });
}, 90_000);

test("the regions of Bedrock and Vertex AI are offered, others can be typed", async () => {
  const { dialog, page, open } = consolePage;
  const form = words.form;
  await open("/channel/add?all=1");
  const drawer = dialog(form.createTitle);
  const chooseType = async (name: string) => {
    await drawer.getByRole("combobox", { name: form.type }).click();
    await page.getByRole("option").filter({ hasText: name }).click();
  };
  const region = drawer.getByLabel(form.other[41]);
  await chooseType("AWS Claude");
  const key = drawer.getByLabel(form.key, { exact: true });
  expect(await region.isDisabled()).toBe(true);
  await key.fill("AKIA1|secret");
  await region.fill("eu-central");
  await page.getByRole("option", { name: "eu-central-2", exact: true }).click();
  expect(await key.inputValue()).toBe("AKIA1|secret|eu-central-2");
  await drawer.getByText(/^https:\/\/bedrock-runtime\.eu-central-2\.amazonaws\.com\//).waitFor();
  await key.fill("AKIA1|secret|xx-west-1");
  expect(await region.inputValue()).toBe("xx-west-1");
  await chooseType("Vertex AI");
  await region.fill("europe-west9");
  await page.getByRole("option", { name: "europe-west9", exact: true }).click();
  await region.fill('{"default": "global"}');
  expect(await region.inputValue()).toBe('{"default": "global"}');
}, 60_000);

test("a channel is added from a key alone, and tested", async () => {
  const { button, dialog, page, waitForNotice, open } = consolePage;
  await open("/channel/add");
  const drawer = dialog(words.form.createTitle);
  await drawer.getByLabel(words.quick.key, { exact: true }).fill(KEY);
  await drawer.getByRole("radio", { name: words.quick.compatible }).check();
  await drawer.getByLabel(words.form.baseUrl, { exact: true }).fill(`${upstream.url}/v1/`);
  await button(words.add, drawer).click();
  const host = new URL(upstream.url).host;
  await waitForNotice(new RegExp(`^${RegExp.escape(host)} added with \\d+ models, responded in`));
  await page.waitForURL("**/channel");
  const channel = (await channels())[host] as Channel;
  expect(channel).toMatchObject({ base_url: `${upstream.url}/v1`, test_model: "gpt-4o-mini" });
  expect(channel.models.split(",")).toContain("gpt-4o-mini");
  await root.delete(`/api/channel/${channel.id}/`);
}, 60_000);

test("a copy is made switched off; what is switched off is deleted together, whatever the list shows", async () => {
  const { page, chooseRowAction: act, waitForNotice, dialog, button } = consolePage;
  await consolePage.open("/channel");
  await act("lock-1", words.copy);
  await waitForNotice(fillPlaceholders(words.copied, { name: "lock-1" }));
  const copy = fillPlaceholders(words.copyName, { name: "lock-1" });
  expect((await channels())[copy]).toMatchObject({ status: 2, priority: 5 });
  await consolePage.open("/channel?search=nothing-is-called-so");
  await page.getByText(words.empty.filteredTitle).waitFor();
  await chooseMore(words.transfer.export);
  await button(WORDS.en.components.cancel, dialog(words.transfer.exportAll)).click();
  await dialog(words.transfer.exportAll).waitFor({ state: "detached" });
  await chooseMore(words.upkeep.deleteDisabled);
  const question = dialog(fillPlaceholders(words.upkeep.deleteDisabledTitle_one, { count: 1 }));
  await button(fillPlaceholders(words.batch.delete_one, { count: 1 }), question).click();
  await waitForNotice(fillPlaceholders(words.batch.deleted_one, { count: 1 }));
  expect((await channels())[copy]).toBeUndefined();
}, 90_000);

test("several get a tag, and are deleted, after a question that says how many", async () => {
  const { dialog, button, waitForNotice, row } = consolePage;
  await consolePage.open("/channel");
  await tick("lock-1");
  await tick("lock-2");
  await button(words.batch.setTag).click();
  const form = dialog(fillPlaceholders(words.batch.tagTitle_other, { count: 2 }));
  await form.locator("button[type=submit]").click();
  await form.getByText(words.batch.tagRequired).waitFor();
  await form.getByLabel(words.batch.tagLabel).fill("locks");
  await form.locator("button[type=submit]").click();
  await waitForNotice(fillPlaceholders(words.batch.tagged_other, { count: 2 }));
  expect((await channels())["lock-2"]?.tag).toBe("locks");
  await consolePage.open("/channel");
  await row("idle").waitFor();
  await tick("idle");
  await button(fillPlaceholders(words.batch.delete_one, { count: 1 })).click();
  await button(
    fillPlaceholders(words.batch.delete_one, { count: 1 }),
    dialog(fillPlaceholders(words.batch.deleteTitle_one, { count: 1 })),
  ).click();
  await waitForNotice(fillPlaceholders(words.batch.deleted_one, { count: 1 }));
  expect(Object.keys(await channels())).not.toContain("idle");
}, 90_000);

test("all are tested, with how far it is, and each row says how it went", async () => {
  const { button, waitForNotice, row } = consolePage;
  await consolePage.open("/channel");
  await row("weir").waitFor();
  await button(words.test.allTitle).click();
  await waitForNotice(words.test.allDone);
  const after = await until(channels, (all) => (all["lock-1"]?.response_time ?? 0) > 0);
  expect(after["lock-2"]?.response_time).toBeGreaterThan(0);
  await row("lock-1")
    .getByText(/\d (ms|s)$/)
    .first()
    .waitFor();
}, 90_000);

test("the priority is changed in its row, and taken back", async () => {
  const { page, button, row, waitForNotice } = consolePage;
  await consolePage.open("/channel");
  await row("lock-1").waitFor();
  await button(new RegExp(`^${fillPlaceholders(words.editPriority, { name: "lock-1" })}:`))
    .first()
    .click();
  const input = row("lock-1").locator("input[inputmode=numeric]");
  await input.fill("7");
  await input.press("Enter");
  await waitForNotice(fillPlaceholders(words.prioritySet, { name: "lock-1", value: 7 }));
  expect((await channels())["lock-1"]?.priority).toBe(7);
  await page.getByRole("button", { name: words.undo, exact: true }).click();
  await until(channels, (all) => all["lock-1"]?.priority === 5);
}, 90_000);

test("the routing table is repaired, and columns, page size and order are remembered", async () => {
  const { page, button, waitForNotice, dialog, row } = consolePage;
  await consolePage.open("/channel");
  await chooseMore(words.upkeep.fix);
  await button(words.upkeep.fixAction, dialog(words.upkeep.fixTitle)).click();
  await waitForNotice(/^Routing table rebuilt for \d+ channel/);
  await button(table.columns).click();
  const columns = dialog(table.columns);
  await columns.getByRole("checkbox", { name: words.columns.created }).click();
  await button(WORDS.en.components.done, columns).click();
  const height = () => row("lock-1").evaluate((line) => line.clientHeight);
  const roomy = await height();
  await button(table.compact).click();
  await button(table.comfortable).waitFor();
  expect(await height()).toBeLessThan(roomy);
  await page.getByRole("columnheader", { name: words.columns.created }).waitFor();
  await page.getByLabel(words.filters.idSort).click();
  await button(/per page$/).click();
  await page.getByRole("menuitem", { name: fillPlaceholders(table.perPage, { count: 50 }) }).click();
  await page.reload();
  await row("lock-1").waitFor();
  await page.getByRole("columnheader", { name: words.columns.created }).waitFor();
  await button(table.comfortable).waitFor();
  expect(await height()).toBeLessThan(roomy);
  await button(fillPlaceholders(table.perPage, { count: 50 })).waitFor();
  const names = await page.locator("[data-row]").allTextContents();
  expect(names.findIndex((text) => text.includes("sluice-gate"))).toBe(0);
  expect(await page.evaluate(() => [localStorage.getItem("page-size"), localStorage.getItem("id-sort")])).toEqual([
    "50",
    "true",
  ]);
}, 90_000);

test("balances are queried, of one and of all: currency, why a query failed, and that it goes on", async () => {
  const { chooseRowAction: act, waitForNotice, row, page } = consolePage;
  const SILICON_CLOUD = 40;
  await createChannel(root, upstream.url, ["Qwen/Qwen3-8B"], { name: "yuan", type: SILICON_CLOUD, key: KEY });
  await consolePage.open("/channel");
  await act("lock-1", words.updateBalance);
  await waitForNotice(fillPlaceholders(words.balanceUpdated, { name: "lock-1", balance: "$20.00" }));
  await row("lock-1").getByText("$20.00", { exact: true }).waitFor();
  await act("weir", words.updateBalance);
  await page.getByRole("alert").filter({ hasText: "HTTP 401" }).first().waitFor();
  await row("weir")
    .getByRole("img", { name: /HTTP 401/ })
    .waitFor();
  const mayGo = Promise.withResolvers<void>();
  await page.route("**/api/channel/update_balance", async (route) => {
    await mayGo.promise;
    await route.continue();
  });
  const all = consolePage.button(words.updateBalances);
  await all.click();
  await waitForNotice(words.balancesUpdating);
  expect(await all.isDisabled()).toBe(true);
  mayGo.resolve();
  await waitForNotice(/^\d+ of \d+ balances updated$/);
  await page.unroute("**/api/channel/update_balance");
  await row("yuan").getByText("CN¥12.50", { exact: true }).waitFor();
  await row("lock-2").getByText("$20.00", { exact: true }).waitFor();
}, 120_000);

test("the list is narrowed to channels by their health, which the address keeps", async () => {
  const { button, dialog, row, page } = consolePage;
  const { id } = (await channels())["lock-2"] as Channel;
  await root.put("/api/channel/", { id, status: 2 });
  await consolePage.open("/channel");
  await row("lock-1").waitFor();
  await button(words.filters.health).click();
  await dialog(words.filters.health).getByText(words.health.disabled, { exact: true }).click();
  await row("lock-1").waitFor({ state: "detached" });
  await row("lock-2").waitFor();
  expect(new URL(page.url()).searchParams.get("health")).toBe("disabled");
  await page.reload();
  await row("lock-2").waitFor();
  expect(await row("lock-1").count()).toBe(0);
  await button(WORDS.en.components.filter.clear).click();
  await row("lock-1").waitFor();
  await root.put("/api/channel/", { id, status: 1 });
}, 90_000);

test("one is deleted after a question; nothing complained", async () => {
  const { chooseRowAction: act, dialog, button, waitForNotice } = consolePage;
  await consolePage.open("/channel");
  await act("weir", words.delete);
  await button(words.delete, dialog(fillPlaceholders(words.deleteTitle, { name: "weir" }))).click();
  await waitForNotice(fillPlaceholders(words.deleted, { name: "weir" }));
  expect((await channels()).weir).toBeUndefined();
  expect(consolePage.complaints).toEqual([]);
}, 90_000);
