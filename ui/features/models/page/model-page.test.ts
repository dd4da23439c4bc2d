import { expect, test } from "bun:test";
import type { PricedModel } from "../../../api/models/pricing.ts";
import { modelPath, workloadCost } from "./model-page.ts";

const MODEL: PricedModel = {
  model_name: "m",
  quota_type: 0,
  model_ratio: 1,
  megapixel_price: null,
  model_price: 0,
  completion_ratio: 4,
  cache_ratio: 0.1,
  image_ratio: null,
  image_completion_ratio: null,
  audio_ratio: null,
  audio_completion_ratio: null,
  cache_creation_ratio: null,
  owner_by: "",
  enable_groups: [],
  group_ratios: {},
  unit: "token",
  variants: {},
  is_estimate: false,
  is_priced: true,
  context_window: null,
  output_limit: null,
  input_modalities: null,
  output_modalities: null,
  deprecation_date: null,
  successor: null,
  context_tiers: [{ over: 100_000, input: 2, output: 1.5 }],
  service_tiers: {},
  price_hours: [],
};
const WORK = { requests: 1000, inputTokens: 1000, outputTokens: 100, cachedPercent: 50 };

test("a workload costs its tokens, cached ones less", () => {
  // $2 in, $8 out a million: 1000 × (500 × 2 + 500 × 0.2 + 100 × 8) / 1M.
  expect(workloadCost(MODEL, WORK, 1, 500_000)).toBeCloseTo(1.9);
  expect(workloadCost(MODEL, WORK, 0.5, 500_000)).toBeCloseTo(0.95);
});

test("long prompts cost what their tier says", () => {
  const long = { ...WORK, inputTokens: 200_000, cachedPercent: 0 };
  expect(workloadCost(MODEL, long, 1, 500_000)).toBeCloseTo((1000 * (200_000 * 2 * 2 + 100 * 8 * 1.5)) / 1e6);
});

test("a call costs its fixed price", () =>
  expect(workloadCost({ ...MODEL, unit: "call", quota_type: 1, model_price: 0.02 }, WORK, 1, 500_000)).toBeCloseTo(20));

test("a name with a slash stays readable in the address", () =>
  expect(modelPath("openai/gpt 4?")).toBe("/model/openai/gpt%204%3F"));
