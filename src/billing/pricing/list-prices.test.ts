import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { shippedDocument } from "../../catalog/catalog.ts";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import { decimal } from "../../lib/values/decimal.ts";
import { charge } from "./charge.ts";
import { modelsOf, PRICE_SECTIONS } from "./list-prices.ts";
import { DEFAULT_TOOL_PRICE } from "./price-rules.ts";
import { createPriceTable } from "./price-table.ts";
import {
  DEFAULT_COMPLETION_RATIO,
  DEFAULT_CONTEXT_TIERS,
  DEFAULT_MODEL_PRICE,
  DEFAULT_MODEL_RATIO,
} from "./ratios/default-ratios.ts";
import { SHIPPED_RATIOS } from "./ratios/shipped-ratios.ts";
import { resolvePrice } from "./resolve-price.ts";

const QUOTA_PER_UNIT = decimal(500_000);
const table = createPriceTable(fixedSettings())();

/** What a call costs a new installation, in quota units: 500,000 are a dollar. */
function cost(model: string, usage: Partial<Usage>): number {
  const query = { requestedModel: model, upstreamModel: model, group: "default", acceptUnset: false };
  const price = resolvePrice(table, query);
  if (!price) throw new Error(`${model} has no price`);
  return charge(price, { ...NO_USAGE, ...usage }, QUOTA_PER_UNIT).quota;
}

const numbersIn = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : value && typeof value === "object"
      ? Object.values(value).flatMap(numbersIn)
      : [];

describe("the list prices that come with a release", () => {
  test.each(PRICE_SECTIONS.map((section) => [section.provider, section] as const))(
    "%s: says when and where they were read",
    (_, section) => {
      expect(section.asOf).toMatch(/^20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/);
      expect(section.sources.length).toBeGreaterThan(0);
      for (const source of section.sources) expect(new URL(source).protocol).toBe("https:");
      expect(modelsOf(section).length).toBeGreaterThan(0);
    },
  );

  test("every price that a new installation has stands in one of them, and is no odd number", () => {
    const models = new Set(PRICE_SECTIONS.flatMap(modelsOf));
    const priced = [DEFAULT_MODEL_RATIO, DEFAULT_MODEL_PRICE, DEFAULT_COMPLETION_RATIO, DEFAULT_CONTEXT_TIERS];
    for (const prices of priced) expect(Object.keys(prices).filter((model) => !models.has(model))).toEqual([]);
    const tools = PRICE_SECTIONS.flatMap(({ toolUse }) => Object.keys(toolUse ?? {}));
    expect(Object.keys(DEFAULT_TOOL_PRICE).sort()).toEqual(tools.sort());
    expect(DEFAULT_TOOL_PRICE).toMatchObject({ web_search: 0.01, zhipu_search_std: 0.00137 });
    for (const { provider, prices, toolUse = {} } of PRICE_SECTIONS) {
      const odd = numbersIn([prices, toolUse]).filter((price) => !(Number.isFinite(price) && price >= 0));
      expect([provider, odd]).toEqual([provider, []]);
    }
  });

  test("a price of a call or of a second in yuan is charged in dollars", () => {
    const yuan = PRICE_SECTIONS.filter(({ currency }) => currency === "CNY").flatMap(({ prices }) =>
      Object.entries(prices).flatMap(([model, { per_call: call, per_second: second }]) => {
        const price = call ?? second;
        return price === undefined ? [] : [{ model, price }];
      }),
    );
    expect(yuan.map(({ model }) => model)).toContain("jimeng_v30_pro");
    for (const { model, price } of yuan)
      expect([model, SHIPPED_RATIOS.get(model)?.ModelPrice]).toEqual([model, Number((price / 7.3).toFixed(6))]);
  });

  test("every model has one price, from a source that the catalogue names", () => {
    const priced = [...shippedDocument.models].filter(([, { price }]) => price);
    expect(PRICE_SECTIONS.flatMap(modelsOf)).toHaveLength(priced.length);
    for (const [model, { price }] of priced)
      expect([model, Object.hasOwn(shippedDocument.sources, price?.source ?? "")]).toEqual([model, true]);
  });

  test("steps by length ascend, and none is cheaper than the one before", () => {
    for (const { prices } of PRICE_SECTIONS) {
      for (const { tiers = [], input = 0, output = 0 } of Object.values(prices)) {
        let before = { over: 0, input, output };
        for (const { over = 0, input: dearInput = 0, output: dearOutput = 0 } of tiers) {
          expect(over).toBeGreaterThan(before.over);
          expect(dearInput).toBeGreaterThanOrEqual(before.input);
          expect(dearOutput).toBeGreaterThanOrEqual(before.output);
          before = { over, input: dearInput, output: dearOutput };
        }
      }
    }
  });
});

describe("charges at list prices", () => {
  // Quota units: half of what a million tokens cost in dollars, for each token.
  test.each<[string, Partial<Usage>, number]>([
    ["gpt-5.6", { promptTokens: 1000, completionTokens: 100, cachedTokens: 400 }, 600 * 2.5 + 400 * 0.25 + 100 * 15],
    ["gpt-5.4-nano", { promptTokens: 10_000, completionTokens: 800 }, 1000 + 500],
    ["claude-fable-5", { promptTokens: 1000, completionTokens: 100 }, 5000 + 2500],
    ["claude-sonnet-5", { promptTokens: 3000, cacheCreationTokens: 1000, completionTokens: 100 }, 3000 + 1875 + 750],
    ["gemini-3.6-flash", { promptTokens: 1000, completionTokens: 400 }, 750 + 1500],
    ["grok-4.6", { promptTokens: 1000, completionTokens: 100 }, 1000 + 300],
    ["kimi-k3", { promptTokens: 1000, cachedTokens: 1000, completionTokens: 100 }, 150 + 750],
    ["us.amazon.nova-pro-v1:0", { promptTokens: 1000, completionTokens: 100 }, 400 + 160],
    // A minute of sound counts 1,000 tokens and costs $0.006.
    ["whisper-1", { promptTokens: 1000 }, 3000],
    // A thousand characters of speech cost ten cents.
    ["speech-2.5-hd-preview", { promptTokens: 1000 }, 50_000],
    ["rerank-v4.0-pro", { promptTokens: 50 }, 1250],
    ["gpt-image-2", { promptTokens: 100, completionTokens: 1000, imageOutputTokens: 1000 }, 250 + 15_000],
  ])("%s", (model, usage, quota) => expect(cost(model, usage)).toBe(quota));

  test.each<[model: string, border: number, atBorder: number, beyond: number]>([
    // A thousand tokens are answered; the whole prompt pays the price of its length.
    ["gemini-2.5-pro", 200_000, 125_000 + 5000, 250_001.25 + 7500],
    ["gemini-3-pro-preview", 200_000, 200_000 + 6000, 400_002 + 9000],
    ["claude-sonnet-4-5-20250929", 200_000, 300_000 + 7500, 600_003 + 11_250],
    ["gpt-5.4", 272_000, 340_000 + 7500, 680_002.5 + 11_250],
    ["gpt-5.5", 272_000, 680_000 + 15_000, 1_360_005 + 22_500],
    ["gpt-5.6-luna", 272_000, 27_200 + 600, 54_400.2 + 900],
    ["grok-4", 128_000, 192_000 + 7500, 384_003 + 15_000],
    ["grok-4.6", 200_000, 200_000 + 3000, 400_002 + 6000],
    ["MiniMax-M3", 512_000, 76_800 + 600, 153_600.3 + 1200],
  ])("%s: on both sides of %d tokens", (model, border, atBorder, beyond) => {
    expect(cost(model, { promptTokens: border, completionTokens: 1000 })).toBe(Math.round(atBorder));
    expect(cost(model, { promptTokens: border + 1, completionTokens: 1000 })).toBe(Math.round(beyond));
  });

  test.each<[model: string, yuan: readonly (readonly [prompt: number, input: number, output: number])[]]>([
    [
      "qwen-plus",
      [
        [128_000, 0.8, 2],
        [128_001, 2.4, 20],
        [256_001, 4.8, 48],
      ],
    ],
    [
      "qwen3-coder-plus",
      [
        [32_000, 4, 16],
        [32_001, 6, 24],
        [128_001, 10, 40],
        [256_001, 20, 200],
      ],
    ],
    [
      "doubao-seed-2-0-pro",
      [
        [32_000, 3.2, 16],
        [32_001, 4.8, 24],
        [128_001, 9.6, 48],
      ],
    ],
    [
      "glm-5.1",
      [
        [32_000, 6, 24],
        [32_001, 8, 28],
      ],
    ],
  ])("%s: yuan at 7.3 to the dollar, step by step", (model, steps) => {
    for (const [promptTokens, input, output] of steps) {
      const quota = (promptTokens * input + 1000 * output) / 14.6;
      // Ratios have six places.
      expect(Math.abs(cost(model, { promptTokens, completionTokens: 1000 }) - quota)).toBeLessThanOrEqual(2);
    }
  });
});
