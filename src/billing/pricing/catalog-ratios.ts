import type { CatalogPrice } from "../../catalog/entry.ts";
import { decimal, multiply } from "../../lib/decimal.ts";
import { quotient, YUAN_PER_USD } from "./in-dollars.ts";

/** A ratio of 1 costs 2 USD per million input tokens. */
const USD_PER_RATIO = decimal(2);

/** A step of a price by length of the prompt, as factors. */
type TierRatios = Readonly<{ over: number; input: number; output: number }>;

/** What the price options keep of one price. Absent: that option has no entry for the model. */
export type PriceRatios = Readonly<{
  ModelRatio?: number;
  CompletionRatio?: number;
  CacheRatio?: number;
  CacheCreationRatio?: number;
  AudioRatio?: number;
  AudioCompletionRatio?: number;
  ImageRatio?: number;
  ImageCompletionRatio?: number;
  ContextTiers?: readonly TierRatios[];
  ModelPrice?: number;
  VideoPrice?: Readonly<Record<string, number>>;
}>;

/** A price in dollars or yuan as the price options keep it: ratios of tokens, dollars of a call or of a second. */
export function ratiosOf(price: CatalogPrice, currency: "USD" | "CNY"): PriceRatios {
  const { input, output, per_call, per_second, variants } = price;
  const inUsd = (amount: number | undefined) =>
    amount === undefined || currency === "USD" ? amount : quotient(amount, YUAN_PER_USD);
  return {
    ...(input !== undefined && {
      ModelRatio: quotient(input, currency === "CNY" ? multiply(USD_PER_RATIO, YUAN_PER_USD) : USD_PER_RATIO),
    }),
    CompletionRatio: relative(output, input),
    CacheRatio: relative(price.cache_read, input),
    CacheCreationRatio: relative(price.cache_write, input),
    AudioRatio: relative(price.audio_input, input),
    AudioCompletionRatio: relative(price.audio_output, price.audio_input),
    ImageRatio: relative(price.image_input, input),
    ImageCompletionRatio: relative(price.image_output, price.image_input ?? input),
    ContextTiers: price.tiers?.map(({ over = 0, ...tier }) => ({
      over,
      input: relative(tier.input, input) ?? 1,
      output: relative(tier.output, output) ?? 1,
    })),
    ModelPrice: inUsd(per_second ?? per_call),
    VideoPrice:
      variants &&
      Object.fromEntries(Object.entries(variants).map(([conditions, usd]) => [conditions, inUsd(usd) ?? usd])),
  };
}

function relative(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || !whole ? undefined : quotient(part, decimal(whole));
}
