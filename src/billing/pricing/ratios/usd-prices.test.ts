import { expect, test } from "bun:test";
import { decimal } from "../../../lib/values/decimal.ts";
import type { Price } from "../../types.ts";
import { usdPrices } from "./usd-prices.ts";

const QUOTA_PER_UNIT = decimal(500_000);
const ALL = { audio: true, cacheWrite: true };
const TOKENS: Price = {
  kind: "per_token",
  pricedAs: "m",
  groupRatio: decimal(0.5),
  modelRatio: decimal(2),
  completionRatio: decimal(4),
  cacheRatio: decimal(0.1),
  cacheCreationRatio: decimal(1.25),
  longCacheCreationRatio: decimal(2),
  audioRatio: decimal(8),
  audioCompletionRatio: decimal(3),
  imageRatio: decimal(5),
};

test("a token costs the model's ratio times the group's, in dollars", () => {
  expect(usdPrices(TOKENS, ALL, QUOTA_PER_UNIT)).toEqual({
    prompt: "0.000002",
    completion: "0.000008",
    request: "0",
    input_cache_read: "0.0000002",
    input_cache_write: "0.0000025",
    input_cache_write_1h: "0.000004",
    audio: "0.000016",
    audio_output: "0.000048",
    image_token: "0.00001",
  });
});

test("parts without a price of their own are left out", () => {
  const { imageRatio, ...price } = TOKENS;
  expect(usdPrices(price, { audio: false, cacheWrite: false }, QUOTA_PER_UNIT)).toEqual({
    prompt: "0.000002",
    completion: "0.000008",
    request: "0",
    input_cache_read: "0.0000002",
  });
});

test("a call costs its fixed price times the group's ratio", () => {
  const price: Price = { kind: "per_call", pricedAs: "m", groupRatio: decimal(0.5), usdPerCall: decimal(0.04) };
  expect(usdPrices(price, ALL, QUOTA_PER_UNIT)).toEqual({ prompt: "0", completion: "0", request: "0.02" });
});

test("the smallest ratio is not rounded away, and quota that is worth nothing costs nothing", () => {
  const price = { ...TOKENS, groupRatio: decimal(1), modelRatio: decimal(0.000001) };
  expect(usdPrices(price, ALL, QUOTA_PER_UNIT).prompt).toBe("0.000000000002");
  expect(usdPrices(price, ALL, decimal(0)).completion).toBe("0");
});
