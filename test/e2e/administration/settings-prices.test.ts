/** A super administrator sets groups and prices in a real browser: as a table, as JSON, many at once. */
import { describe, expect } from "bun:test";
import { PRICE_SECTIONS } from "../../../src/billing/pricing/list-prices.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startConsoleFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, startOn } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const words = WORDS.en.settings;
const price = words.pricing;
const UNPRICED = ["own-model-1", "own-model-2", "own-model-3"];

const section = (id: string) => consolePage.page.locator(`[id="section-${id}"]`);
const jsonOf = async (key: string): Promise<Record<string, unknown>> => {
  const options: { key: string; value: string }[] = await root.get("/api/option/");
  return JSON.parse(options.find((option) => option.key === key)?.value ?? "{}");
};
const save = async () => {
  const panel = consolePage.page.getByRole("tabpanel");
  await panel.getByRole("button", { name: /^Save \d/ }).click();
  await consolePage.waitForNotice(words.saved);
  await panel.getByRole("button", { name: words.save, exact: true }).waitFor();
};
const openPricing = async () => {
  await consolePage.open("/setting?tab=operation&field=pricing");
  await section("pricing").getByRole("tab", { name: price.views.visual }).waitFor();
};

const { browser, gateway, root } = await startConsoleFixture(() => startOn(CHEAPEST_ENGINE));
const channelId = await createChannel(root, "http://127.0.0.1:9", UNPRICED);
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

describe("prices", () => {
  test("of one model are entered in dollars or ratios, checked, and saved with the section", async () => {
    await openPricing();
    const add = section("pricing").getByRole("button", { name: price.add });
    await add.click();
    const drawer = consolePage.dialog(price.add);
    const name = drawer.getByLabel(price.columns.name, { exact: true });
    const apply = consolePage.button(price.apply, drawer);
    await apply.click();
    await drawer.getByText(price.errors.required).waitFor();
    await name.fill("gpt-4o");
    await drawer.getByText(price.errors.duplicate).waitFor();
    await name.fill("lock-1");
    await drawer.getByLabel(price.form.inputPrice).fill("3");
    await drawer.getByLabel(price.form.outputPrice).fill("12");
    await drawer.getByText(price.entry.ratio, { exact: true }).click();
    expect(await drawer.getByLabel(price.form.ratio, { exact: true }).inputValue()).toBe("1.5");
    expect(await drawer.getByLabel(price.form.completionRatio).inputValue()).toBe("4");
    await drawer.getByLabel(price.form.ratio, { exact: true }).pressSequentially("x");
    await consolePage.waitForNotice(price.errors.number);
    await apply.click();
    await add.click();
    await name.fill("lock-draw");
    await drawer.getByText(price.billing.per_call, { exact: true }).click();
    await drawer.getByLabel(price.form.price).fill("0");
    await apply.click();
    await drawer.getByText(price.errors.zero).waitFor();
    await drawer.getByLabel(price.form.price).fill("0.04");
    await apply.click();
    await save();
    expect((await jsonOf("ModelRatio"))["lock-1"]).toBe(1.5);
    expect((await jsonOf("CompletionRatio"))["lock-1"]).toBe(4);
    expect((await jsonOf("ModelPrice"))["lock-draw"]).toBe(0.04);
    await section("pricing").getByRole("searchbox").fill("lock-");
    await consolePage.row("lock-draw").getByText("$0.04 /call").waitFor();
    await consolePage.chooseRowAction("lock-1", price.edit);
    expect(await consolePage.dialog("lock-1").getByLabel(price.columns.name, { exact: true }).isDisabled()).toBe(true);
  }, 120_000);

  test("are searched, filtered and turned in the address, and nobody is asked for that while something is unsaved", async () => {
    const prices = section("pricing");
    const search = prices.getByRole("searchbox");
    const query = () => new URL(consolePage.page.url()).searchParams;
    const again = async (view: string) => {
      await consolePage.page.reload();
      await prices.getByRole("tab", { name: view, selected: true }).waitFor();
    };
    await consolePage.open("/setting?tab=operation&model=lock-");
    await consolePage.row("lock-draw").waitFor();
    expect(await search.inputValue()).toBe("lock-");
    await consolePage.chooseRowAction("lock-1", price.remove);
    await consolePage.page.getByRole("button", { name: /^Save \d/ }).waitFor();
    await consolePage.button(price.columns.billing, prices).click();
    await consolePage.page.getByRole("menuitem", { name: price.billing.per_call }).click();
    await consolePage.page.waitForURL("**billing=per_call**");
    await search.fill("draw");
    await consolePage.page.waitForURL("**model=draw**");
    await consolePage.row("lock-draw").waitFor();
    expect(await consolePage.page.getByRole("dialog").count()).toBe(0);
    await consolePage.button(words.discard).click();
    await consolePage.button(WORDS.en.components.filter.clear, prices).click();
    await consolePage.button(WORDS.en.components.table.next, prices).click();
    await consolePage.page.waitForURL("**p=1**");
    expect([...query().keys()].sort()).toEqual(["p", "section", "tab"]);
    const first = consolePage.page.locator("[data-row]").first();
    const shown = await first.textContent();
    await again(price.views.visual);
    await until(async () => (await first.textContent()) === shown);
    await prices.getByRole("tab", { name: price.views.json }).click();
    await consolePage.page.waitForURL("**prices=json**");
    await again(price.views.json);
    expect(query().get("p")).toBeNull();
  }, 120_000);

  test("are missed next to the models of a channel, and of a kind of channel that no list has", async () => {
    const form = WORDS.en.channels.form;
    const warning = fillPlaceholders(form.unpriced_other, { count: 3, names: UNPRICED.join(", ") });
    await consolePage.open(`/channel/edit/${channelId}`);
    await consolePage.page.getByText(warning).waitFor();
    await consolePage.open("/channel/add?all=1");
    await consolePage.page.getByRole("combobox", { name: form.type }).click();
    await consolePage.page.getByRole("option", { name: "Ollama" }).click();
    await consolePage.page.getByText(WORDS.en.channels.noListPrice.own_server).waitFor();
  }, 120_000);

  test("of many models that have none are filled in together", async () => {
    await openPricing();
    await section("pricing")
      .getByRole("tab", { name: new RegExp(price.views.unset) })
      .click();
    const fillIn = (count: number) =>
      consolePage
        .button(count === 0 ? price.batch.idle : fillPlaceholders(price.batch.action_other, { count }))
        .click();
    await consolePage.row("own-model-1").waitFor();
    await section("pricing").getByText(price.unset.why).waitFor();
    await fillIn(0);
    await consolePage.waitForNotice(price.batch.errors.selection);
    await consolePage.page.getByRole("checkbox", { name: WORDS.en.components.table.selectPage }).check();
    await fillIn(3);
    await consolePage.waitForNotice(price.batch.errors.value);
    await consolePage.page.getByLabel(price.batch.value, { exact: true }).fill("cheap");
    await fillIn(3);
    await consolePage.waitForNotice(price.batch.errors.number);
    await consolePage.page.getByRole("combobox", { name: price.batch.mode }).click();
    await consolePage.page.getByRole("option", { name: price.batch.modes.both }).click();
    await consolePage.page.getByLabel(price.form.ratio, { exact: true }).fill("2");
    await fillIn(3);
    await consolePage.waitForNotice(price.batch.errors.both);
    await consolePage.page.getByLabel(price.form.completionRatio, { exact: true }).fill("3");
    await fillIn(3);
    await consolePage.waitForNotice(fillPlaceholders(price.batch.done_other, { count: 3 }));
    await save();
    await section("pricing").getByText(price.unset.title).waitFor();
    const [ratios, completions] = [await jsonOf("ModelRatio"), await jsonOf("CompletionRatio")];
    for (const model of UNPRICED) expect([ratios[model], completions[model]]).toEqual([2, 3]);
  }, 120_000);

  test("as JSON show where they are wrong, and are not saved until they are right", async () => {
    await openPricing();
    await section("pricing").getByRole("tab", { name: price.views.json }).click();
    const editor = consolePage.page.locator('[id="setting-ModelPrice"]');
    await editor.fill('{\n  "lock-draw": 0.04\n  "lock-2": 1\n}');
    await editor.blur();
    await section("pricing")
      .getByText(fillPlaceholders(words.json.invalid, { line: 3, column: 3 }))
      .waitFor();
    await consolePage.page.getByRole("button", { name: /^Save \d/ }).click();
    await consolePage.waitForNotice(words.checkInput);
    await section("pricing").getByRole("tab", { name: price.views.visual }).click();
    await section("pricing").getByRole("alert").filter({ hasText: words.fields.ModelPrice.label }).waitFor();
    await section("pricing").getByRole("tab", { name: price.views.json }).click();
    await editor.fill('{ "lock-draw": 0.05, "lock-2": 1 }');
    await editor.blur();
    await save();
    expect(await jsonOf("ModelPrice")).toEqual({ "lock-draw": 0.05, "lock-2": 1 });
  }, 120_000);

  test("are compared with the list prices of the release, and ratios are reset", async () => {
    const ratios = await jsonOf("ModelRatio");
    await root.put("/api/option/", { key: "ModelRatio", value: JSON.stringify({ ...ratios, "gpt-4o": 99 }) });
    await openPricing();
    await consolePage.button(price.list.open).click();
    const drawer = consolePage.dialog(price.list.title);
    await drawer.getByText("gpt-4o", { exact: true }).first().waitFor();
    const source = PRICE_SECTIONS.find(({ prices }) => prices["gpt-4o"]);
    const asOf = fillPlaceholders(price.list.asOf, { provider: source?.provider ?? "", date: source?.asOf ?? "" });
    await drawer.getByText(asOf).first().waitFor();
    const link = drawer.getByRole("link", { name: "developers.openai.com" }).first();
    expect(await link.getAttribute("href")).toBe(source?.sources[0] ?? "");
    await consolePage.button(price.list.none, drawer).click();
    await drawer.getByRole("checkbox", { name: `gpt-4o ${words.fields.ModelRatio.label}`, exact: true }).check();
    await consolePage.button(fillPlaceholders(price.list.apply, { count: 1 }), drawer).click();
    await save();
    expect((await jsonOf("ModelRatio"))["gpt-4o"]).toBe(ratios["gpt-4o"]);
    await consolePage.button(price.reset.action).click();
    await consolePage.button(price.reset.action, consolePage.dialog(price.reset.title)).click();
    await section("pricing")
      .getByRole("tab", { name: new RegExp(`${price.views.unset}\\s*3`) })
      .waitFor();
    expect((await jsonOf("ModelRatio"))["own-model-1"]).toBeUndefined();
    expect((await jsonOf("ModelPrice"))["lock-2"]).toBe(1);
  }, 120_000);

  test("by length of the prompt come with the release, and are found by their model", async () => {
    await openPricing();
    const { tiers } = words;
    const name = "qwen-plus-latest";
    const remove = (over: number) =>
      consolePage.button(fillPlaceholders(tiers.remove, { name, over }), section("pricing")).click();
    const steps = Object.values(await jsonOf("ContextTiers")).flat().length;
    await consolePage.button(fillPlaceholders(tiers.all, { count: steps }), section("pricing")).waitFor();
    const model = section("pricing").getByLabel(tiers.model);
    await model.fill(name);
    await model.press("Escape");
    await section("pricing").getByLabel(fillPlaceholders(tiers.over, { name })).nth(1).waitFor();
    await remove(256_000);
    await consolePage.button(tiers.add, section("pricing")).click();
    await save();
    expect((await jsonOf("ContextTiers"))[name]).toEqual([
      { over: 128_000, input: 3, output: 10 },
      { over: 256_000, input: 2, output: 1.5 },
    ]);
    await remove(128_000);
    await remove(256_000);
    await consolePage.button(fillPlaceholders(tiers.listed, { count: 2 }), section("pricing")).click();
    await save();
    expect((await jsonOf("ContextTiers"))[name]).toContainEqual({ over: 256_000, input: 6, output: 24 });
  }, 120_000);

  test("of service tiers are entered by model and tier, and what happens without a price", async () => {
    await openPricing();
    const { serviceTiers: tiers, factors } = words;
    const name = "lock-1";
    const panel = section("pricing");
    const model = panel.getByLabel(tiers.model);
    await model.fill(name);
    await model.press("Escape");
    await consolePage.button(tiers.add, panel).click();
    const line = `${name}, priority`;
    const input = panel.getByLabel(fillPlaceholders(factors.input, { name: line }), { exact: true });
    await input.fill("1.75");
    await panel.getByLabel(fillPlaceholders(factors.output, { name: line }), { exact: true }).fill("2");
    await panel.getByLabel(fillPlaceholders(factors.cached, { name: line }), { exact: true }).fill("1.5");
    await input.focus();
    // Each tier of a model is entered once.
    expect(await consolePage.button(tiers.add, panel).isDisabled()).toBe(true);
    await panel.getByLabel(tiers.tier, { exact: true }).fill("geo:us");
    await consolePage.button(tiers.add, panel).click();
    await consolePage.button(fillPlaceholders(tiers.remove, { name, tier: "geo:us" }), panel).click();
    await panel.getByLabel(words.fields.UnpricedServiceTier.label).click();
    await consolePage.page.getByRole("option", { name: words.choices.refuse }).click();
    await save();
    expect((await jsonOf("ServiceTiers"))[name]).toEqual({ priority: { input: 1.75, output: 2, cache_read: 1.5 } });
    const options: { key: string; value: string }[] = await root.get("/api/option/");
    expect(options.find(({ key }) => key === "UnpricedServiceTier")?.value).toBe("refuse");
  }, 120_000);

  test("of hours and weekdays are entered with their time zone", async () => {
    await openPricing();
    const { priceHours: hours, factors } = words;
    const name = "lock-1";
    const panel = section("pricing");
    const model = panel.getByLabel(hours.model);
    await model.fill(name);
    await model.press("Escape");
    await consolePage.button(hours.add, panel).click();
    const days = panel.getByRole("group", { name: fillPlaceholders(hours.days, { name }) }).getByRole("button");
    await days.nth(5).click();
    await days.nth(6).click();
    await panel.getByLabel(fillPlaceholders(hours.from, { name })).fill("22:30");
    await panel.getByLabel(fillPlaceholders(hours.until, { name })).fill("06:00");
    const zone = panel.getByLabel(fillPlaceholders(hours.zone, { name }));
    await zone.fill("Asia/Shanghai");
    await zone.press("Escape");
    const input = panel.getByLabel(fillPlaceholders(factors.input, { name: `${name}, 22:30–06:00` }), { exact: true });
    await input.fill("0.5");
    await zone.focus();
    await save();
    expect((await jsonOf("PriceHours"))[name]).toEqual([
      {
        ...{ days: ["mon", "tue", "wed", "thu", "fri"], from: "22:30", until: "06:00", zone: "Asia/Shanghai" },
        ...{ input: 0.5, output: 2 },
      },
    ]);
  }, 120_000);

  test("of groups, and which groups anybody may choose, are set in a form", async () => {
    await consolePage.open("/setting?tab=operation&field=groups");
    const groups = section("groups");
    await groups.getByLabel(words.groups.name).fill("friends");
    await groups.getByRole("button", { name: words.groups.add }).click();
    await groups.getByLabel(words.groups.name).fill("friends");
    await groups.getByRole("button", { name: words.groups.add }).click();
    await consolePage.waitForNotice(words.groups.taken);
    await groups.getByLabel(fillPlaceholders(words.groups.ratioOf, { name: "friends" })).fill("0.5");
    await groups.getByLabel(fillPlaceholders(words.groups.usableOf, { name: "friends" })).click();
    await groups.getByLabel(fillPlaceholders(words.groups.descriptionOf, { name: "friends" })).fill("lock keepers");
    await save();
    expect((await jsonOf("GroupRatio")).friends).toBe(0.5);
    expect((await jsonOf("UserUsableGroups")).friends).toBe("lock keepers");
    expect(await root.get("/api/group/")).toContain("friends");
  }, 120_000);

  test("of an imagined call are worked out with their sums", async () => {
    await consolePage.open("/setting?tab=operation&field=calculator");
    const panel = section("calculator");
    await panel.getByLabel(price.columns.name).fill("lock-2");
    await panel.getByLabel(words.calculator.counts.prompt_tokens).fill("many");
    await consolePage.button(words.calculator.action, panel).click();
    await consolePage.waitForNotice(words.calculator.incomplete);
    await panel.getByLabel(words.calculator.counts.prompt_tokens).fill("1000");
    await panel.getByRole("combobox", { name: words.calculator.group }).click();
    await consolePage.page.getByRole("option", { name: "friends" }).click();
    await consolePage.button(words.calculator.action, panel).click();
    // A call costs $1, and friends pay half of it.
    await panel.getByText("$0.500000").first().waitFor();
  }, 120_000);

  test("nothing complained", () => expect(consolePage.complaints).toEqual([]));
});

describe("prices in Chinese on a phone", () => {
  test("the table, the drawer and the batch are readable and clean", async () => {
    const chinese = WORDS.zh.settings.pricing;
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    await phone.open("/setting?tab=operation&field=pricing");
    await phone.button(chinese.add).click();
    await phone.dialog(chinese.add).getByLabel(chinese.form.inputPrice).waitFor();
    await phone.button(WORDS.zh.components.cancel, phone.dialog(chinese.add)).click();
    await phone.page.getByRole("tab", { name: new RegExp(chinese.views.unset) }).click();
    await phone.row("own-model-2").waitFor();
    await phone.expectAccessible();
    expect(phone.complaints).toEqual([]);
    await phone.close();
  }, 120_000);
});
