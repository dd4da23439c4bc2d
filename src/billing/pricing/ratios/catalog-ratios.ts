import type { CatalogPrice } from "../../../catalog/entry.ts";
import { decimal, divide, multiply, ONE, toText } from "../../../lib/values/decimal.ts";
import type { Weekday } from "../price-hours.ts";
import { quotient, YUAN_PER_USD } from "./usd-prices.ts";

/** A ratio of 1 costs 2 USD per million input tokens. */
const USD_PER_RATIO = decimal(2);

/** A step of a price by length of the prompt, as factors. */
type TierRatios = Readonly<{ over: number; input: number; output: number }>;

/** What a service tier, or hours, multiply a price by; cached input follows input where it is not stated. */
type FactorRatios = Readonly<{ input: number; output: number; cache_read?: number }>;

/** Hours of some days with factors, as the option PriceHours keeps them. */
export type HourRatios = FactorRatios &
  Readonly<{ days?: readonly Weekday[]; from: string; until: string; zone: string }>;

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
  ServiceTiers?: Readonly<Record<string, FactorRatios>>;
  PriceHours?: readonly HourRatios[];
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
    ...specialRatios(price),
    ModelPrice: inUsd(per_second ?? per_call),
    MegapixelPrice: inUsd(price.per_megapixel),
    VideoPrice:
      variants &&
      Object.fromEntries(Object.entries(variants).map(([conditions, usd]) => [conditions, inUsd(usd) ?? usd])),
  };
}

const FACTOR_PLACES = 12;

/** Service tiers and hours of a price as factors. Of a fixed price the factor of output counts. */
function specialRatios(price: CatalogPrice): Pick<PriceRatios, "ServiceTiers" | "PriceHours"> {
  const bases = basesOf(price);
  const factor = (amount: number | undefined, base: number | undefined) =>
    amount === undefined || !base ? 1 : Number(toText(divide(decimal(amount), decimal(base), FACTOR_PLACES)));
  const factors = (amounts: SpecialAmounts): FactorRatios => {
    const input = factor(amounts.input, bases.input);
    const cached = amounts.cache_read === undefined ? input : factor(amounts.cache_read, bases.cacheRead);
    const output = factor(amounts.output, bases.output);
    return { input, output, ...(cached !== input && { cache_read: cached }) };
  };
  const { service_tiers: tiers, hours } = price;
  return {
    ServiceTiers: tiers && Object.fromEntries(Object.entries(tiers).map(([name, tier]) => [name, factors(tier)])),
    PriceHours: hours?.map(({ days, from = "", until = "", zone = "", ...amounts }) => ({
      ...(days && { days }),
      ...{ from, until, zone },
      ...factors(amounts),
    })),
  };
}

type SpecialAmounts = Readonly<{ input?: number; output?: number; cache_read?: number }>;

/** The amounts that those of tiers and hours are compared with. */
function basesOf({ input, output, cache_read, per_call, per_second }: CatalogPrice) {
  const fixed = per_second ?? per_call;
  return { input: input ?? fixed, output: output ?? input ?? fixed, cacheRead: cache_read ?? input ?? fixed };
}

/** Tiers and hours as amounts of a price. */
function specialAmounts({ ServiceTiers: tiers, PriceHours: hours }: PriceRatios, price: CatalogPrice): CatalogPrice {
  const base = basesOf(price);
  const amounts = ({ input, output, cache_read }: FactorRatios): SpecialAmounts => ({
    input: product(base.input ?? 0, input),
    output: product(base.output ?? 0, output),
    ...(cache_read !== undefined && { cache_read: product(base.cacheRead ?? 0, cache_read) }),
  });
  return {
    ...price,
    ...(tiers && { service_tiers: Object.fromEntries(Object.entries(tiers).map(([name, t]) => [name, amounts(t)])) }),
    ...(hours && {
      hours: hours.map(({ days, from, until, zone, ...factors }) => ({
        ...(days && { days }),
        ...{ from, until, zone },
        ...amounts(factors),
      })),
    }),
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
    return specialAmounts(ratios, {
      ...((unit === null ? variants : unit === "second") ? { per_second: fixed } : { per_call: fixed }),
      ...(MegapixelPrice !== undefined && { per_megapixel: MegapixelPrice }),
      ...(variants && { variants }),
    });
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
  const known: CatalogPrice = Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined));
  return specialAmounts(ratios, known);
}

/** Rounded to as many places as ratios have. */
const product = (a: number, b: number): number => quotient(Number(toText(multiply(decimal(a), decimal(b)))), ONE);
