import { add, ceilToWhole, type Decimal, isNegative, multiply, ONE, subtract, whole } from "../../lib/decimal.ts";
import type { Price } from "../types.ts";
import { saneTokens } from "./sane-usage.ts";

type Expected = Readonly<{
  promptTokens: number;
  /** The client's output limit times the answers it asks for; null: it set none. */
  maxOutputTokens: number | null;
  /** Output expected without a limit: the option PreConsumedQuota. */
  defaultOutputTokens: number;
  /** Part of the prompt that is audio. */
  audioInputTokens?: number;
  /** The request asks for its prompt to be cached, so all of it may be billed as a cache write. */
  writesCache?: boolean;
}>;

/**
 * The most that a call can cost, in whole quota units, to be held before it starts: the whole prompt at its dearest, the
 * output limit at the dearer of text and audio, rounded up. A fixed price is its own upper bound.
 */
export function estimate(price: Price, expected: Expected, quotaPerUnit: Decimal): number {
  if (price.kind === "per_call") {
    const { usdPerCall, seconds = 1 } = price;
    return upper(multiply(multiply(usdPerCall, whole(seconds)), quotaPerUnit), price.groupRatio);
  }
  const prompt = saneTokens(expected.promptTokens);
  const audio = Math.min(saneTokens(expected.audioInputTokens ?? 0), prompt);
  const output = saneTokens(expected.maxOutputTokens ?? expected.defaultOutputTokens);
  const textFactor = expected.writesCache ? dearer(ONE, price.cacheCreationRatio) : ONE;
  const outputFactor = dearer(price.completionRatio, multiply(price.audioRatio, price.audioCompletionRatio));
  const audioFactor = dearer(textFactor, price.audioRatio);
  const input = add(multiply(whole(prompt - audio), textFactor), multiply(whole(audio), audioFactor));
  const tokens = add(input, multiply(whole(output), outputFactor));
  return upper(multiply(tokens, price.modelRatio), price.groupRatio);
}

const upper = (amount: Decimal, groupRatio: Decimal): number => Math.max(0, ceilToWhole(multiply(amount, groupRatio)));

const dearer = (a: Decimal, b: Decimal): Decimal => (isNegative(subtract(a, b)) ? b : a);
