/** A super administrator reads and changes the model catalog in a real browser, and updates it from a file. */
import { describe, expect } from "bun:test";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startBrowserFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { until } from "../../support/lib/until.ts";

const words = WORDS.en.catalog;
const { browser, fixture } = await startBrowserFixture(["gpt-4o", "my-own-model"]);
const { root, gateway, upstream } = fixture;
await createChannel(root, upstream.url, ["my-own-model"], { name: "spare" });
const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);

type Entry = { model: string; own: object | null; price: object | null; facts: Record<string, unknown> };
const entryOf = async (model: string): Promise<Entry | undefined> =>
  (await root.get("/api/catalog/")).entries.find((entry: Entry) => entry.model === model);

describe("the model catalog", () => {
  test("is searched and filtered", async () => {
    await consolePage.open("/catalog");
    await consolePage.page.getByRole("searchbox", { name: words.filters.search }).fill("claude-opus-4-8");
    await consolePage.page.waitForURL("**search=claude-opus-4-8**");
    const row = consolePage.row("claude-opus-4-8").first();
    await row.getByText("128K", { exact: true }).waitFor();
    await row.getByText("1M", { exact: true }).waitFor();
    await consolePage.expectAccessible();
    await consolePage.open("/catalog?state=served");
    await consolePage.row("my-own-model").waitFor();
    await until(async () => (await consolePage.page.locator("[data-row]").count()) === 2);
    await consolePage.open("/catalog?search=nothing-like-it");
    await consolePage.page.getByText(words.empty.filteredTitle).waitFor();
  }, 120_000);

  test("takes facts and a price of one's own, and gives the facts back", async () => {
    await consolePage.open("/catalog?state=served");
    await consolePage.row("my-own-model").click();
    const drawer = consolePage.dialog("my-own-model");
    await drawer.getByLabel(words.form.context).fill("lots");
    await consolePage.button(words.form.save, drawer).click();
    await drawer.getByText(words.form.errors.integer).waitFor();
    await drawer.getByLabel(words.form.context).fill("64000");
    await drawer.getByLabel(words.form.output).fill("4000");
    await drawer.getByRole("group", { name: words.form.inputs, exact: true }).getByText(words.kinds.image).click();
    await drawer.getByRole("combobox", { name: words.form.priceChange, exact: true }).click();
    await consolePage.page.getByRole("option", { name: words.form.priceTokens }).click();
    await drawer.getByLabel(words.form.priceInput, { exact: true }).fill("3");
    await drawer.getByLabel(words.form.priceOutput, { exact: true }).fill("9");
    await consolePage.expectAccessible();
    await consolePage.button(words.form.save, drawer).click();
    await consolePage.waitForNotice(fillPlaceholders(words.saved, { model: "my-own-model" }));
    await consolePage.row("my-own-model").getByText("64K", { exact: true }).waitFor();
    expect(await entryOf("my-own-model")).toMatchObject({
      own: { context_window: 64_000, output_limit: 4000, input_modalities: ["image"] },
      price: { input: 3, output: 9 },
    });
    await consolePage.row("my-own-model").click();
    await consolePage.button(words.reset.action, consolePage.dialog("my-own-model")).click();
    await consolePage
      .button(words.reset.action, consolePage.dialog(fillPlaceholders(words.reset.title, { model: "my-own-model" })))
      .click();
    await consolePage.waitForNotice(fillPlaceholders(words.reset.done, { model: "my-own-model" }));
    expect(await entryOf("my-own-model")).toMatchObject({ own: null, price: { input: 3, output: 9 } });
  }, 120_000);

  test("takes new entries, patterns too", async () => {
    await consolePage.open("/catalog");
    await consolePage.button(words.add).click();
    const drawer = consolePage.dialog(words.form.createTitle);
    await drawer.getByLabel(words.columns.model, { exact: true }).fill("acme-*");
    await drawer.getByLabel(words.columns.provider, { exact: true }).fill("Acme");
    await consolePage.button(words.form.save, drawer).click();
    await consolePage.waitForNotice(fillPlaceholders(words.saved, { model: "acme-*" }));
    expect(await entryOf("acme-*")).toMatchObject({ own: { provider: "Acme" } });
  }, 120_000);

  test("is updated from a file, after a look at what changes; a bad file changes nothing", async () => {
    await consolePage.open("/catalog");
    const file = consolePage.page.locator('input[type="file"]');
    const upload = (text: string) =>
      file.setInputFiles({ name: "models.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await consolePage.page.getByRole("button", { name: words.update.import }).waitFor();
    await upload('{"format": 1, "models": {"gpt-4o": {"output_limit": "many"}}}');
    const refused = consolePage.dialog(words.update.title);
    await refused.getByText(/models\.gpt-4o\.output_limit/).waitFor();
    await consolePage.page.keyboard.press("Escape");
    await refused.waitFor({ state: "detached" });
    await upload('{"format": 1, "models": {"gpt-4o": {"output_limit": 20000, "price": {"input": 2, "output": 8}}}}');
    const drawer = consolePage.dialog(words.update.title);
    await drawer.getByText("16,384").waitFor();
    await consolePage.expectAccessible();
    expect((await entryOf("gpt-4o"))?.facts.output_limit).toBe(16_384);
    await consolePage.button(fillPlaceholders(words.update.apply_one, { count: 1 }), drawer).click();
    await consolePage.waitForNotice(fillPlaceholders(words.update.done_one, { count: 1 }));
    expect(await entryOf("gpt-4o")).toMatchObject({ facts: { output_limit: 20_000 }, price: { input: 2, output: 8 } });
    await consolePage.page.getByText(words.update.fromFile).waitFor();
    await consolePage.button(words.update.remove).click();
    await consolePage.button(words.update.remove, consolePage.dialog(words.update.removeTitle)).click();
    await consolePage.waitForNotice(words.update.removed);
    expect((await entryOf("gpt-4o"))?.facts.output_limit).toBe(16_384);
  }, 120_000);

  test("says in Chinese, on a phone, in the dark, what it knows; the price page too", async () => {
    const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh);
    await phone.open("/catalog?search=claude-opus-4-8");
    await phone.page.getByText("claude-opus-4-8", { exact: true }).first().waitFor();
    await phone.expectAccessible();
    await phone.open("/pricing");
    await phone.page
      .getByText(fillPlaceholders(WORDS.zh.pricing.context, { tokens: "128K" }))
      .first()
      .waitFor();
    await phone.expectAccessible();
    await phone.close();
  }, 120_000);
});
