import { expect, test } from "bun:test";
import type { PricedModel } from "../../../api/models/pricing.ts";
import { estimateCost, estimateInputTokens } from "./estimate.ts";

/** $2 a million in, $8 out; beyond 100,000 tokens twice and one and a half times that. */
const MODEL: PricedModel = {
  ...{
    model_name: "m",
    quota_type: 0,
    model_ratio: 1,
    megapixel_price: null,
    model_price: 0,
    completion_ratio: 4,
    cache_ratio: 0.1,
  },
  ...{ image_ratio: null, image_completion_ratio: null, audio_ratio: null, audio_completion_ratio: null },
  ...{
    cache_creation_ratio: null,
    owner_by: "",
    enable_groups: [],
    group_ratios: {},
    unit: "token",
    variants: {},
    is_estimate: false,
  },
  ...{ is_priced: true, context_window: null, output_limit: 4096, input_modalities: null, output_modalities: null },
  ...{
    deprecation_date: null,
    successor: null,
    context_tiers: [{ over: 100_000, input: 2, output: 1.5 }],
    service_tiers: {},
  },
  price_hours: [],
};
const says = (text: string) => [{ role: "user" as const, content: text }];
const UNITS = 500_000;

test("counts text by its script, each message and each image", () => {
  expect(estimateInputTokens(says("a".repeat(400)))).toBe(104);
  expect(estimateInputTokens(says("你好世界"))).toBe(8);
  const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } };
  expect(estimateInputTokens([{ role: "user", content: [{ type: "text", text: "four" }, image] }])).toBe(1005);
  expect(estimateInputTokens([...says("four"), { role: "assistant", content: "four" }])).toBe(10);
});

test("costs the input, and at most the output up to the smaller limit, in the group", () => {
  const input = says("a".repeat(3984));
  expect(estimateCost(MODEL, input, 0, 1, UNITS)).toEqual({
    ...{ kind: "tokens", inputTokens: 1000, input: 1000, perThousand: 4000 },
    most: { outputTokens: 4096, quota: 1000 + 4096 * 4 },
  });
  expect(estimateCost(MODEL, input, 100, 0.5, UNITS)).toMatchObject({
    input: 500,
    most: { outputTokens: 100, quota: 700 },
  });
  expect(estimateCost(MODEL, input, 9_000, 1, UNITS)).toMatchObject({ most: { outputTokens: 4096 } });
  expect(estimateCost({ ...MODEL, output_limit: null }, input, 0, 1, UNITS)).toMatchObject({ most: null });
});

test("long prompts cost what their tier says, calls with a fixed price that, and what has no price by text nothing", () => {
  expect(estimateCost(MODEL, says("a".repeat(800_000)), 10, 1, UNITS)).toMatchObject({
    input: 400_008,
    perThousand: 6000,
  });
  const peak = {
    ...{ days: null, from: "00:00", until: "24:00", zone: "UTC" },
    ...{ input: 2, output: 3, cache_read: 2, is_active: true },
  };
  const atPeak = { ...MODEL, price_hours: [{ ...peak, is_active: false }, peak] };
  expect(estimateCost(atPeak, says("a".repeat(3984)), 10, 1, UNITS)).toMatchObject({
    input: 2000,
    perThousand: 12_000,
  });
  const fixed = { ...MODEL, unit: "call", quota_type: 1, model_price: 0.01 } as const;
  expect(estimateCost(fixed, says("x"), 10, 2, UNITS)).toEqual({ kind: "call", quota: 10_000 });
  expect(estimateCost({ ...MODEL, unit: "minute" }, says("x"), 10, 1, UNITS)).toBeNull();
  expect(estimateCost({ ...MODEL, is_priced: false }, says("x"), 10, 1, UNITS)).toBeNull();
});
