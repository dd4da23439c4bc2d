import { add, ceilToWhole, type Decimal, multiply, ONE, whole } from "../../lib/decimal.ts";
import type { Price } from "../types.ts";
import { dearer, dearestTier } from "./context-tiers.ts";
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
 * The most that a call can cost, in whole quota units, to be held before it starts: the whole prompt at its dearest, the
 * output limit at the dearest of text, audio and pictures, both on the dearest step that such a prompt can reach, rounded up. A fixed price is its own upper bound.
 */
export function estimate(price: Price, expected: Expected, quotaPerUnit: Decimal): number {
  if (price.kind === "per_call") {
    const { usdPerCall, seconds = 1 } = price;
    return upper(multiply(multiply(usdPerCall, whole(seconds)), quotaPerUnit), price.groupRatio);
  }
  const prompt = saneTokens(expected.promptTokens);
  const audio = Math.min(saneTokens(expected.audioInputTokens ?? 0), prompt);
  const output = saneTokens(expected.maxOutputTokens ?? expected.defaultOutputTokens);
  const imageRatio = price.imageRatio ?? ONE;
  const textFactor = dearer(dearer(ONE, imageRatio), writeRatio(price, expected.writesCache));
  const drawnFactor = price.imageCompletionRatio ? multiply(imageRatio, price.imageCompletionRatio) : ONE;
  const spokenFactor = multiply(price.audioRatio, price.audioCompletionRatio);
  const outputFactor = dearer(dearer(price.completionRatio, drawnFactor), spokenFactor);
  const audioFactor = dearer(textFactor, price.audioRatio);
  const input = add(multiply(whole(prompt - audio), textFactor), multiply(whole(audio), audioFactor));
  const steps = dearestTier(price.contextTiers, prompt);
  const tokens = add(multiply(input, steps.input), multiply(multiply(whole(output), outputFactor), steps.output));
  return upper(multiply(tokens, price.modelRatio), price.groupRatio);
}

function writeRatio(price: Extract<Price, { kind: "per_token" }>, writes: CacheWrites = "none"): Decimal {
  if (writes === "none") return ONE;
  return writes === "long" ? price.longCacheCreationRatio : price.cacheCreationRatio;
}

const upper = (amount: Decimal, groupRatio: Decimal): number => Math.max(0, ceilToWhole(multiply(amount, groupRatio)));
