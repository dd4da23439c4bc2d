/** A super administrator reads and changes the model catalog in a real browser, and updates it from a file. */
import { describe, expect, test } from "bun:test";
import { until } from "../support/lib/until.ts";
import { WORDS } from "./browser.ts";
import { createChannel } from "./console-client.ts";
import { filled, openDesk, openStage, WAYS } from "./desk.ts";

const words = WORDS.en.catalog;
const { browser, stage } = await openStage(["gpt-4o", "my-own-model"]);
const { root, gateway, upstream } = stage;
await createChannel(root, upstream.url, ["my-own-model"], { name: "spare" });
const desk = await openDesk(browser, gateway, WAYS.en);

type Entry = { model: string; own: object | null; price: object | null; facts: Record<string, unknown> };
const entryOf = async (model: string): Promise<Entry | undefined> =>
  (await root.get("/api/catalog/")).entries.find((entry: Entry) => entry.model === model);

describe("the model catalog", () => {
  test("is searched and filtered", async () => {
    await desk.open("/catalog");
    await desk.page.getByRole("searchbox", { name: words.filters.search }).fill("claude-opus-4-8");
    await desk.page.waitForURL("**search=claude-opus-4-8**");
    const row = desk.row("claude-opus-4-8").first();
    await row.getByText("128K", { exact: true }).waitFor();
    await row.getByText("1M", { exact: true }).waitFor();
    await desk.clean();
    await desk.open("/catalog?state=served");
    await desk.row("my-own-model").waitFor();
    await until(async () => (await desk.page.locator("[data-row]").count()) === 2);
    await desk.open("/catalog?search=nothing-like-it");
    await desk.page.getByText(words.empty.filteredTitle).waitFor();
  }, 120_000);

  test("takes facts and a price of one's own, and gives the facts back", async () => {
    await desk.open("/catalog?state=served");
    await desk.row("my-own-model").click();
    const drawer = desk.dialog("my-own-model");
    await drawer.getByLabel(words.form.context).fill("lots");
    await desk.button(words.form.save, drawer).click();
    await drawer.getByText(words.form.errors.whole).waitFor();
    await drawer.getByLabel(words.form.context).fill("64000");
    await drawer.getByLabel(words.form.output).fill("4000");
    await drawer.getByRole("group", { name: words.form.inputs, exact: true }).getByText(words.kinds.image).click();
    await drawer.getByRole("combobox", { name: words.form.priceChange, exact: true }).click();
    await desk.page.getByRole("option", { name: words.form.priceTokens }).click();
    await drawer.getByLabel(words.form.priceInput, { exact: true }).fill("3");
    await drawer.getByLabel(words.form.priceOutput, { exact: true }).fill("9");
    await desk.clean();
    await desk.button(words.form.save, drawer).click();
    await desk.told(filled(words.saved, { model: "my-own-model" }));
    await desk.row("my-own-model").getByText("64K", { exact: true }).waitFor();
    expect(await entryOf("my-own-model")).toMatchObject({
      own: { context_window: 64_000, output_limit: 4000, input_modalities: ["image"] },
      price: { input: 3, output: 9 },
    });
    await desk.row("my-own-model").click();
    await desk.button(words.reset.action, desk.dialog("my-own-model")).click();
    await desk.button(words.reset.action, desk.dialog(filled(words.reset.title, { model: "my-own-model" }))).click();
    await desk.told(filled(words.reset.done, { model: "my-own-model" }));
    expect(await entryOf("my-own-model")).toMatchObject({ own: null, price: { input: 3, output: 9 } });
  }, 120_000);

  test("takes new entries, patterns too", async () => {
    await desk.open("/catalog");
    await desk.button(words.add).click();
    const drawer = desk.dialog(words.form.createTitle);
    await drawer.getByLabel(words.columns.model, { exact: true }).fill("acme-*");
    await drawer.getByLabel(words.columns.provider, { exact: true }).fill("Acme");
    await desk.button(words.form.save, drawer).click();
    await desk.told(filled(words.saved, { model: "acme-*" }));
    expect(await entryOf("acme-*")).toMatchObject({ own: { provider: "Acme" } });
  }, 120_000);

  test("is updated from a file, after a look at what changes; a bad file changes nothing", async () => {
    await desk.open("/catalog");
    const file = desk.page.locator('input[type="file"]');
    const upload = (text: string) =>
      file.setInputFiles({ name: "models.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await desk.page.getByRole("button", { name: words.update.import }).waitFor();
    await upload('{"format": 1, "models": {"gpt-4o": {"output_limit": "many"}}}');
    await desk.told(/models\.gpt-4o\.output_limit/);
    await upload('{"format": 1, "models": {"gpt-4o": {"output_limit": 20000, "price": {"input": 2, "output": 8}}}}');
    const drawer = desk.dialog(words.update.title);
    await drawer.getByText("16384").waitFor();
    await desk.clean();
    expect((await entryOf("gpt-4o"))?.facts.output_limit).toBe(16_384);
    await desk.button(words.update.apply, drawer).click();
    await desk.told(filled(words.update.done_one, { count: 1 }));
    expect(await entryOf("gpt-4o")).toMatchObject({ facts: { output_limit: 20_000 }, price: { input: 2, output: 8 } });
    await desk.page.getByText(words.update.fromFile).waitFor();
    await desk.button(words.update.remove).click();
    await desk.button(words.update.remove, desk.dialog(words.update.removeTitle)).click();
    await desk.told(words.update.removed);
    expect((await entryOf("gpt-4o"))?.facts.output_limit).toBe(16_384);
  }, 120_000);

  test("says in Chinese, on a phone, in the dark, what it knows; the price page too", async () => {
    const phone = await openDesk(browser, gateway, WAYS.zh);
    await phone.open("/catalog?search=claude-opus-4-8");
    await phone.page.getByText("claude-opus-4-8", { exact: true }).first().waitFor();
    await phone.clean();
    await phone.open("/pricing");
    await phone.page
      .getByText(filled(WORDS.zh.pricing.context, { tokens: "128K" }))
      .first()
      .waitFor();
    await phone.clean();
    await phone.close();
  }, 120_000);
});
