import { type Decimal, fixedInteger, fixedPoint, integer, multiply, ONE, roundUp } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";
import { type ContextTier, dearer, highestTier } from "./rules/context-tiers.ts";
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
  const {
    text,
    audio: audioFactor,
    output: outputFactor,
    scale,
  } = maxFactorsOf(price, expected.writesCache ?? "none", prompt);
  const input = BigInt(prompt - audio) * text + BigInt(audio) * audioFactor;
  return fixedInteger(input + BigInt(output) * outputFactor, scale, "up");
}

type TokenPrice = Extract<Price, { kind: "per_token" }>;

/** The most that a token can cost, in 10^-`scale` quota units; computed once, because calls share prices. */
type MaxFactors = Readonly<{ text: bigint; audio: bigint; output: bigint; scale: number }>;
const factorsByPrice = new WeakMap<TokenPrice, Map<string, MaxFactors>>();

function maxFactorsOf(price: TokenPrice, writes: CacheWrites, promptTokens: number): MaxFactors {
  const tiers = price.contextTiers?.filter(({ over }) => promptTokens > over) ?? NO_TIERS;
  const name = tiers.length === 0 ? writes : `${writes} ${tiers.length}`;
  const byName = factorsByPrice.get(price);
  const known = byName?.get(name);
  if (known) return known;
  const factors = makeMaxFactors(price, writes, highestTier(tiers));
  if (byName) byName.set(name, factors);
  else factorsByPrice.set(price, new Map([[name, factors]]));
  return factors;
}

const NO_TIERS: readonly ContextTier[] = [];

function makeMaxFactors(price: TokenPrice, writes: CacheWrites, tier: ReturnType<typeof highestTier>): MaxFactors {
  const { modelRatio, audioRatio, completionRatio, imageRatio = ONE, groupRatio } = price;
  const text = dearer(dearer(ONE, imageRatio), writeRatio(price, writes));
  const drawn = price.imageCompletionRatio ? multiply(imageRatio, price.imageCompletionRatio) : ONE;
  const audio = multiply(audioRatio, price.audioCompletionRatio);
  const ratio = multiply(modelRatio, groupRatio);
  const [input, output] = [multiply(ratio, tier.input), multiply(ratio, tier.output)];
  const factors = [
    multiply(text, input),
    multiply(dearer(text, audioRatio), input),
    multiply(dearer(dearer(completionRatio, drawn), audio), output),
  ] as const;
  const scale = Math.max(...factors.map((factor) => fixedPoint(factor).scale));
  const unitsOf = (factor: Decimal) => fixedPoint(factor, scale).units;
  return { text: unitsOf(factors[0]), audio: unitsOf(factors[1]), output: unitsOf(factors[2]), scale };
}

function writeRatio(price: TokenPrice, writes: CacheWrites): Decimal {
  if (writes === "none") return ONE;
  return writes === "long" ? price.longCacheCreationRatio : price.cacheCreationRatio;
}

const upper = (amount: Decimal, groupRatio: Decimal): number => Math.max(0, roundUp(multiply(amount, groupRatio)));
