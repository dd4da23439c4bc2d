import { PRICE_SECTIONS } from "../list-prices.ts";
import type { PriceRatios } from "./catalog-ratios.ts";
import { SHIPPED_RATIOS } from "./shipped-ratios.ts";

/** Model name → ratio (or USD), as the price options keep it. */
export type RatioMap = Readonly<Record<string, number>>;

/** Shipped default of a price option: the entries of all models that have one. */
const shipped = <K extends keyof PriceRatios>(option: K): Readonly<Record<string, NonNullable<PriceRatios[K]>>> =>
  Object.fromEntries(
    [...SHIPPED_RATIOS].flatMap(([model, ratios]) => {
      const value = ratios[option];
      return value === undefined ? [] : [[model, value] as const];
    }),
  );

/** USD per million input tokens ÷ 2. */
export const DEFAULT_MODEL_RATIO: RatioMap = shipped("ModelRatio");

/** Output price ÷ input price. */
export const DEFAULT_COMPLETION_RATIO: RatioMap = shipped("CompletionRatio");

/** Cached-input price ÷ input price. */
export const DEFAULT_CACHE_RATIO: RatioMap = shipped("CacheRatio");

/** Cache-write price ÷ input price, where it is not 1.25. */
export const DEFAULT_CACHE_CREATION_RATIO: RatioMap = shipped("CacheCreationRatio");

/** Audio input ÷ text input, beyond the family rules. */
export const DEFAULT_AUDIO_RATIO: RatioMap = shipped("AudioRatio");

/** Audio output ÷ audio input, where the family rule is wrong. */
export const DEFAULT_AUDIO_COMPLETION_RATIO: RatioMap = shipped("AudioCompletionRatio");

/** Images in the prompt ÷ text, where providers list them apart. */
export const DEFAULT_IMAGE_RATIO: RatioMap = shipped("ImageRatio");

/** Images answered ÷ images in the prompt. */
export const DEFAULT_IMAGE_COMPLETION_RATIO: RatioMap = shipped("ImageCompletionRatio");

/** Prices of long prompts ÷ the base price, input and output apart. */
export const DEFAULT_CONTEXT_TIERS = shipped("ContextTiers");

/** Prices of service tiers ÷ the base price. */
export const DEFAULT_SERVICE_TIERS = shipped("ServiceTiers");

/** Hours at which providers ask more or less. */
export const DEFAULT_PRICE_HOURS = shipped("PriceHours");

/** USD per call, of videos per second or per video. */
export const DEFAULT_MODEL_PRICE: RatioMap = shipped("ModelPrice");

/** Those of them that no price list has: estimated. */
export const ESTIMATED_MODEL_PRICE: RatioMap = Object.fromEntries(
  PRICE_SECTIONS.flatMap(({ prices }) =>
    Object.entries(prices).flatMap(([model, { estimated }]) =>
      estimated ? [[model, DEFAULT_MODEL_PRICE[model] ?? 0] as const] : [],
    ),
  ),
);

/** USD of a megapixel of an image after the first, and of one in the request. */
export const DEFAULT_MEGAPIXEL_PRICE: RatioMap = shipped("MegapixelPrice");

/** USD of a second, or a video, of a variant, where it differs from the base price. */
export const DEFAULT_VIDEO_PRICE: Readonly<Record<string, RatioMap>> = shipped("VideoPrice");
