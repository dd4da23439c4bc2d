/** The price list of 2,000 models in a real browser: found, narrowed, seen from another group, copied, explained. */
import { describe, expect } from "bun:test";
import type { PriceChangeView } from "../../../src/domain/channels/prices/list-price-changes.ts";
import { findSeriousViolations } from "../../support/e2e/axe/find-violations.ts";
import { measureHorizontalOverflow, openPage, openPath, WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  PAGE_TIMEOUT_MS,
  startBrowserFixture,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, setOption } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const MANY = Array.from({ length: 2000 }, (_, at) => `model-${String(at).padStart(4, "0")}`);
/** Billed by the second, image, minute and a million characters. */
const BY_UNIT = ["sora-2", "dall-e-3", "whisper-1", "tts-1"] as const;
const FAMOUS = ["claude-sonnet-4-5", "gemini-2.5-pro", "text-embedding-3-small", ...BY_UNIT];
const VIP_ONLY = "gpt-of-the-few";

const { browser, fixture } = await startBrowserFixture(["gpt-4o"], { engine: CHEAPEST_ENGINE });
const { root, upstream } = fixture;
await createChannel(root, upstream.url, [...MANY, ...FAMOUS], { group: "default,vip" });
await createChannel(root, upstream.url, [VIP_ONLY], { group: "vip" });
const ratios = Object.fromEntries(["gpt-4o", VIP_ONLY, ...MANY, ...FAMOUS].map((model) => [model, 1]));
await setOption(root, "ModelRatio", { ...ratios, "dall-e-3": 16, "whisper-1": 3, "tts-1": 7.5 });
await setOption(root, "ModelPrice", { "sora-2": 0.1 });
await setOption(root, "CompletionRatio", { "model-1987": 3 });
await setOption(root, "GroupRatio", { default: 1, vip: 0.5 });
await setOption(root, "UserUsableGroups", { default: "Everybody", vip: "Friends" });
const { page, complaints } = await openPage(browser, VIEWPORTS.en);
page.setDefaultTimeout(PAGE_TIMEOUT_MS);
await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);

const words = WORDS.en.pricing;
const open = (search = "") => openPath(page, fixture.gateway.url, `/pricing${search}`);
const row = (name: string) => page.locator("[data-row]").filter({ hasText: name });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const copied = () => page.evaluate(() => navigator.clipboard.readText());
const clean = async () => {
  expect(await findSeriousViolations(page)).toEqual([]);
  expect(await measureHorizontalOverflow(page)).toBe(0);
};
const choose = async (filter: string, option: string) => {
  await button(filter).click();
  await page.getByRole("menuitem", { name: option, exact: true }).click();
};

describe("the price list", () => {
  test("finds one of 2,000 models by a few letters, which the address keeps", async () => {
    await open();
    await page.getByText(words.visitor.replace("{{group}}", "default").replace("{{ratio}}", "1")).waitFor();
    await page.getByText(words.formula).waitFor();
    await page
      .getByText(/of 2,009 models/)
      .or(page.getByText(/of 2,008 models/))
      .waitFor();
    await clean();
    await page.getByRole("searchbox", { name: words.search }).fill("mdl1987");
    await row("model-1987").waitFor();
    await until(
      () => page.locator("[data-row]").count(),
      (count) => count === 1,
    );
    const found = row("model-1987");
    for (const price of ["$2.00", "$6.00"]) await found.getByText(new RegExp(`\\${price}$`)).waitFor();
    expect(new URL(page.url()).searchParams.get("search")).toBe("mdl1987");
    await page.reload();
    await row("model-1987").waitFor();
    expect(await page.locator("[data-row]").count()).toBe(1);
    await page.getByRole("searchbox", { name: words.search }).fill("no such model");
    await page.getByText(words.empty.filteredTitle).waitFor();
    await clean();
  }, 120_000);

  test("shows the prices of another group, and what that group may not use", async () => {
    await open(`?search=gpt-of`);
    await row(VIP_ONLY).getByRole("img", { name: words.unavailable }).waitFor();
    await row(VIP_ONLY)
      .getByText(fillPlaceholders(words.input, { price: "$2.00" }))
      .waitFor();
    await row(VIP_ONLY)
      .getByRole("button", { name: fillPlaceholders(words.lookAt, { group: "vip" }) })
      .click();
    await page.getByText(fillPlaceholders(words.lookingAt, { group: "vip", ratio: 0.5 }), { exact: true }).waitFor();
    await row(VIP_ONLY)
      .getByText(fillPlaceholders(words.input, { price: "$1.00" }))
      .waitFor();
    await row(VIP_ONLY).getByRole("img", { name: words.available }).waitFor();
    await page.getByText(fillPlaceholders(words.visitor, { group: "vip", ratio: 0.5 })).waitFor();
    expect(new URL(page.url()).searchParams.get("group")).toBe("vip");
    await clean();
  }, 120_000);

  test("says what each price is for, and how prices come about", async () => {
    await open("?group=default");
    for (const [model, unit, price] of [
      ["sora-2", words.units.second, fillPlaceholders(words.each.second, { price: "$0.10" })],
      ["dall-e-3", words.units.image, fillPlaceholders(words.each.image, { price: "$0.04" })],
      ["whisper-1", words.units.minute, fillPlaceholders(words.each.minute, { price: "$0.006" })],
      ["tts-1", words.units.character, fillPlaceholders(words.each.character, { price: "$15.00" })],
      ["claude-sonnet-4-5", words.units.token, fillPlaceholders(words.input, { price: "$2.00" })],
    ] as const) {
      await page.getByRole("searchbox", { name: words.search }).fill(model);
      await row(model).getByText(unit, { exact: true }).waitFor();
      await row(model).getByText(price, { exact: true }).waitFor();
    }
    await button(words.explain.open).click();
    const explained = page.getByRole("dialog", { name: words.explain.title });
    for (const text of [words.explain.model, words.explain.completion, words.explain.group])
      await explained.getByText(text).waitFor();
    await clean();
    await button(words.explain.close).click();
    await button(words.changes.title).click();
    await page.getByRole("dialog").getByText(words.changes.purpose).waitFor();
    await clean();
  }, 120_000);

  test("says which parts of a price changed", async () => {
    const tokens = { modelRatio: "1", completionRatio: "3", cacheRatio: "1" };
    const common = { changed_at: 1_780_000_000, is_base_same: true };
    const items: PriceChangeView[] = [
      {
        ...{ ...common, id: 1, model_name: "model-1987", unit: "token", before: tokens, after: tokens },
        parts: [
          { part: "cached", of: "", before: { usd: 2 }, after: { usd: 1 } },
          { part: "tier", of: "200000", before: null, after: { usd: 4, output: 9 } },
        ],
      },
      {
        ...{ ...common, id: 2, model_name: "sora-2", unit: "second" },
        ...{ before: { usdPerCall: "0.1" }, after: { usdPerCall: "0.1" } },
        parts: [{ part: "variant", of: "size=1024x1792", before: { usd: 0.3 }, after: { usd: 0.5 } }],
      },
      {
        ...{ ...common, id: 3, model_name: "web_search", unit: null, is_base_same: false, parts: [] },
        ...{ before: { usdPerUse: "0.01" }, after: { usdPerUse: "0.02" } },
      },
    ];
    // The gateway looks for changes once a minute.
    await page.route("**/api/pricing/changes*", (route) =>
      route.fulfill({ json: { success: true, message: "", data: { items, total: 3, page: 1, page_size: 50 } } }),
    );
    await open();
    await button(words.changes.title).click();
    const changes = page.getByRole("dialog").getByRole("listitem");
    const { parts, noPrice, perMillion, perUse } = words.changes;
    const tiered = fillPlaceholders(perMillion, { input: "$4.00", output: "$9.00" });
    const perSecond = fillPlaceholders(words.each.second, { price: "$0.10" });
    for (const [model, texts] of [
      ["model-1987", [parts.cached, "$2.00", "$1.00", fillPlaceholders(parts.tier, { of: "200K" }), noPrice, tiered]],
      ["sora-2", [perSecond, fillPlaceholders(parts.variant, { of: "size=1024x1792" }), "$0.30", "$0.50"]],
      ["web_search", ["$0.01", "$0.02"].map((price) => fillPlaceholders(perUse, { price }))],
    ] as const) {
      const change = changes.filter({ hasText: model });
      for (const text of texts) await change.getByText(text, { exact: true }).waitFor();
    }
    await clean();
    await page.unroute("**/api/pricing/changes*");
  }, 120_000);

  test("is narrowed by provider, capability and availability", async () => {
    await open();
    const oneIsLeft = () => page.waitForFunction(() => document.querySelectorAll("[data-row]").length === 1);
    await row("claude-sonnet-4-5").waitFor();
    await choose(words.filters.maker, "Google");
    await row("gemini-2.5-pro").waitFor();
    await oneIsLeft();
    await button(WORDS.en.components.filter.clear).click();
    await choose(words.filters.capability, words.capabilities.embedding);
    await row("text-embedding-3-small").waitFor();
    await oneIsLeft();
    await button(WORDS.en.components.filter.clear).click();
    await page.getByRole("searchbox", { name: words.search }).fill("gpt-of");
    await row(VIP_ONLY).waitFor();
    await choose(words.filters.available, words.available);
    await row(VIP_ONLY).waitFor({ state: "detached" });
    await page.getByText(words.empty.filteredTitle).waitFor();
  }, 120_000);

  test("gives away names, one or those that are ticked", async () => {
    await open("?search=model-000");
    await button(fillPlaceholders(words.copyOne, { name: "model-0003" })).click();
    expect(await until(copied, (text) => text.startsWith("model"))).toBe("model-0003");
    for (const name of ["model-0001", "model-0002"])
      await page
        .getByRole("checkbox", { name: fillPlaceholders(WORDS.en.components.table.selectRow, { name }) })
        .check();
    await button(fillPlaceholders(words.copySelected_other, { count: 2 })).click();
    await page.getByText(fillPlaceholders(words.copied_other, { count: 2 })).waitFor();
    expect(await until(copied, (text) => text.includes(","))).toBe("model-0001,model-0002");
    await clean();
    expect(complaints).toEqual([]);
  }, 120_000);
});

test("whoever is signed in sees the prices of their group; in Chinese on a phone as well", async () => {
  const zh = WORDS.zh.pricing;
  const phone = await openConsolePage(browser, fixture.gateway, VIEWPORTS.zh);
  await phone.open("/pricing?search=sora");
  await phone.page.getByText(fillPlaceholders(zh.yourGroup, { group: "default", ratio: 1 })).waitFor();
  await phone
    .row("sora-2")
    .getByText(fillPlaceholders(zh.each.second, { price: "$0.10" }))
    .first()
    .waitFor();
  await phone.expectAccessible();
  await phone.button(zh.explain.open).click();
  await phone.page.getByText(zh.explain.model).waitFor();
  await phone.expectAccessible();
  expect(phone.complaints).toEqual([]);
  await phone.close();
}, 120_000);
