import { describe, expect, test } from "bun:test";
import { NO_USAGE, type Usage } from "../../../formats/conversation/reply.ts";
import { decimal, integer, ONE } from "../../../lib/values/decimal.ts";
import type { Price } from "../../types.ts";
import { charge } from "../charge.ts";
import { inTiers } from "../service-tiers.ts";
import { channelCost, readChannelCosts, readCostPrices } from "./channel-cost.ts";

const UNIT = integer(500_000);
const PRICE: Price = {
  kind: "per_token",
  pricedAs: "m",
  groupRatio: decimal("0.3"),
  modelRatio: decimal("1.25"),
  completionRatio: decimal(8),
  cacheRatio: decimal("0.1"),
  cacheCreationRatio: decimal("1.25"),
  longCacheCreationRatio: decimal(2),
  audioRatio: decimal(4),
  audioCompletionRatio: decimal(2),
  imageRatio: decimal(3),
  imageCompletionRatio: decimal(5),
  contextTiers: [{ over: 200_000, input: decimal(2), output: decimal("1.5") }],
  serviceTiers: new Map([["priority", { input: decimal(2), output: decimal(3), cacheRead: decimal(4) }]]),
  toolPrices: new Map([["web_search", decimal("0.01")]]),
};
/** The same price in dollars of a million tokens, where a ratio of 1 is two dollars. */
const AMOUNTS = {
  ...{ input: 2.5, output: 20, cache_read: 0.25, cache_write: 3.125, cache_write_1h: 5 },
  ...{ audio_input: 10, audio_output: 20, image_input: 7.5, image_output: 37.5 },
};
const usageOf = (counts: Partial<Usage>): Usage => ({ ...NO_USAGE, ...counts });
const costOf = (setting: object, counts: Partial<Usage>, price: Price = PRICE, upstreamModel = "m") => {
  const costs = readChannelCosts(setting);
  const usage = usageOf(counts);
  const { receipt } = charge(price, usage, UNIT);
  return costs && channelCost(costs, { upstreamModel, usage, price, receipt }, UNIT);
};

describe("the part of the site's price", () => {
  test.each<[ratio: unknown, counts: Partial<Usage>, cost: number]>([
    // 1,000 × 1.25 × 0.7; the group's 0.3 has no part in it.
    [0.7, { promptTokens: 1000 }, 875],
    ["0.7", { promptTokens: 1000 }, 875],
    [0, { promptTokens: 1000 }, 0],
    [1, { promptTokens: 1, cachedTokens: 1 }, 0],
    // 4 × 0.125 is a half, which goes away from zero.
    [1, { promptTokens: 4, cachedTokens: 4 }, 1],
    [1.1, { completionTokens: 3 }, 33],
    [0.5, {}, 0],
    // 0.01 × 500,000 for each search, and 12.5 for the tokens.
    [0.5, { promptTokens: 10, toolCalls: { web_search: 2 } }, 5006],
  ])("ratio %p of %p is %p units", (cost_ratio, counts, cost) => {
    expect(costOf({ cost_ratio }, counts)).toBe(cost);
  });

  test("a charge that was raised to the least charge costs what it costs", () => {
    expect(charge(PRICE, usageOf({ promptTokens: 1, cachedTokens: 1 }), UNIT).quota).toBe(1);
    expect(costOf({ cost_ratio: 1 }, { promptTokens: 1, cachedTokens: 1 })).toBe(0);
  });
});

test("a channel's own price that equals the site's costs what is charged without groups, for any usage", () => {
  let seed = 7;
  const next = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % (most + 1);
  };
  for (let round = 0; round < 500; round += 1) {
    const promptTokens = next(400_000);
    const completionTokens = next(50_000);
    const usage = usageOf({
      ...{ promptTokens, completionTokens, cachedTokens: next(promptTokens), cacheCreationTokens: next(9_000) },
      ...{ longCacheCreationTokens: next(5_000), audioInputTokens: next(3_000), imageInputTokens: next(3_000) },
      ...{ audioOutputTokens: next(2_000), imageOutputTokens: next(2_000), toolCalls: { web_search: next(2) } },
    });
    const price = inTiers({ ...PRICE, groupRatio: ONE }, next(1) === 1 ? ["priority"] : []);
    const { quota, receipt } = charge(price, usage, UNIT);
    const call = { upstreamModel: "m", usage, price, receipt };
    const own = readChannelCosts({ cost_prices: { m: AMOUNTS } });
    const part = readChannelCosts({ cost_ratio: 1 });
    expect(own && channelCost(own, call, UNIT)).toBe(quota);
    expect(part && channelCost(part, call, UNIT)).toBe(quota);
  }
});

describe("a channel's own prices", () => {
  const dollar = (cost_prices: object, counts: Partial<Usage>, rest: object = {}) =>
    costOf({ cost_prices, ...rest }, counts);

  test("a third of a dollar a million is exact", () => {
    // 3,000,000 tokens at 0.3 and 1,000,000 at 1.1 dollars are 2 dollars.
    const counts = { promptTokens: 3_000_000, completionTokens: 1_000_000 };
    const flat = { ...PRICE, contextTiers: undefined };
    expect(costOf({ cost_prices: { m: { input: 0.3, output: 1.1 } } }, counts, flat)).toBe(1_000_000);
  });

  test("amounts that are absent follow those that are there", () => {
    expect(dollar({ m: { input: 2 } }, { promptTokens: 100, cachedTokens: 40, audioInputTokens: 10 })).toBe(100);
    expect(dollar({ m: { output: 2 } }, { promptTokens: 100, completionTokens: 50, audioOutputTokens: 20 })).toBe(50);
    // Of an hour: 1.6 times those of five minutes, as Anthropic's are.
    const writes = { promptTokens: 1000, cacheCreationTokens: 1000, longCacheCreationTokens: 1000 };
    expect(dollar({ m: { input: 2, cache_write: 2.5 } }, writes)).toBe(2000);
  });

  test("names go before patterns, and a model that none names costs the channel's part", () => {
    const prices = { "gpt-*": { input: 4 }, "gpt-5": { input: 2 }, "re:o\\d": { input: 6 } };
    const counts = { promptTokens: 100 };
    const setting = { cost_prices: prices, cost_ratio: 0.4 };
    expect(costOf(setting, counts, PRICE, "gpt-5")).toBe(100);
    expect(costOf(setting, counts, PRICE, "gpt-4o")).toBe(200);
    expect(costOf(setting, counts, PRICE, "o3")).toBe(300);
    expect(costOf(setting, counts, PRICE, "claude")).toBe(50);
    expect(costOf({ cost_prices: prices }, counts, PRICE, "claude")).toBeNull();
  });

  test("calls, images and seconds cost by the one, as the receipt counts them", () => {
    const perSecond: Price = { kind: "per_call", pricedAs: "m", groupRatio: ONE, usdPerCall: ONE, seconds: 8 };
    const setting = { cost_prices: { m: { per_call: 0.04 } } };
    expect(costOf(setting, { promptTokens: 1 }, perSecond)).toBe(160_000);
    expect(costOf(setting, { promptTokens: 1, seconds: 5 }, perSecond)).toBe(100_000);
    // Sold by tokens, bought by the call; and the other way round.
    for (const used of [{ promptTokens: 1 }, { completionTokens: 1 }, { promptTokens: 1, completionTokens: 2 }])
      expect(costOf(setting, used)).toBe(20_000);
    expect(costOf(setting, {})).toBe(0);
    expect(costOf({ cost_prices: { m: { input: 2 } } }, { promptTokens: 50 }, perSecond)).toBe(50);
  });
});

test.each<[name: string, value: unknown]>([
  ["no amounts", { m: {} }],
  ["a negative one", { m: { input: -1 } }],
  ["a word", { m: { input: "much" } }],
  ["an unknown amount", { m: { tokens: 1 } }],
  ["a number", { m: 3 }],
  ["no name", { " ": { input: 1 } }],
  ["a list", []],
  ["a text", "m"],
  ["too many", Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`m${at}`, { input: 1 }]))],
])("%s: no prices", (_, value) => {
  expect(readCostPrices(value)).toBeNull();
  expect(readChannelCosts({ cost_prices: value })).toBeNull();
});

test("a channel that says nothing of costs has none, and a ratio that is none is not read", () => {
  expect(readChannelCosts({})).toBeNull();
  expect(readChannelCosts({ cost_ratio: null })).toBeNull();
  for (const cost_ratio of [-0.1, "a", true, [1], Number.NaN, 1_000_000.5])
    expect(readChannelCosts({ cost_ratio })).toBeNull();
  expect(readChannelCosts({ cost_ratio: 1_000_000 })).not.toBeNull();
});

test("as many prices as a service lists, and a call whose model had no price when it ended", () => {
  const prices = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`m${at}`, { input: 2 }]));
  const costs = readChannelCosts({ cost_prices: prices });
  const call = { upstreamModel: "m1999", usage: usageOf({ promptTokens: 100 }), price: null, receipt: null };
  expect(costs && channelCost(costs, call, UNIT)).toBe(100);
  const part = readChannelCosts({ cost_ratio: 1 });
  expect(part && channelCost(part, call, UNIT)).toBe(0);
});
