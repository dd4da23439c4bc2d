import { expect, test } from "bun:test";
import { matches, perCall, perMillion, usd } from "./price.ts";
import type { PricedModel } from "./pricing-query.ts";

const model: PricedModel = {
  model_name: "gpt-4o-mini",
  quota_type: 0,
  model_ratio: 1.25,
  model_price: 0.04,
  completion_ratio: 4,
  cache_ratio: 0.5,
  owner_by: "OpenAI",
  enable_groups: ["default"],
  is_priced: true,
};

test("prices follow ratio and group", () => {
  expect(perMillion(model, 0.5)).toEqual({ input: 1.25, output: 5, cached: 0.625 });
  expect(perCall(model, 2)).toBe(0.08);
});

test.each([
  [2.5, "$2.50"],
  [0.0375, "$0.0375"],
  [12, "$12"],
  [0.000_000_4, "$0.00"],
])("%p is written %p", (amount, text) => {
  expect(usd(amount)).toBe(text);
});

test.each([
  ["", true],
  ["mini gpt", true],
  ["gpt4", true],
  ["openai", true],
  ["claude", false],
])("the search %p finds it: %p", (search, found) => {
  expect(matches(model, search)).toBe(found);
});
