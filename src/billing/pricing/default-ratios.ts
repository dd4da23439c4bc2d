import { type Decimal, decimal, divide, multiply, toText } from "../../lib/decimal.ts";
import { ANTHROPIC_USD } from "./list-prices/anthropic.ts";
import { CHINESE_YUAN } from "./list-prices/chinese.ts";
import { CHINESE_CLOUDS_YUAN } from "./list-prices/chinese-clouds.ts";
import { GOOGLE_USD } from "./list-prices/google.ts";
import { HOSTED_USD } from "./list-prices/hosted.ts";
import type { ListPrice } from "./list-prices/list-price.ts";
import { OPENAI_USD } from "./list-prices/openai.ts";
import { PER_CALL_USD, PER_TASK_USD } from "./list-prices/per-call.ts";
import { VIDEO_USD } from "./list-prices/video.ts";
import { WESTERN_USD } from "./list-prices/western.ts";

/** Model name → ratio (or USD), as the price options keep it. */
export type RatioMap = Readonly<Record<string, number>>;

const RATIO_PLACES = 6;
const YUAN_PER_USD = decimal("7.3");
/** A ratio of 1 costs 2 USD per million input tokens. */
const USD_PER_RATIO = decimal(2);

const usd = { ...OPENAI_USD, ...ANTHROPIC_USD, ...GOOGLE_USD, ...WESTERN_USD, ...HOSTED_USD };
const yuan = { ...CHINESE_YUAN, ...CHINESE_CLOUDS_YUAN };
const all = { ...usd, ...yuan };

/** Shipped default of the option ModelRatio: USD per million input tokens ÷ 2. */
export const DEFAULT_MODEL_RATIO: RatioMap = {
  ...ratios(usd, ([input]) => quotient(decimal(input), USD_PER_RATIO)),
  ...ratios(yuan, ([input]) => quotient(decimal(input), multiply(USD_PER_RATIO, YUAN_PER_USD))),
};

/** Shipped default of the option CompletionRatio: output price ÷ input price. */
export const DEFAULT_COMPLETION_RATIO: RatioMap = ratios(all, ([input, output]) => relative(output, input));

/** Shipped default of the option CacheRatio: cached-input price ÷ input price. */
export const DEFAULT_CACHE_RATIO: RatioMap = ratios(all, ([input, , cached]) => relative(cached, input));

const secondsOfVideo = Object.entries(VIDEO_USD).map(([model, { usd }]) => [model, usd] as const);

/** Shipped default of the option ModelPrice: USD per call, of videos per second. */
export const DEFAULT_MODEL_PRICE: RatioMap = {
  ...PER_CALL_USD,
  ...PER_TASK_USD,
  ...Object.fromEntries(secondsOfVideo),
};

/** Those of them that no price list says: assumed. */
export const ESTIMATED_MODEL_PRICE: RatioMap = {
  ...PER_TASK_USD,
  ...Object.fromEntries(secondsOfVideo.filter(([model]) => VIDEO_USD[model]?.isEstimate)),
};

/** Shipped default of the option VideoPrice: USD of a second of a variant, where it differs from the base price. */
export const DEFAULT_VIDEO_PRICE: Readonly<Record<string, RatioMap>> = Object.fromEntries(
  Object.entries(VIDEO_USD).flatMap(([model, { variants }]) => (variants ? [[model, variants]] : [])),
);

/** Shipped default of the option CacheCreationRatio: cache-write price ÷ input price, where it is not 1.25. */
export const DEFAULT_CACHE_CREATION_RATIO: RatioMap = { "claude-3-haiku-20240307": 1.2 };

/** Shipped default of the option AudioRatio: audio input ÷ text input, beyond the family rules. */
export const DEFAULT_AUDIO_RATIO: RatioMap = {
  "gpt-audio": 12.8,
  "gpt-audio-mini": 16.666667,
  "gpt-realtime": 8,
  "gpt-realtime-mini": 16.666667,
  "gpt-4o-audio-preview": 16,
  "gpt-4o-audio-preview-2025-06-03": 16,
  "gpt-4o-realtime-preview": 8,
  "gpt-4o-realtime-preview-2025-06-03": 8,
  "gpt-4o-transcribe": 2.4,
  "gpt-4o-mini-transcribe": 2.4,
  "gpt-4o-mini-tts": 1,
  "gemini-2.0-flash": 7,
  "gemini-2.0-flash-001": 7,
  "gemini-2.5-flash": 3.333333,
  "gemini-2.5-flash-lite": 3,
  "gemini-3-flash-preview": 2,
};

/** Shipped default of the option AudioCompletionRatio: audio output ÷ audio input, where the family rule is wrong. */
export const DEFAULT_AUDIO_COMPLETION_RATIO: RatioMap = {
  "gpt-4o-mini-tts": 20,
  "gpt-4o-transcribe": 1.666667,
  "gpt-4o-mini-transcribe": 1.666667,
  "gemini-2.0-flash": 0.571429,
  "gemini-2.0-flash-001": 0.571429,
  "gemini-2.5-flash-lite": 1.333333,
};

/** Shipped default of the option ImageRatio: pictures in the prompt ÷ text, where providers list them apart. */
export const DEFAULT_IMAGE_RATIO: RatioMap = {
  "gpt-image-1": 2,
  "gpt-image-1-mini": 1.25,
  "gpt-image-1.5": 1.6,
  "gpt-realtime": 1.25,
  "gpt-realtime-mini": 1.333333,
};

/** Shipped default of the option ImageCompletionRatio: pictures answered ÷ pictures in the prompt. */
export const DEFAULT_IMAGE_COMPLETION_RATIO: RatioMap = {
  "gpt-image-1": 4,
  "gpt-image-1-mini": 3.2,
  "gpt-image-1.5": 4,
  "gemini-2.5-flash-image": 100,
  "gemini-3-pro-image-preview": 60,
};

function ratios(
  list: Readonly<Record<string, ListPrice>>,
  of: (price: ListPrice) => number | undefined,
): Record<string, number> {
  const found = Object.entries(list).map(([model, price]) => [model, of(price)] as const);
  return Object.fromEntries(found.filter((entry): entry is readonly [string, number] => entry[1] !== undefined));
}

function relative(part: number | undefined, input: number): number | undefined {
  return part === undefined || input === 0 ? undefined : quotient(decimal(part), decimal(input));
}

function quotient(a: Decimal, b: Decimal): number {
  return Number(toText(divide(a, b, RATIO_PLACES)));
}
