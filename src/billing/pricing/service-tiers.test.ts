import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import { decimal } from "../../lib/values/decimal.ts";
import type { OptionKey } from "../../settings/registry/index.ts";
import { charge, estimate } from "./charge.ts";
import { createPriceTable } from "./price-table.ts";
import { resolvePrice } from "./resolve-price.ts";
import { inTiers, tierNames } from "./service-tiers.ts";

const UNIT = decimal(500_000);

function priceOf(model: string, options: Partial<Record<OptionKey, string>> = {}) {
  const table = createPriceTable(fixedSettings(options))();
  const price = resolvePrice(table, {
    requestedModel: model,
    upstreamModel: model,
    group: "default",
    acceptUnset: false,
  });
  if (!price) throw new Error(`${model} has no price`);
  return price;
}
const usage = (counts: Partial<Usage>): Usage => ({ ...NO_USAGE, ...counts });
const CALL = usage({ promptTokens: 100_000, completionTokens: 10_000 });
const unitsOf = (model: string, tiers: readonly string[], counts = CALL, options = {}) =>
  charge(inTiers(priceOf(model, options), tiers), counts, UNIT).quota;

describe("shipped prices of tiers", () => {
  test.each<[string, readonly string[], number]>([
    ["gpt-5", [], 112_500],
    ["gpt-5", ["priority"], 225_000],
    ["gpt-5", ["flex"], 56_250],
    ["gpt-5", ["batch"], 56_250],
    // $0.45 and $3.60 for a million, of $0.25 and $2.
    ["gpt-5-mini", ["priority"], 40_500],
    // $0.25 and $1 for a million: no factor of $0.15 and $0.60 has an end.
    ["gpt-4o-mini", ["priority"], 17_500],
    ["claude-opus-4-6", [], 375_000],
    ["claude-opus-4-6", ["fast"], 2_250_000],
    ["claude-opus-4-6", ["geo:us"], 412_500],
    ["claude-opus-4-6", ["fast", "geo:us"], 2_475_000],
    ["claude-opus-5", ["fast"], 750_000],
    ["gemini-2.5-pro", ["priority"], 202_500],
    ["gemini-2.5-pro", ["flex"], 56_250],
  ])("%s %p, 100,000 tokens in and 10,000 out: %p units", (model, tiers, units) => {
    expect(unitsOf(model, tiers)).toBe(units);
  });

  test("cached input has a factor of its own where the list has one", () => {
    const cached = usage({ promptTokens: 1_000_000, cachedTokens: 1_000_000 });
    expect(unitsOf("gpt-4.1", ["priority"], cached)).toBe(0.875 * 500_000);
    expect(unitsOf("gpt-5", ["flex"], cached)).toBe(0.0625 * 500_000);
    const own = { ServiceTiers: '{"gpt-5": {"flex": {"input": 0.5, "output": 0.5, "cache_read": 1}}}' };
    expect(unitsOf("gpt-5", ["flex"], cached, own)).toBe(0.125 * 500_000);
  });

  test("multiply the prices of long prompts", () => {
    const long = usage({ promptTokens: 300_000, completionTokens: 1_000 });
    expect(unitsOf("gemini-2.5-pro", ["flex"], long)).toBe(unitsOf("gemini-2.5-pro", [], long) / 2);
  });
});

describe("a tier without a price of its own", () => {
  test.each<[string, string, number]>([
    ["priority", "{}", 2],
    ["priority", '{"priority": 3}', 3],
    ["warp", '{"*": 4}', 4],
    ["warp", "{}", 2],
    ["geo:eu", '{"geo": 1.2}', 1.2],
    ["batch", '{"*": 9}', 0.5],
    ["scale", '{"scale": 1}', 1],
  ])("%s with %s costs %p times the price, and the receipt says so", (tier, multipliers, factor) => {
    const price = priceOf("m", {
      ModelRatio: '{"m": 1}',
      CompletionRatio: '{"m": 1}',
      ServiceTierMultipliers: multipliers,
    });
    const { quota, receipt } = charge(inTiers(price, [tier]), usage({ promptTokens: 1_000 }), UNIT);
    expect(quota).toBe(1_000 * factor);
    expect(receipt).toMatchObject({ serviceTier: tier, isGeneralTier: true });
    expect(charge(price, usage({ promptTokens: 1_000 }), UNIT).receipt.serviceTier).toBeUndefined();
  });

  test("a fixed price follows the factor of output", () => {
    const options = { ModelPrice: '{"m": 0.1}', ServiceTiers: '{"m": {"batch": {"input": 1, "output": 0.5}}}' };
    expect(unitsOf("m", ["batch"], CALL, options)).toBe(25_000);
    expect(unitsOf("m", ["priority"], CALL, options)).toBe(100_000);
  });
});

test.each<[string, Parameters<typeof tierNames>[0], readonly string[]]>([
  ["nothing", {}, []],
  ["what is standard", { serviceTier: "default", speed: "standard", inferenceGeo: "global" }, []],
  ["auto", { serviceTier: "auto" }, []],
  ["on demand", { serviceTier: "on_demand" }, []],
  ["no region", { inferenceGeo: "not_available" }, []],
  ["priority", { serviceTier: "Priority" }, ["priority"]],
  ["OpenAI's fast", { serviceTier: "fast" }, ["priority"]],
  ["Anthropic's fast, in the US", { speed: "fast", inferenceGeo: "us" }, ["fast", "geo:us"]],
  ["a name that nobody would read", { serviceTier: `x${"y".repeat(5_000)}\u0000` }, ["other"]],
])("a response that names %s", (_, processing, names) => {
  expect(tierNames(processing)).toEqual(names);
});

test("the hold of a tier is never below its charge", () => {
  for (const model of ["gpt-5", "gpt-4o-mini", "claude-opus-4-6", "gemini-2.5-pro", "deepseek-v4-pro"]) {
    for (const tier of ["priority", "flex", "batch", "fast", "geo:us", "unheard-of"]) {
      const price = inTiers(priceOf(model), [tier]);
      for (const cachedTokens of [0, 250_000]) {
        const used = usage({ promptTokens: 250_000, cachedTokens, completionTokens: 5_000 });
        const expected = { promptTokens: 250_000, maxOutputTokens: 5_000, defaultOutputTokens: 0 };
        expect(estimate(price, expected, UNIT)).toBeGreaterThanOrEqual(charge(price, used, UNIT).quota);
      }
    }
  }
});
