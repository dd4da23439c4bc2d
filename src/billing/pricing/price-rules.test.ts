import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { decimal, toText } from "../../lib/values/decimal.ts";
import { contextTiersShape, groupDiscountsShape } from "../../settings/option/price-shapes.ts";
import { NO_USAGE, type Usage } from "../types.ts";
import { charge } from "./charge.ts";
import { type CacheWrites, estimate } from "./estimate.ts";
import { createPriceTable } from "./price-table.ts";
import { resolvePrice } from "./resolve-price.ts";

const QUOTA_PER_UNIT = decimal(500_000);
const JUNE = Date.parse("2026-06-01T00:00:00Z") / 1000;
const JULY = Date.parse("2026-07-01T00:00:00Z") / 1000;

const settings = fixedSettings({
  ModelRatio: '{"long": 1.25, "claude": 1.5, "own": 2}',
  CompletionRatio: '{"long": 4, "claude": 5, "own": 1}',
  CacheRatio: '{"long": 0.25}',
  CacheCreationRatio: '{"own": 1}',
  ModelPrice: '{"picture": 0.04}',
  GroupRatio: '{"default": 1, "vip": 0.8}',
  ContextTiers: JSON.stringify({
    long: [
      { over: 5000, input: 3, output: 2 },
      { over: 1000, input: 2, output: 1.5 },
    ],
  }),
  GroupDiscounts: JSON.stringify([
    { group: "vip", percent: 25, from: "2026-06-01T00:00:00Z", until: "2026-07-01T00:00:00Z" },
    { group: "vip", percent: 10, from: "2026-06-01T00:00:00+00:00", until: "2027-01-01T00:00:00Z" },
    { group: "default", percent: 12.5, from: "2026-06-15T00:00:00Z", until: "2026-06-16T00:00:00Z" },
  ]),
});

function priceAt(model: string, group = "default", seconds = 0) {
  const query = { requestedModel: model, upstreamModel: model, group, acceptUnset: false };
  const price = resolvePrice(createPriceTable(settings, () => seconds)(), query);
  if (!price) throw new Error(`${model} has no price`);
  return price;
}
const cost = (model: string, usage: Partial<Usage>, group?: string, seconds?: number) =>
  charge(priceAt(model, group, seconds), { ...NO_USAGE, ...usage }, QUOTA_PER_UNIT);

describe("prices by length of the prompt", () => {
  test.each([
    ["at the threshold: the base price", 1000, 10, 1300],
    ["one token over: the first step, rounded once", 1001, 10, 2578],
    ["at the second threshold: still the first", 5000, 10, 12_575],
    ["over the second", 5001, 10, 18_854],
    ["no prompt", 0, 10, 50],
  ])("%s", (_, promptTokens, completionTokens, quota) => {
    expect(cost("long", { promptTokens, completionTokens }).quota).toBe(quota);
  });

  test("cached input is of the prompt's length and on its step; the receipt says which", () => {
    const { quota, receipt } = cost("long", { promptTokens: 2000, cachedTokens: 1600, completionTokens: 8 });
    expect(receipt.lines.map(({ factor, amount }) => [factor, amount])).toEqual([
      ["2.5", "1000"],
      ["0.625", "1000"],
      ["7.5", "60"],
    ]);
    expect([quota, receipt.contextOver]).toEqual([2060, 1000]);
    expect(cost("long", { promptTokens: 1000 }).receipt.contextOver).toBeUndefined();
  });

  test.each([
    ["that stays below the first step: at the base price", 1000, 1000 * 1.25 + 10 * 5],
    ["that can reach the first", 1001, 1001 * 1.25 * 2 + 10 * 5 * 1.5],
    ["that can reach the second", 5001, 5001 * 1.25 * 3 + 10 * 5 * 2],
  ])("the hold for a prompt %s", (_, promptTokens, quota) => {
    const expected = { promptTokens, maxOutputTokens: 10, defaultOutputTokens: 0 };
    expect(estimate(priceAt("long"), expected, QUOTA_PER_UNIT)).toBe(Math.ceil(quota));
  });

  test.each([
    ['[{"over": 0}]'],
    ['[{"over": 1.5}]'],
    ['[{"over": 5, "input": -1}]'],
    ['[{"over": 5}, {"over": 5}]'],
    ['[{"over": 5, "ouput": 2}]'],
    ["{}"],
    ["[null]"],
  ])("%s is refused", (text) => expect(contextTiersShape.read(JSON.parse(text))).toBeUndefined());
});

describe("discounts of groups", () => {
  test.each([
    ["before", "vip", JUNE - 1, "0.8"],
    ["from the first second, the larger of two", "vip", JUNE, "0.6"],
    ["to the last second", "vip", JULY - 1, "0.6"],
    ["then the other", "vip", JULY, "0.72"],
    ["another group", "default", JUNE, "1"],
    ["a fraction of a percent", "default", JUNE + 14 * 86_400, "0.875"],
  ])("%s", (_, group, seconds, ratio) => expect(toText(priceAt("claude", group, seconds).groupRatio)).toBe(ratio));

  test("the charge and its receipt", () => {
    const { quota, receipt } = cost("claude", { promptTokens: 1001 }, "vip", JUNE);
    expect([quota, receipt.groupRatio, receipt.discountPercent]).toEqual([901, "0.6", "25"]);
    expect(cost("picture", { promptTokens: 1 }, "vip", JUNE).quota).toBe(12_000);
    expect(cost("claude", { promptTokens: 10 }, "vip", JUNE - 1).receipt.discountPercent).toBeUndefined();
  });

  test("a table is rebuilt when one begins or ends, and only then", () => {
    let now = JUNE - 10;
    const table = createPriceTable(settings, () => now);
    const before = table();
    now = JUNE - 1;
    expect(table()).toBe(before);
    now = JUNE;
    const during = table();
    expect(during).not.toBe(before);
    expect(toText(during.groupRatio.get("vip") ?? decimal(0))).toBe("0.6");
    now += 5;
    expect(table()).toBe(during);
  });

  const JUST = { group: "vip", percent: 5, from: "2026-06-01T00:00:00Z", until: "2026-07-01T00:00:00Z" };
  test.each([
    [{ ...JUST, percent: 101 }],
    [{ ...JUST, percent: -1 }],
    [{ ...JUST, group: "" }],
    [{ ...JUST, until: JUST.from }],
    [{ ...JUST, from: "2026-06-01" }],
    [{ ...JUST, from: 1 }],
  ])("%p is refused", (entry) => expect(groupDiscountsShape.read([entry])).toBeUndefined());
});

describe("cache writes of five minutes and of an hour", () => {
  const written = { promptTokens: 1000, cacheCreationTokens: 600, longCacheCreationTokens: 400 };

  test("are charged apart: 1.25 and 2 times the input", () => {
    const { quota, receipt } = cost("claude", written);
    expect(quota).toBe(400 * 1.5 + 200 * 1.875 + 400 * 3);
    expect(receipt.lines.map(({ item, quantity, factor }) => [item, quantity, factor])).toEqual([
      ["input", "400", "1.5"],
      ["cache_write", "200", "1.875"],
      ["cache_write_1h", "400", "3"],
    ]);
  });

  test("follow a ratio of the model's own", () => expect(cost("own", written).quota).toBe(800 + 400 + 1280));

  test("more hours than writes are cut", () => {
    expect(cost("claude", { ...written, longCacheCreationTokens: 9000 }).quota).toBe(600 + 1800);
    expect(cost("claude", { ...written, longCacheCreationTokens: -5 }).quota).toBe(600 + 1125);
  });

  test.each<[CacheWrites, number]>([
    ["none", 150],
    ["short", 188],
    ["long", 300],
  ])("a hold for %s", (writesCache, quota) => {
    const expected = { promptTokens: 100, maxOutputTokens: 0, defaultOutputTokens: 0, writesCache };
    expect(estimate(priceAt("claude"), expected, QUOTA_PER_UNIT)).toBe(quota);
  });
});
