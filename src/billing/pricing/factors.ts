import { type Decimal, type FixedPoint, fixedPoint, isZero, multiply, ONE, toText } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";
import { type ContextTier, dearer, type highestTier } from "./price-rules.ts";
import { appliedFactors } from "./service-tiers.ts";

/** What the tokens of one kind (or the call) are multiplied by, with its text for receipts. */
type Factor = Readonly<{ item: string; units: bigint; text: string }>;

/** A price's factors. */
export type Factors = Readonly<{
  /** In the order of `quantitiesOf`. */
  parts: readonly Factor[];
  /** The decimals of their units. */
  scale: number;
  hasMinimum: boolean;
  groupRatio: FixedPoint;
  groupText: string;
}>;

/** A price's factors, on a step by length if it has reached one. */
export function makeFactors(price: Price, tier: ContextTier | undefined): Factors {
  const parts = partsOf(price, tier);
  const scale = Math.max(...parts.map(([, factor]) => fixedPoint(factor).scale));
  return {
    parts: parts.map(([item, factor]) => ({ item, units: fixedPoint(factor, scale).units, text: toText(factor) })),
    scale,
    hasMinimum: price.kind === "per_token" && !isZero(multiply(price.modelRatio, price.groupRatio)),
    groupRatio: fixedPoint(price.groupRatio),
    groupText: toText(price.groupRatio),
  };
}

function partsOf(price: Price, tier: ContextTier | undefined): (readonly [item: string, factor: Decimal])[] {
  if (price.kind === "per_call") {
    const { seconds, images } = price;
    const { usdPerCall, usdPerMegapixel } = fixedPrices(price);
    const isPerSecond = seconds !== undefined && images === undefined;
    const call = [isPerSecond ? "per_second" : "per_call", usdPerCall] as const;
    if (!usdPerMegapixel) return [call];
    return [call, ["output_megapixel", usdPerMegapixel], ["input_megapixel", usdPerMegapixel]];
  }
  const factors = appliedFactors(price);
  const base = multiply(price.modelRatio, tier?.input ?? ONE);
  const input = multiply(base, factors.input);
  const output = multiply(multiply(price.modelRatio, tier?.output ?? ONE), factors.output);
  const { imageRatio = ONE, imageCompletionRatio = ONE } = price;
  return [
    ["input", input],
    ["cache_read", multiply(multiply(base, factors.cacheRead), price.cacheRatio)],
    ["cache_write", multiply(input, price.cacheCreationRatio)],
    ["cache_write_1h", multiply(input, price.longCacheCreationRatio)],
    ["audio_input", multiply(input, price.audioRatio)],
    ["image_input", multiply(input, imageRatio)],
    ["output", multiply(output, price.completionRatio)],
    ["audio_output", multiply(multiply(output, price.audioRatio), price.audioCompletionRatio)],
    ["image_output", multiply(multiply(output, imageRatio), imageCompletionRatio)],
  ];
}

/** Fixed prices follow the factor of output. */
export function fixedPrices(price: Extract<Price, { kind: "per_call" }>) {
  const { output } = appliedFactors(price);
  const { usdPerCall, usdPerMegapixel } = price;
  return {
    usdPerCall: multiply(usdPerCall, output),
    usdPerMegapixel: usdPerMegapixel && multiply(usdPerMegapixel, output),
  };
}

type TokenPrice = Extract<Price, { kind: "per_token" }>;

/** Whether a request asks for cache writes, and whether of an hour, which are dearer. */
export type CacheWrites = "none" | "short" | "long";

/** The most that a token can cost, in 10^-`scale` quota units. */
export type MaxFactors = Readonly<{ text: bigint; audio: bigint; output: bigint; scale: number }>;

/** The most that tokens of a price can cost, on this step by length. */
export function makeMaxFactors(
  price: TokenPrice,
  writes: CacheWrites,
  tier: ReturnType<typeof highestTier>,
): MaxFactors {
  const { modelRatio, audioRatio, completionRatio, imageRatio = ONE, groupRatio } = price;
  const text = dearer(dearer(ONE, imageRatio), writeRatio(price, writes));
  const drawn = price.imageCompletionRatio ? multiply(imageRatio, price.imageCompletionRatio) : ONE;
  const audio = multiply(audioRatio, price.audioCompletionRatio);
  const ratio = multiply(modelRatio, groupRatio);
  const factors = appliedFactors(price);
  const input = multiply(multiply(ratio, tier.input), dearer(factors.input, factors.cacheRead));
  const output = multiply(multiply(ratio, tier.output), factors.output);
  const most = [
    multiply(text, input),
    multiply(dearer(text, audioRatio), input),
    multiply(dearer(dearer(completionRatio, drawn), audio), output),
  ] as const;
  const scale = Math.max(...most.map((factor) => fixedPoint(factor).scale));
  const unitsOf = (factor: Decimal) => fixedPoint(factor, scale).units;
  return { text: unitsOf(most[0]), audio: unitsOf(most[1]), output: unitsOf(most[2]), scale };
}

function writeRatio(price: TokenPrice, writes: CacheWrites): Decimal {
  if (writes === "none") return ONE;
  return writes === "long" ? price.longCacheCreationRatio : price.cacheCreationRatio;
}
