import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../formats/conversation/reply.ts";
import { decimal, ONE } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";
import { charge, estimate, saneTokens, saneUsage } from "./charge.ts";

test.each([
  [0, 0],
  [1, 1],
  [1.9, 1],
  [0.4, 0],
  [-5, 0],
  [Number.NaN, 0],
  [1_073_741_823, 1_073_741_823],
  [1_073_741_824, 1_073_741_823],
  [Number.POSITIVE_INFINITY, 1_073_741_823],
])("%p tokens count as %p", (stated, counted) => {
  expect(saneTokens(stated)).toBe(counted);
});

test("usage that makes sense stays as it is", () => {
  const usage = {
    promptTokens: 100,
    completionTokens: 50,
    cachedTokens: 10,
    cacheCreationTokens: 20,
    longCacheCreationTokens: 15,
    reasoningTokens: 25,
    audioInputTokens: 30,
    audioOutputTokens: 5,
    imageInputTokens: 40,
    imageOutputTokens: 45,
    toolCalls: { web_search: 2 },
  };
  expect(saneUsage(usage)).toEqual(usage);
});

test("no part of the prompt is greater than what the parts before it leave", () => {
  const most = { promptTokens: 100, completionTokens: 0, reasoningTokens: 0, audioOutputTokens: 0 };
  const parts = (cachedTokens: number, cacheCreationTokens: number, audioInputTokens: number) =>
    saneUsage({
      ...most,
      cachedTokens,
      cacheCreationTokens,
      audioInputTokens,
      imageInputTokens: 1000,
      longCacheCreationTokens: 1000,
    });
  expect(parts(1000, 1000, 1000)).toMatchObject({ cachedTokens: 100, cacheCreationTokens: 0, audioInputTokens: 0 });
  expect(parts(60, 1000, 1000)).toMatchObject({ cachedTokens: 60, cacheCreationTokens: 40, audioInputTokens: 0 });
  expect(parts(60, 10, 1000)).toMatchObject({ cacheCreationTokens: 10, audioInputTokens: 30, imageInputTokens: 0 });
  expect(parts(60, 10, 20)).toMatchObject({ audioInputTokens: 20, imageInputTokens: 10, longCacheCreationTokens: 10 });
});

test("no part of the answer is greater than the answer", () => {
  const usage = { ...NO_USAGE, completionTokens: 100, reasoningTokens: 1000, imageOutputTokens: 1000 };
  expect(saneUsage({ ...usage, audioOutputTokens: 1000 })).toMatchObject({
    reasoningTokens: 100,
    audioOutputTokens: 100,
    imageOutputTokens: 0,
  });
  expect(saneUsage({ ...usage, audioOutputTokens: 30 })).toMatchObject({
    audioOutputTokens: 30,
    imageOutputTokens: 70,
  });
});

test("parts that an upstream does not report separately are not made up", () => {
  expect(saneUsage({ ...NO_USAGE, promptTokens: 5, imageInputTokens: 0, longCacheCreationTokens: 0 })).toEqual({
    ...NO_USAGE,
    promptTokens: 5,
  });
});

test("media that the provider bills by themselves cost their own price, also without any token", () => {
  const media = { embedded_pixel: 50_000, unknown_unit: 9 };
  const toolPrices = new Map([["embedded_pixel:voyage", decimal("6e-10")]]);
  const common = { pricedAs: "voyage-x", toolPrices, groupRatio: ONE, discount: undefined };
  const ratios = { modelRatio: ONE, completionRatio: ONE, cacheRatio: ONE, cacheCreationRatio: ONE, audioRatio: ONE };
  const perToken: Price = {
    ...{ kind: "per_token", ...common, ...ratios, longCacheCreationRatio: ONE, audioCompletionRatio: ONE },
  };
  const charged = charge(perToken, { ...NO_USAGE, media }, decimal(500_000));
  expect([charged.quota, charged.receipt.subtotal]).toEqual([15, "15"]);
  expect(charge(perToken, NO_USAGE, decimal(500_000)).quota).toBe(0);
  // A price of the call is for all of it.
  const perCall: Price = { kind: "per_call", ...common, usdPerCall: decimal("0.01") };
  expect(charge(perCall, { ...NO_USAGE, media }, decimal(500_000)).quota).toBe(5_000);
});

test.each([
  [undefined, 600, "what was requested, where nothing was measured"],
  [42, 42, "what was measured"],
  [700, 600, "never more than was held"],
  [-3, 0, "nothing, for nonsense"],
])("a price per second of audio: %p seconds cost %p (%s)", (measured, seconds) => {
  const price: Price = {
    kind: "per_call",
    pricedAs: "music_v2",
    groupRatio: decimal("1.5"),
    usdPerCall: decimal("0.01"),
    seconds: 600,
  };
  const usage = { ...NO_USAGE, promptTokens: 1, ...(measured !== undefined && { seconds: measured }) };
  const { quota, receipt } = charge(price, usage, decimal(500_000));
  expect(quota).toBe(seconds * 5_000 * 1.5);
  const line = { item: "per_second", quantity: String(seconds), factor: "0.01", amount: String(seconds * 5_000) };
  expect(receipt.lines).toEqual(seconds > 0 ? [line] : []);
});

test.each([
  // A first megapixel at 3 cents, the three that follow and two of the input at 1.5 cents each.
  [{ output: 4, input: 2 }, 1, 1, 52_500],
  [{ output: 1, input: 0 }, 1, 1, 15_000],
  // Three images of two megapixels; the input counts once.
  [{ output: 2, input: 1 }, 3, 3, 75_000],
  // Two of them were drawn.
  [{ output: 2, input: 1 }, 3, 2, 52_500],
  [{ output: 0, input: 0 }, 1, 1, 15_000],
  [{ output: Number.NaN, input: -3 }, 1, 1, 15_000],
] as const)("%p of %p images, of which %p were drawn, cost %p units", (megapixels, images, drawn, quota) => {
  const most = { output: 4, input: 8 };
  const price: Price = {
    kind: "per_call",
    pricedAs: "flux-2-pro",
    groupRatio: ONE,
    usdPerCall: decimal(0.03),
    usdPerMegapixel: decimal(0.015),
    megapixels: most,
    images,
  };
  const used = { ...NO_USAGE, promptTokens: 1, images: drawn, megapixels };
  const { receipt, ...charged } = charge(price, used, decimal(500_000));
  expect(charged.quota).toBe(quota);
  const sum = receipt.lines.reduce((total, { quantity, factor }) => total + Number(quantity) * Number(factor), 0);
  expect(Math.round(sum * 500_000)).toBe(quota);
  const unknown = { promptTokens: 0, maxOutputTokens: null, defaultOutputTokens: 0 };
  const held = estimate(price, unknown, decimal(500_000));
  // Without a report the charge is what was held.
  expect(charge(price, { ...NO_USAGE, promptTokens: 1 }, decimal(500_000)).quota).toBe(held);
  expect(held).toBeGreaterThanOrEqual(quota);
});

test("the receipt of an image names its megapixels, where its price has them", () => {
  const price: Price = { kind: "per_call", pricedAs: "m", groupRatio: ONE, usdPerCall: decimal(0.07) };
  const used = { ...NO_USAGE, promptTokens: 1, megapixels: { output: 3, input: 2 } };
  const byMegapixel = { ...price, usdPerMegapixel: decimal(0.03), megapixels: { output: 4, input: 4 } };
  expect(charge(byMegapixel, used, decimal(500_000)).receipt.lines).toEqual([
    { item: "per_call", quantity: "1", factor: "0.07", amount: expect.stringMatching(/^35000(\.0+)?$/) },
    { item: "output_megapixel", quantity: "2", factor: "0.03", amount: expect.stringMatching(/^30000(\.0+)?$/) },
    { item: "input_megapixel", quantity: "2", factor: "0.03", amount: expect.stringMatching(/^30000(\.0+)?$/) },
  ]);
  expect(charge(price, used, decimal(500_000)).receipt.lines).toHaveLength(1);
});

describe("the fee for a call by the caller's own key", () => {
  const ratios = { modelRatio: decimal("1.25"), completionRatio: decimal(4), cacheRatio: ONE, cacheCreationRatio: ONE };
  const audio = { audioRatio: ONE, audioCompletionRatio: ONE, longCacheCreationRatio: ONE };
  const feeOf = (percent: string, usdPerCall: string) => ({
    percent: decimal(percent),
    usdPerCall: decimal(usdPerCall),
  });
  /** As it is made of a price with a ratio of 1: the share is in the ratio already. */
  const perToken = (share: string, usdPerCall: string): Price => ({
    ...{ kind: "per_token", pricedAs: "m", groupRatio: decimal(share), ...ratios, ...audio },
    serviceFee: feeOf(String(Number(share) * 100), usdPerCall),
  });
  const usage = { ...NO_USAGE, promptTokens: 10, completionTokens: 5 };
  const unit = decimal(500_000);

  test.each([
    // (10 + 5 × 4) × 1.25 = 37.5
    ["0.05", "0", 2, undefined, "0.125"],
    ["0.05", "0.0001", 52, "50", "0.125"],
    ["0.05", "0.00000025", 2, "0.125", undefined],
    ["0", "0.0001", 50, "50", undefined],
    ["0", "0.0000123", 6, "6.15", "-0.15"],
    ["0", "0.0000001", 1, "0.05", "0.95"],
    ["0", "0", 0, undefined, undefined],
  ])("%p of the price and $%p: %p units", (share, usdPerCall, total, ownKeyFee, rounding) => {
    const { quota, receipt } = charge(perToken(share, usdPerCall), usage, unit);
    expect([quota, receipt.total, receipt.ownKeyPercent]).toEqual([total, total, String(Number(share) * 100)]);
    expect([receipt.ownKeyFee, receipt.rounding && Number(receipt.rounding)]).toEqual([
      ownKeyFee,
      rounding && Number(rounding),
    ]);
  });

  test("is nothing where nothing came, and a receipt of other calls does not name it", () => {
    expect(charge(perToken("0.05", "0.01"), NO_USAGE, unit)).toMatchObject({ quota: 0, receipt: { lines: [] } });
    const { serviceFee: _, ...plain } = perToken("1", "0.01");
    expect(Object.keys(charge(plain, usage, unit).receipt)).not.toContain("ownKeyPercent");
  });

  test("is held, its fixed part too", () => {
    const expected = { promptTokens: 1000, maxOutputTokens: 100, defaultOutputTokens: 500 };
    // (1000 + 100 × 4) × 1.25 × 0.1 = 175
    expect(estimate(perToken("0.1", "0"), expected, unit)).toBe(175);
    expect(estimate(perToken("0.1", "0.0000123"), expected, unit)).toBe(175 + 7);
    const perCall: Price = { kind: "per_call", pricedAs: "m", groupRatio: decimal("0.1"), usdPerCall: decimal("0.01") };
    expect(estimate({ ...perCall, serviceFee: feeOf("10", "0.0000123") }, expected, unit)).toBe(500 + 7);
  });
});
