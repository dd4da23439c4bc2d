import { type Decimal, decimal, divide, isZero, multiply, toText } from "../../../lib/values/decimal.ts";
import type { Price } from "../../types.ts";
import type { PriceSection } from "../list-prices.ts";
import { appliedFactors } from "../service-tiers.ts";

/** Digits behind the point of a price of one token: a ratio of 0.000001 is $0.000000000002 a token. */
const PLACES = 18;

/** What one unit costs, as exact decimal dollars. Absent: the model has no such price of its own. */
export type UsdPrices = Readonly<{
  /** A token of the prompt, and of the answer. */
  prompt: string;
  completion: string;
  /** A call, an image or a second, for models priced so. */
  request: string;
  input_cache_read?: string;
  input_cache_write?: string;
  input_cache_write_1h?: string;
  audio?: string;
  audio_output?: string;
  image_token?: string;
}>;

/** The parts of a price that the model, or its family, has for itself. */
type OwnParts = Readonly<{ audio: boolean; cacheWrite: boolean }>;

/** What a caller pays for each unit at this hour, their group's ratio included. `quotaPerUnit`: quota units of a dollar. */
export function usdPrices(price: Price, own: OwnParts, quotaPerUnit: Decimal): UsdPrices {
  if (price.kind === "per_call") {
    const { output } = appliedFactors(price);
    const usd = multiply(multiply(price.usdPerCall, output), price.groupRatio);
    return { prompt: "0", completion: "0", request: toText(usd) };
  }
  const { modelRatio, groupRatio, imageRatio } = price;
  const { input, output, cacheRead } = appliedFactors(price);
  const base = multiply(modelRatio, groupRatio);
  const perToken = (...factors: readonly Decimal[]) =>
    isZero(quotaPerUnit) ? "0" : toText(divide(factors.reduce(multiply, base), quotaPerUnit, PLACES));
  return {
    prompt: perToken(input),
    completion: perToken(output, price.completionRatio),
    request: "0",
    input_cache_read: perToken(cacheRead, price.cacheRatio),
    ...(own.cacheWrite && {
      input_cache_write: perToken(input, price.cacheCreationRatio),
      input_cache_write_1h: perToken(input, price.longCacheCreationRatio),
    }),
    ...(own.audio && {
      audio: perToken(input, price.audioRatio),
      audio_output: perToken(output, price.audioRatio, price.audioCompletionRatio),
    }),
    ...(imageRatio && { image_token: perToken(input, imageRatio) }),
  };
}

const RATIO_PLACES = 6;
export const YUAN_PER_USD = decimal("7.3");

/** A price of a section, in dollars. */
export const inDollars = (price: number, currency: PriceSection["currency"]): number =>
  currency === "CNY" ? quotient(price, YUAN_PER_USD) : price;

/** Rounded as ratios are. */
export const quotient = (a: number, b: Decimal): number => Number(toText(divide(decimal(a), b, RATIO_PLACES)));
