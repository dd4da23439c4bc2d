import { expect, test } from "bun:test";
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
