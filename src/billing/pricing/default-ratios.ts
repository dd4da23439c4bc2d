import { decimal, multiply } from "../../lib/decimal.ts";
import { quotient, YUAN_PER_USD } from "./in-dollars.ts";
import { listed, PRICE_SECTIONS, type PriceSection } from "./list-prices.ts";

/** Model name → ratio (or USD), as the price options keep it. */
export type RatioMap = Readonly<Record<string, number>>;

/** A ratio of 1 costs 2 USD per million input tokens. */
const USD_PER_RATIO = decimal(2);

/** Shipped default of the option ModelRatio: USD per million input tokens ÷ 2. */
export const DEFAULT_MODEL_RATIO: RatioMap = ofTokens(([input = 0], { currency }) =>
  quotient(input, currency === "CNY" ? multiply(USD_PER_RATIO, YUAN_PER_USD) : USD_PER_RATIO),
);

/** Shipped default of the option CompletionRatio: output price ÷ input price. */
export const DEFAULT_COMPLETION_RATIO: RatioMap = ofTokens(([input, output]) => relative(output, input));

/** Shipped default of the option CacheRatio: cached-input price ÷ input price. */
export const DEFAULT_CACHE_RATIO: RatioMap = ofTokens(([input, , cached]) => relative(cached, input));

/** Shipped default of the option CacheCreationRatio: cache-write price ÷ input price, where it is not 1.25. */
export const DEFAULT_CACHE_CREATION_RATIO: RatioMap = ofTokens(([input], { cacheWrite }, model) =>
  relative(cacheWrite?.[model], input),
);

/** Shipped default of the option AudioRatio: audio input ÷ text input, beyond the family rules. */
export const DEFAULT_AUDIO_RATIO: RatioMap = ofTokens(([input], { audio }, model) =>
  relative(audio?.[model]?.[0], input),
);

/** Shipped default of the option AudioCompletionRatio: audio output ÷ audio input, where the family rule is wrong. */
export const DEFAULT_AUDIO_COMPLETION_RATIO: RatioMap = ofTokens((_price, { audio }, model) =>
  relative(audio?.[model]?.[1], audio?.[model]?.[0]),
);

/** Shipped default of the option ImageRatio: pictures in the prompt ÷ text, where providers list them apart. */
export const DEFAULT_IMAGE_RATIO: RatioMap = ofTokens(([input], { pictures }, model) =>
  relative(pictures?.[model]?.[0], input),
);

/** Shipped default of the option ImageCompletionRatio: pictures answered ÷ pictures in the prompt. */
export const DEFAULT_IMAGE_COMPLETION_RATIO: RatioMap = ofTokens(([input], { pictures }, model) =>
  relative(pictures?.[model]?.[1], pictures?.[model]?.[0] ?? input),
);

/** Shipped default of the option ContextTiers: prices of long prompts ÷ the base price, input and output apart. */
export const DEFAULT_CONTEXT_TIERS = ofTokens(([input, output], { long }, model) =>
  long?.[model]?.map(([over = 0, dearInput, dearOutput]) => ({
    over,
    input: relative(dearInput, input) ?? 1,
    output: relative(dearOutput, output) ?? 1,
  })),
);

/** Shipped default of the option ModelPrice: USD per call, of videos per second. */
export const DEFAULT_MODEL_PRICE: RatioMap = { ...listed("perCall"), ...listed("perSecond") };

/** Those of them that no price list says: assumed. */
export const ESTIMATED_MODEL_PRICE: RatioMap = Object.fromEntries(
  PRICE_SECTIONS.flatMap(({ assumed = [] }) => assumed).map((model) => [model, DEFAULT_MODEL_PRICE[model] ?? 0]),
);

/** Shipped default of the option VideoPrice: USD of a second of a variant, where it differs from the base price. */
export const DEFAULT_VIDEO_PRICE: Readonly<Record<string, RatioMap>> = listed("variants");

/** What follows from each price of tokens; models for which that is nothing are left out. */
function ofTokens<T>(
  of: (price: readonly number[], section: PriceSection, model: string) => T | undefined,
): Readonly<Record<string, T>> {
  const found = PRICE_SECTIONS.flatMap((section) =>
    Object.entries(section.perMillion ?? {}).map(([model, price]) => [model, of(price, section, model)] as const),
  );
  return Object.fromEntries(found.filter((entry): entry is readonly [string, T & {}] => entry[1] !== undefined));
}

function relative(part: number | null | undefined, whole: number | null | undefined): number | undefined {
  return part == null || !whole ? undefined : quotient(part, decimal(whole));
}
