import type { CatalogPrice } from "../../../catalog/entry.ts";
import { decimal, multiply, ONE, toText } from "../../../lib/values/decimal.ts";
import { quotient, YUAN_PER_USD } from "./usd-prices.ts";

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
  MegapixelPrice?: number;
  VideoPrice?: Readonly<Record<string, number>>;
}>;

/** A price in dollars or yuan as the price options keep it: ratios of tokens, dollars of a call, a megapixel or a second. */
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
    MegapixelPrice: inUsd(price.per_megapixel),
    VideoPrice:
      variants &&
      Object.fromEntries(Object.entries(variants).map(([conditions, usd]) => [conditions, inUsd(usd) ?? usd])),
  };
}

function relative(part: number | undefined, integer: number | undefined): number | undefined {
  return part === undefined || !integer ? undefined : quotient(part, decimal(integer));
}

/**
 * A price in dollars from what the options keep; `unit`: what the fixed price is for. Null: of a model with variants a second of
 * video, of others a call.
 */
export function priceOf(ratios: PriceRatios, unit: "call" | "second" | null): CatalogPrice {
  const { ModelPrice: fixed, ModelRatio, MegapixelPrice, VideoPrice: variants } = ratios;
  if (fixed !== undefined) {
    return {
      ...((unit === null ? variants : unit === "second") ? { per_second: fixed } : { per_call: fixed }),
      ...(MegapixelPrice !== undefined && { per_megapixel: MegapixelPrice }),
      ...(variants && { variants }),
    };
  }
  if (ModelRatio === undefined) return {};
  const input = product(2, ModelRatio);
  const times = (base: number | undefined, ratio: number | undefined) =>
    base === undefined || ratio === undefined ? undefined : product(base, ratio);
  const output = times(input, ratios.CompletionRatio);
  const audioInput = times(input, ratios.AudioRatio);
  const imageInput = times(input, ratios.ImageRatio);
  const price: CatalogPrice = {
    input,
    output,
    cache_read: times(input, ratios.CacheRatio),
    cache_write: times(input, ratios.CacheCreationRatio),
    audio_input: audioInput,
    audio_output: times(audioInput, ratios.AudioCompletionRatio),
    image_input: imageInput,
    image_output: times(imageInput ?? input, ratios.ImageCompletionRatio),
    tiers: ratios.ContextTiers?.map((tier) => ({
      over: tier.over,
      input: product(input, tier.input),
      output: product(output ?? 0, tier.output),
    })),
  };
  return Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined));
}

/** Rounded to as many places as ratios have. */
const product = (a: number, b: number): number => quotient(Number(toText(multiply(decimal(a), decimal(b)))), ONE);
