import { add, type Decimal, integer, multiply, ONE, roundUp } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";
import { dearer, highestTier } from "./rules/context-tiers.ts";
import { saneTokens } from "./sane-usage.ts";

/** Whether a request asks for cache writes, and whether of an hour, which are dearer. */
export type CacheWrites = "none" | "short" | "long";

type Expected = Readonly<{
  /** An upper bound. */
  promptTokens: number;
  /** The client's output limit times the answers it asks for; null: it set none. */
  maxOutputTokens: number | null;
  /** Output expected without a limit: the option PreConsumedQuota. */
  defaultOutputTokens: number;
  /** Part of the prompt that is audio. */
  audioInputTokens?: number;
  /** The request asks for its prompt to be cached, so all of it may be billed as a cache write. */
  writesCache?: CacheWrites;
}>;

/**
 * The most that a call can cost, in whole quota units, to be held before it starts: the whole prompt at its highest price, the
 * output limit at the highest price of text, audio and images, both at the highest tier that such a prompt can reach, rounded up. A fixed price is its own upper bound.
 */
export function estimate(price: Price, expected: Expected, quotaPerUnit: Decimal): number {
  if (price.kind === "per_call") {
    const { usdPerCall, seconds = 1, images = 1 } = price;
    return upper(multiply(multiply(usdPerCall, integer(seconds * images)), quotaPerUnit), price.groupRatio);
  }
  const prompt = saneTokens(expected.promptTokens);
  const audio = Math.min(saneTokens(expected.audioInputTokens ?? 0), prompt);
  const output = saneTokens(expected.maxOutputTokens ?? expected.defaultOutputTokens);
  const factors = maxFactorsOf(price, expected.writesCache ?? "none");
  let input = multiply(integer(prompt - audio), factors.text);
  if (audio > 0) input = add(input, multiply(integer(audio), factors.audio));
  let answer = multiply(integer(output), factors.output);
  if (price.contextTiers) {
    const steps = highestTier(price.contextTiers, prompt);
    input = multiply(input, steps.input);
    answer = multiply(answer, steps.output);
  }
  return upper(add(input, answer), price.groupRatio);
}

type TokenPrice = Extract<Price, { kind: "per_token" }>;

/** The most that a token can cost, in quota units before the group's ratio; computed once, because calls share prices. */
type MaxFactors = Readonly<{ text: Decimal; audio: Decimal; output: Decimal }>;
const factorsByPrice = new WeakMap<TokenPrice, Partial<Record<CacheWrites, MaxFactors>>>();

function maxFactorsOf(price: TokenPrice, writes: CacheWrites): MaxFactors {
  const known = factorsByPrice.get(price)?.[writes];
  if (known) return known;
  const { modelRatio, audioRatio, completionRatio, imageRatio = ONE } = price;
  const text = dearer(dearer(ONE, imageRatio), writeRatio(price, writes));
  const drawn = price.imageCompletionRatio ? multiply(imageRatio, price.imageCompletionRatio) : ONE;
  const audio = multiply(audioRatio, price.audioCompletionRatio);
  const factors: MaxFactors = {
    text: multiply(text, modelRatio),
    audio: multiply(dearer(text, audioRatio), modelRatio),
    output: multiply(dearer(dearer(completionRatio, drawn), audio), modelRatio),
  };
  factorsByPrice.set(price, { ...factorsByPrice.get(price), [writes]: factors });
  return factors;
}

function writeRatio(price: TokenPrice, writes: CacheWrites): Decimal {
  if (writes === "none") return ONE;
  return writes === "long" ? price.longCacheCreationRatio : price.cacheCreationRatio;
}

const upper = (amount: Decimal, groupRatio: Decimal): number => Math.max(0, roundUp(multiply(amount, groupRatio)));
