import { describe, expect, test } from "bun:test";
import type { CatalogPrice } from "../../../catalog/entry.ts";
import { priceOf, ratiosOf } from "./catalog-ratios.ts";

test("prices of a million tokens become ratios", () => {
  const price = {
    input: 3,
    output: 15,
    cache_read: 0.3,
    cache_write: 3.75,
    audio_input: 6,
    audio_output: 12,
    image_input: 9,
    image_output: 27,
    tiers: [{ over: 200_000, input: 6, output: 22.5 }],
  };
  const ratios = ratiosOf(price, "USD");
  expect(ratios).toEqual({
    ModelRatio: 1.5,
    CompletionRatio: 5,
    CacheRatio: 0.1,
    CacheCreationRatio: 1.25,
    AudioRatio: 2,
    AudioCompletionRatio: 2,
    ImageRatio: 3,
    ImageCompletionRatio: 3,
    ContextTiers: [{ over: 200_000, input: 2, output: 1.5 }],
    ModelPrice: undefined,
    VideoPrice: undefined,
  });
  expect(priceOf(ratios, null)).toEqual(price);
});

test("a step that names no price keeps that of short prompts", () => {
  expect(ratiosOf({ input: 2, output: 4, tiers: [{ over: 9, input: 4 }] }, "USD").ContextTiers).toEqual([
    { over: 9, input: 2, output: 1 },
  ]);
  expect(ratiosOf({ input: 2, output: 4, tiers: [{ output: 8 }] }, "USD").ContextTiers).toEqual([
    { over: 0, input: 1, output: 2 },
  ]);
});

test("output images cost more than images in the prompt, or than text where they have no price", () => {
  const ratios = ratiosOf({ input: 2, image_output: 10 }, "USD");
  expect(ratios.ImageCompletionRatio).toBe(5);
  expect(priceOf(ratios, null)).toEqual({ input: 2, image_output: 10 });
});

test("yuan are turned into dollars", () => {
  expect(ratiosOf({ per_call: 7.3 }, "CNY").ModelPrice).toBe(1);
  expect(ratiosOf({ per_call: 7.3 }, "USD").ModelPrice).toBe(7.3);
  expect(ratiosOf({ input: 14.6, output: 29.2 }, "CNY")).toMatchObject({ ModelRatio: 1, CompletionRatio: 2 });
  expect(ratiosOf({ per_second: 7.3, variants: { "mode=pro": 14.6 } }, "CNY").VideoPrice).toEqual({ "mode=pro": 2 });
});

test("parts of a model without a price for its input have none", () => {
  expect(ratiosOf({ output: 4 }, "USD").CompletionRatio).toBeUndefined();
  expect(ratiosOf({ input: 0, output: 4 }, "USD")).toMatchObject({ ModelRatio: 0, CompletionRatio: undefined });
});

test("a fixed price is that of a call, or of a second of video", () => {
  expect(priceOf({ ModelPrice: 0.5 }, null)).toEqual({ per_call: 0.5 });
  expect(priceOf({ ModelPrice: 0.5 }, "second")).toEqual({ per_second: 0.5 });
  const VideoPrice = { "mode=pro": 2 };
  expect(priceOf({ ModelPrice: 0.5, VideoPrice }, null)).toEqual({ per_second: 0.5, variants: VideoPrice });
  expect(priceOf({ ModelPrice: 0.5, VideoPrice }, "call")).toEqual({ per_call: 0.5, variants: VideoPrice });
  const byMegapixel = { per_call: 7.3, per_megapixel: 1.46 };
  expect(ratiosOf(byMegapixel, "CNY")).toMatchObject({ ModelPrice: 1, MegapixelPrice: 0.2 });
  expect(priceOf(ratiosOf(byMegapixel, "USD"), null)).toEqual(byMegapixel);
  expect(priceOf({ ModelPrice: 0.5, ModelRatio: 3 }, null)).toEqual({ per_call: 0.5 });
  expect(priceOf({}, null)).toEqual({});
});

describe("tiers and hours", () => {
  const hours = { days: ["mon", "fri"] as const, from: "09:00", until: "12:00", zone: "UTC" };

  test.each<[string, CatalogPrice, number, number, number | undefined]>([
    ["stated apart", { input: 4, output: 8, cache_read: 1 }, 0.5, 2, 4],
    ["of a model without cached input of its own, by its input", { input: 4, output: 8 }, 0.5, 2, 1],
    ["of a fixed price, by that", { per_call: 2 }, 1, 8, 2],
    ["of a price of a second before that of a call", { per_second: 4, per_call: 1 }, 0.5, 4, 1],
  ])("are factors %s", (_, price, input, output, cached) => {
    const amounts = { input: 2, output: 16, cache_read: 4 };
    const ratios = ratiosOf({ ...price, service_tiers: { batch: amounts }, hours: [{ ...hours, ...amounts }] }, "USD");
    const factors = { input, output, ...(cached !== input && { cache_read: cached }) };
    expect(ratios.ServiceTiers).toEqual({ batch: factors });
    expect(ratios.PriceHours).toEqual([{ ...hours, days: ["mon", "fri"], ...factors }]);
  });

  test("that name only some amounts leave the others as they are; cached input follows input", () => {
    const tiersOf = (tier: Readonly<Record<string, number>>, price: CatalogPrice = { input: 4, output: 8 }) =>
      ratiosOf({ ...price, service_tiers: { batch: tier } }, "USD").ServiceTiers?.batch;
    expect(tiersOf({ input: 2 })).toEqual({ input: 0.5, output: 1 });
    expect(tiersOf({ output: 2 })).toEqual({ input: 1, output: 0.25 });
    expect(tiersOf({ cache_read: 2 }, { input: 4, output: 8, cache_read: 1 })).toEqual({
      ...{ input: 1, output: 1, cache_read: 2 },
    });
    expect(tiersOf({ input: 2, cache_read: 0.5 }, { input: 4, output: 8, cache_read: 1 })).toEqual({
      ...{ input: 0.5, output: 1 },
    });
    expect(tiersOf({ output: 2 }, { input: 4 })).toEqual({ input: 1, output: 0.5 });
    expect(tiersOf({ input: 3 }, { input: 0, output: 8 })).toEqual({ input: 1, output: 1 });
  });

  test.each<[string, CatalogPrice]>([
    ["tokens", { input: 4, output: 8, cache_read: 1 }],
    ["tokens without cached input", { input: 4, output: 8 }],
    ["tokens without output", { input: 4 }],
  ])("of %s become amounts again", (_, price) => {
    const amounts = { input: 2, output: 16, cache_read: 4 };
    const special = { ...price, service_tiers: { batch: amounts }, hours: [{ ...hours, ...amounts }] };
    expect(priceOf(ratiosOf(special, "USD"), null)).toEqual({
      ...price,
      ...{ service_tiers: { batch: amounts }, hours: [{ ...hours, days: ["mon", "fri"], ...amounts }] },
    });
  });

  test("of a fixed price become amounts again, as of a call or a second", () => {
    const amounts = { input: 1, output: 4 };
    const ratios = ratiosOf({ per_call: 2, service_tiers: { batch: amounts } }, "USD");
    expect(priceOf(ratios, "call")).toEqual({ per_call: 2, service_tiers: { batch: amounts } });
    expect(priceOf(ratios, "second")).toEqual({ per_second: 2, service_tiers: { batch: amounts } });
  });

  test("of every day name no days", () => {
    const { days, ...always } = hours;
    const ratios = ratiosOf({ input: 4, output: 8, hours: [{ ...always, input: 8 }] }, "USD");
    expect(ratios.PriceHours).toEqual([{ ...always, input: 2, output: 1 }]);
    expect(priceOf(ratios, null).hours).toEqual([{ ...always, input: 8, output: 8 }]);
  });
});

test("a step of a model without a price for its output has none for it either", () => {
  const ContextTiers = [{ over: 9, input: 2, output: 3 }];
  expect(priceOf({ ModelRatio: 1, ContextTiers }, null)).toEqual({
    input: 2,
    tiers: [{ over: 9, input: 4, output: 0 }],
  });
});

test("the price of a second comes before that of a call", () => {
  expect(ratiosOf({ per_second: 2, per_call: 1 }, "USD").ModelPrice).toBe(2);
});
