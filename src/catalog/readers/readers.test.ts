import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createPriceTable } from "../../billing/pricing/price-table.ts";
import { ratiosOf } from "../../billing/pricing/ratios/catalog-ratios.ts";
import { listPrices } from "../../domain/channels/prices/list-prices.ts";
import { createRoutingIndex } from "../../domain/channels/routing/routing-index.ts";
import { FieldError } from "../../lib/field-readers.ts";
import { createModelCatalog } from "../catalog.ts";
import { readCatalog, readFeed } from "./read-source.ts";

const fixture = (name: string): Promise<unknown> =>
  Bun.file(join(import.meta.dir, "../../../test/fixtures/catalog", `${name}.json`)).json();

const models = async (name: string) => {
  const { document, feed } = readCatalog(await fixture(name));
  return { feed, names: [...document.models.keys()], of: (model: string) => document.models.get(model) };
};

describe("models.dev", () => {
  test("is read with prices, tiers, limits, kinds of content and reasoning", async () => {
    const { feed, names, of } = await models("models-dev");
    expect(feed).toBe("models.dev");
    expect(names).toEqual(["gpt-4o", "lumen-1", "lumen-2-pro", "lumen-embed", "lumen-open"]);
    expect(of("lumen-1")).toEqual({
      name: "Lumen 1",
      context_window: 400_000,
      output_limit: 128_000,
      input_modalities: ["text", "image", "file"],
      output_modalities: ["text"],
      tools: true,
      structured_output: true,
      reasoning: { style: "effort", efforts: ["none", "low", "medium", "high"] },
      price: {
        input: 1.25,
        output: 10,
        cache_read: 0.125,
        cache_write: 1.5625,
        audio_input: 3,
        audio_output: 12,
        tiers: [{ over: 272_000, input: 2.5, output: 15 }],
        source: "models.dev",
      },
      source: "models.dev",
    });
  });

  test("has the price of long prompts in its older form too", async () => {
    const { of } = await models("models-dev");
    expect(of("lumen-2-pro")?.price?.tiers).toEqual([{ over: 200_000, input: 2.5, output: 15 }]);
    expect(of("lumen-2-pro")?.reasoning).toEqual({
      style: "budget",
      min_budget: 128,
      max_budget: 32_768,
      can_disable: true,
    });
    expect(of("lumen-open")).toMatchObject({ reasoning: { style: "switch" } });
  });

  test("counts a maker's facts over a host's, and no plan at a fixed price", async () => {
    const { of } = await models("models-dev");
    expect(of("lumen-1")?.price?.input).toBe(1.25);
    expect(of("gpt-5.6")).toBeUndefined();
    expect(of("lumen-open")?.price).toBeUndefined();
    expect(of("lumen-embed")).toMatchObject({ price: { input: 0.15, output: 0 } });
    expect(of("lumen-embed")?.output_limit).toBeUndefined();
  });
});

describe("OpenRouter", () => {
  test("is read with prices of a million tokens, limits, kinds of content and the last day", async () => {
    const { feed, names, of } = await models("openrouter");
    expect(feed).toBe("OpenRouter");
    expect(names).toEqual(["acme/lumen-1", "acme/lumen-0", "openrouter/auto", "acme/lumen-0:free"]);
    expect(of("acme/lumen-1")).toEqual({
      name: "Acme: Lumen 1",
      context_window: 400_000,
      output_limit: 128_000,
      input_modalities: ["text", "image", "file"],
      output_modalities: ["text"],
      tools: true,
      structured_output: true,
      price: {
        input: 1.25,
        output: 10,
        cache_read: 0.125,
        cache_write: 1.5625,
        audio_input: 3,
        source: "OpenRouter",
      },
      source: "OpenRouter",
    });
    expect(of("acme/lumen-0")).toMatchObject({
      tools: false,
      reasoning: { style: "none" },
      deprecation_date: "2026-05-15",
      deprecation_channel_types: [20],
      price: { input: 0.0833333333333, output: 0.5 },
    });
  });

  test("has no price where it varies, or where the model is free", async () => {
    const { of } = await models("openrouter");
    expect(of("openrouter/auto")?.price).toBeUndefined();
    expect(of("acme/lumen-0:free")?.price).toBeUndefined();
  });
});

describe("another Sluice", () => {
  const options = {
    ModelRatio: '{"lumen-1":0.625,"lumen-free":0}',
    CompletionRatio: '{"lumen-1":8}',
    CacheRatio: '{"lumen-1":0.1}',
    CacheCreationRatio: '{"lumen-1":1.25}',
    AudioRatio: '{"lumen-1":2}',
    AudioCompletionRatio: '{"lumen-1":4}',
    ContextTiers: '{"lumen-1":[{"over":272000,"input":2,"output":1.5}]}',
    ServiceTiers: '{"lumen-1":{"flex":{"input":0.5,"output":0.5}}}',
    PriceHours:
      '{"lumen-1":[{"days":["mon","tue"],"from":"09:00","until":"12:00","zone":"Asia/Shanghai","input":2,"output":2}]}',
    ModelPrice: '{"lumen-image":0.04}',
    ModelCatalog: '{"lumen-1":{"context_window":400000,"output_limit":128000,"deprecation_date":"2027-01-31"}}',
  };

  /** What such a gateway answers, as its own code writes it. */
  function published() {
    const settings = fixedSettings(options);
    const channels = createRoutingIndex();
    channels.add(channelEntry({ models: ["lumen-1", "lumen-image", "lumen-free", "lumen-unpriced"] }));
    const list = listPrices(
      { settings, channels, prices: createPriceTable(settings), catalog: createModelCatalog(settings) },
      "default",
    );
    return JSON.parse(JSON.stringify({ success: true, data: list.models, group_ratio: list.groupRatio }));
  }

  test("is read back to the price that it charges by", () => {
    const { document, feed } = readCatalog(published(), "https://other.example/api/pricing");
    expect(feed).toBe("Sluice");
    const entry = document.models.get("lumen-1");
    expect(entry).toMatchObject({ context_window: 400_000, output_limit: 128_000, deprecation_date: "2027-01-31" });
    const ratios = ratiosOf(entry?.price ?? {}, "USD");
    expect(ratios).toMatchObject({
      ModelRatio: 0.625,
      CompletionRatio: 8,
      CacheRatio: 0.1,
      CacheCreationRatio: 1.25,
      AudioRatio: 2,
      AudioCompletionRatio: 4,
      ContextTiers: [{ over: 272_000, input: 2, output: 1.5 }],
      ServiceTiers: { flex: { input: 0.5, output: 0.5 } },
      PriceHours: [{ days: ["mon", "tue"], from: "09:00", until: "12:00", zone: "Asia/Shanghai", input: 2, output: 2 }],
    });
    expect(document.models.get("lumen-image")?.price).toMatchObject({ per_call: 0.04 });
    expect(document.models.get("lumen-free")?.price).toBeUndefined();
    expect(document.models.get("lumen-unpriced")?.price).toBeUndefined();
    expect(document.sources.Sluice?.pages).toEqual(["https://other.example/api/pricing"]);
  });
});

describe("what is wrong", () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ["nothing", null],
    ["a text", "<html>"],
    ["a list", []],
    ["an empty object", {}],
    ["no models", { data: [] }],
    ["another API's list", { data: [{ id: "x", object: "model" }] }],
    ["providers without models", { openai: { models: {} } }],
  ];
  test.each(wrong)("%s is refused", (_, value) => {
    for (const feed of ["models.dev", "OpenRouter", "Sluice"] as const)
      expect(() => readFeed(feed, value, "https://x.example")).toThrow(FieldError);
  });

  test("members of another kind are left out, and the rest is read", () => {
    const { document } = readCatalog({
      openai: {
        models: {
          good: { name: 5, limit: { context: "many", output: 9 }, cost: { input: -1, output: 2 }, tool_call: "yes" },
          bad: "text",
          " spaced ": { limit: { output: 1 } },
          long: { limit: { output: 8 }, cost: { input: 1, output: 2, tiers: "x", cache_read: null } },
        },
      },
    });
    expect([...document.models]).toEqual([
      ["good", { output_limit: 9, source: "models.dev" }],
      ["long", { output_limit: 8, price: { input: 1, output: 2, source: "models.dev" }, source: "models.dev" }],
    ]);
  });

  test("a feed of another kind than the one that was asked is refused", async () => {
    const openRouter = await fixture("openrouter");
    expect(() => readFeed("models.dev", openRouter, "")).toThrow(FieldError);
  });
});
