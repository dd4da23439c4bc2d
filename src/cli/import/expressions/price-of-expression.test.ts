import { describe, expect, test } from "bun:test";
import { PRICE_OPTIONS } from "../../../domain/models/pricing.ts";
import { findOption } from "../../../settings/registry/index.ts";
import { priceOfExpression } from "./price-of-expression.ts";

const defined = (value: object | null) =>
  value && Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));

describe("a billing expression of new-api", () => {
  test.each<[string, object]>([
    ['tier("base", p * 2.5 + c * 15 + cr * 0.25)', { ModelRatio: 1.25, CompletionRatio: 6, CacheRatio: 0.1 }],
    ['v1:tier("request", fixed(0.01))', { ModelPrice: 0.01 }],
    [
      'len <= 200000 ? tier("standard", p * 3 + c * 15 + cc * 3.75 + cc1h * 6) : tier("long", p * 6 + c * 22.5)',
      {
        ModelRatio: 1.5,
        CompletionRatio: 5,
        CacheCreationRatio: 1.25,
        ContextTiers: [{ over: 200_000, input: 2, output: 1.5 }],
      },
    ],
    [
      'tier("base", p * 5 + c * 25)|||when(header("anthropic-beta") has "fast-mode") * 6',
      { ModelRatio: 2.5, CompletionRatio: 5, ServiceTiers: { fast: { input: 6, output: 6 } } },
    ],
    [
      '(tier("base", p * 1.25 + c * 10)) * (param("service_tier") == "fast" ? 2 : 1) * (param("service_tier") == "flex" ? 0.5 : 1)',
      {
        ModelRatio: 0.625,
        CompletionRatio: 8,
        ServiceTiers: { priority: { input: 2, output: 2 }, flex: { input: 0.5, output: 0.5 } },
      },
    ],
    [
      'tier("base", p * 0.66 + c * 1.98) * (weekday("Asia/Shanghai") >= 1 && weekday("Asia/Shanghai") <= 5 && (hour("Asia/Shanghai") >= 9 && hour("Asia/Shanghai") < 12 || hour("Asia/Shanghai") >= 14 && hour("Asia/Shanghai") < 18) ? 2 : 1)',
      {
        ModelRatio: 0.33,
        CompletionRatio: 3,
        PriceHours: ["09:00 12:00", "14:00 18:00"].map((hours) => ({
          days: ["mon", "tue", "wed", "thu", "fri"],
          from: hours.slice(0, 5),
          until: hours.slice(6),
          zone: "Asia/Shanghai",
          input: 2,
          output: 2,
        })),
      },
    ],
  ])("%s", (expression, ratios) => {
    const read = defined(priceOfExpression(expression));
    expect(read).toEqual({ ...ratios });
    for (const option of PRICE_OPTIONS) {
      const value = read?.[option];
      if (value !== undefined)
        expect(() => findOption(option)?.read(JSON.stringify({ m: value }), option)).not.toThrow();
    }
  });

  test("hours over midnight become hours of two days", () => {
    const expression = 'tier("b", p * 2) * (hour("UTC") >= 22 || hour("UTC") < 6 ? 0.5 : 1)';
    expect(priceOfExpression(expression)?.PriceHours?.map(({ from, until }) => [from, until])).toEqual([
      ["00:00", "06:00"],
      ["22:00", "24:00"],
    ]);
  });

  test.each([
    "",
    "p *",
    'tier("b", c * 2)',
    'tier("b", p * 2 + q * 3)',
    'tier("b", p * c)',
    'tier("b", p * 2) * (month("UTC") == 12 ? 2 : 1)',
    'tier("b", p * 2) * (param("service_tier") == "flex" ? 0.5 : 0.9)',
    'tier("b", p * 2) * (param("n") == "2" ? 2 : 1)',
    'tier("b", p * 2) * (hour("UTC") > 3 && hour("Asia/Tokyo") > 3 ? 2 : 1)',
    'tier("b", max(p, 100) * 2)',
    `${"(".repeat(5_000)}p${")".repeat(5_000)}`,
  ])("%s is not guessed at", (expression) => {
    expect(priceOfExpression(expression)).toBeNull();
  });
});
