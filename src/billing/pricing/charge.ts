import type { Usage } from "../../formats/conversation/reply.ts";
import { saneTokens, saneUsage } from "../../formats/conversation/sane-usage.ts";
import {
  add,
  type Decimal,
  type FixedPoint,
  fixedInteger,
  fixedPoint,
  fixedText,
  integer,
  isZero,
  multiply,
  ONE,
  powerOfTen,
  roundUp,
  toText,
  ZERO,
} from "../../lib/values/decimal.ts";
import type { Price, Receipt, ReceiptLine } from "../types.ts";
import { type ContextTier, dearer, highestTier, tierOf, toolPriceOf } from "./price-rules.ts";
import { appliedFactors } from "./service-tiers.ts";

/** What the tokens of one kind (or the call) are multiplied by, with its text for receipts. */
type Factor = Readonly<{ item: string; units: bigint; text: string }>;

/** A price's factors: computed once, because calls share prices. */
type Factors = Readonly<{
  /** In the order of `quantitiesOf`. */
  parts: readonly Factor[];
  /** The decimals of their units. */
  scale: number;
  hasMinimum: boolean;
  groupRatio: FixedPoint;
  groupText: string;
}>;
const factorsByPrice = new WeakMap<Price, Map<ContextTier | undefined, Factors>>();

/**
 * What a call costs, in rounded quota units, with its sums:
 * [input + cached × rc + written × rw + output × ro + audio in × ra + audio out × ra × rao
 * + image in × ri + image out × ri × rio] × rm × rg, each input and
 * output times its factor where the prompt is on a step of the model's prices by length, and times those of the hours at which
 * the call began and of the service tiers that served it, or
 * USD per call (and megapixel) × `quotaPerUnit` × rg; tools that the provider ran cost USD per use × `quotaPerUnit` × rg besides, and so do
 * media that it bills by themselves where tokens have a price; rounded once, halves away from zero. A call with neither tokens
 * nor such media costs nothing, whatever the price; a ratio above zero costs at least 1. Nonsense in `usage` counts as 0 and the
 * charge is never negative.
 */
export function charge(price: Price, usage: Usage, quotaPerUnit: Decimal): { quota: number; receipt: Receipt } {
  const counted = saneUsage(usage);
  const used = counted.promptTokens + counted.completionTokens > 0 || counted.media !== undefined;
  const tiers = price.kind === "per_token" ? price.contextTiers : undefined;
  const tier = tiers && tierOf(tiers, counted.promptTokens);
  const factors = factorsByPrice.get(price)?.get(tier) ?? makeFactors(price, tier);
  const unit = units.get(quotaPerUnit) ?? makeUnit(quotaPerUnit);
  const perUnit = price.kind === "per_call" ? unit.fixed : NOT_MULTIPLIED;
  let scale = factors.scale + perUnit.scale;
  let subtotal = 0n;
  const lines: ReceiptLine[] = [];
  const quantities = used ? quantitiesOf(price, counted) : [];
  for (let at = 0; at < quantities.length; at += 1) {
    const quantity = quantities[at];
    const factor = factors.parts[at];
    if (!quantity || !factor) continue;
    const { item, units, text } = factor;
    const amount = BigInt(quantity) * units * perUnit.units;
    subtotal += amount;
    lines.push({ item, quantity: String(quantity), factor: text, amount: fixedText(amount, scale) });
  }
  const extras =
    price.kind === "per_token" && counted.media ? { ...counted.toolCalls, ...counted.media } : counted.toolCalls;
  if (used && extras) {
    const tools = toolLines(price, extras, quotaPerUnit);
    const sum = fixedPoint(
      tools.reduce((total, { exact }) => add(total, exact), ZERO),
      scale,
    );
    subtotal = subtotal * powerOfTen(sum.scale - scale) + sum.units;
    scale = sum.scale;
    for (const { line } of tools) lines.push(line);
  }
  const exact = subtotal * factors.groupRatio.units;
  const exactScale = scale + factors.groupRatio.scale;
  let quota = fixedInteger(exact, exactScale, "nearest");
  if (quota === 0 && used && factors.hasMinimum) {
    quota = 1;
    lines.push({ item: "minimum", quantity: "1", factor: "1", amount: "1" });
  }
  const receipt: Receipt = {
    lines,
    subtotal: fixedText(subtotal, scale),
    groupRatio: factors.groupText,
    total: quota,
    quotaPerUnit: unit.text,
  };
  const rounding = BigInt(quota) * powerOfTen(exactScale) - exact;
  if (rounding !== 0n) receipt.rounding = fixedText(rounding, exactScale);
  if (price.discount) receipt.discountPercent = toText(price.discount.percent);
  if (tier) receipt.contextOver = tier.over;
  if (price.hours) receipt.hours = price.hours.text;
  if (price.appliedTiers) {
    receipt.serviceTier = price.appliedTiers.name;
    if (price.appliedTiers.isGeneral) receipt.isGeneralTier = true;
  }
  if (price.kind === "per_call" && price.variant !== undefined) receipt.variant = price.variant;
  return { quota, receipt };
}

const NOT_MULTIPLIED: FixedPoint = { units: 1n, scale: 0 };

/** Quota units per dollar, converted once: all calls share the number. */
function makeUnit(unit: Decimal): Readonly<{ fixed: FixedPoint; text: string }> {
  const made = { fixed: fixedPoint(unit), text: toText(unit) };
  units.set(unit, made);
  return made;
}

const units = new WeakMap<Decimal, Readonly<{ fixed: FixedPoint; text: string }>>();

/** The cost of tools that the provider ran itself, and of media billed by themselves, in addition to tokens or a fixed price. */
function toolLines(price: Price, toolCalls: NonNullable<Usage["toolCalls"]>, quotaPerUnit: Decimal) {
  return Object.entries(toolCalls).flatMap(([tool, count]) => {
    const usd = price.toolPrices && toolPriceOf(price.toolPrices, tool, price.pricedAs);
    const uses = saneTokens(count);
    if (!usd || uses === 0) return [];
    const exact = multiply(multiply(integer(uses), usd), quotaPerUnit);
    return [{ exact, line: { item: tool, quantity: String(uses), factor: toText(usd), amount: toText(exact) } }];
  });
}

function makeFactors(price: Price, tier: ContextTier | undefined): Factors {
  const parts = partsOf(price, tier);
  const scale = Math.max(...parts.map(([, factor]) => fixedPoint(factor).scale));
  const factors = {
    parts: parts.map(([item, factor]) => ({ item, units: fixedPoint(factor, scale).units, text: toText(factor) })),
    scale,
    hasMinimum: price.kind === "per_token" && !isZero(multiply(price.modelRatio, price.groupRatio)),
    groupRatio: fixedPoint(price.groupRatio),
    groupText: toText(price.groupRatio),
  };
  const byTier = factorsByPrice.get(price);
  if (byTier) byTier.set(tier, factors);
  else factorsByPrice.set(price, new Map([[tier, factors]]));
  return factors;
}

function partsOf(price: Price, tier: ContextTier | undefined): (readonly [item: string, factor: Decimal])[] {
  if (price.kind === "per_call") {
    const { seconds, images } = price;
    const { usdPerCall, usdPerMegapixel } = fixedPrices(price);
    const isPerSecond = seconds !== undefined && images === undefined;
    const call = [isPerSecond ? "per_second" : "per_call", usdPerCall] as const;
    if (!usdPerMegapixel) return [call];
    return [call, ["output_megapixel", usdPerMegapixel], ["input_megapixel", usdPerMegapixel]];
  }
  const factors = appliedFactors(price);
  const base = multiply(price.modelRatio, tier?.input ?? ONE);
  const input = multiply(base, factors.input);
  const output = multiply(multiply(price.modelRatio, tier?.output ?? ONE), factors.output);
  const { imageRatio = ONE, imageCompletionRatio = ONE } = price;
  return [
    ["input", input],
    ["cache_read", multiply(multiply(base, factors.cacheRead), price.cacheRatio)],
    ["cache_write", multiply(input, price.cacheCreationRatio)],
    ["cache_write_1h", multiply(input, price.longCacheCreationRatio)],
    ["audio_input", multiply(input, price.audioRatio)],
    ["image_input", multiply(input, imageRatio)],
    ["output", multiply(output, price.completionRatio)],
    ["audio_output", multiply(multiply(output, price.audioRatio), price.audioCompletionRatio)],
    ["image_output", multiply(multiply(output, imageRatio), imageCompletionRatio)],
  ];
}

/** Fixed prices follow the factor of output. */
function fixedPrices(price: Extract<Price, { kind: "per_call" }>) {
  const { output } = appliedFactors(price);
  const { usdPerCall, usdPerMegapixel } = price;
  return {
    usdPerCall: multiply(usdPerCall, output),
    usdPerMegapixel: usdPerMegapixel && multiply(usdPerMegapixel, output),
  };
}

/** What each part of a price is multiplied by, in the order of `partsOf`. */
function quantitiesOf(price: Price, usage: Usage): number[] {
  if (price.kind === "per_call") {
    const { seconds = 1, images } = price;
    const most = images ?? seconds;
    const count = Math.min(most, (images === undefined ? usage.seconds : usage.images) ?? most);
    const { output = 1, input = 0 } = (price.megapixels && usage.megapixels) ?? price.megapixels ?? {};
    return [count, count * Math.max(0, output - 1), input];
  }
  const { promptTokens, completionTokens, cachedTokens, cacheCreationTokens } = usage;
  const { audioInputTokens, audioOutputTokens, longCacheCreationTokens = 0 } = usage;
  const imageInputTokens = price.imageRatio ? (usage.imageInputTokens ?? 0) : 0;
  const imageOutputTokens = price.imageCompletionRatio ? (usage.imageOutputTokens ?? 0) : 0;
  return [
    promptTokens - cachedTokens - cacheCreationTokens - audioInputTokens - imageInputTokens,
    cachedTokens,
    cacheCreationTokens - longCacheCreationTokens,
    longCacheCreationTokens,
    audioInputTokens,
    imageInputTokens,
    completionTokens - audioOutputTokens - imageOutputTokens,
    audioOutputTokens,
    imageOutputTokens,
  ];
}

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
    const { megapixels, seconds = 1, images = 1 } = price;
    const { usdPerCall, usdPerMegapixel = ZERO } = fixedPrices(price);
    const calls = multiply(usdPerCall, integer(seconds * images));
    const further = megapixels ? images * Math.max(0, megapixels.output - 1) + megapixels.input : 0;
    const usd = add(calls, multiply(usdPerMegapixel, integer(further)));
    return upper(multiply(usd, quotaPerUnit), price.groupRatio);
  }
  const prompt = saneTokens(expected.promptTokens);
  const audio = Math.min(saneTokens(expected.audioInputTokens ?? 0), prompt);
  const output = saneTokens(expected.maxOutputTokens ?? expected.defaultOutputTokens);
  const max = maxFactorsOf(price, expected.writesCache ?? "none", prompt);
  const input = BigInt(prompt - audio) * max.text + BigInt(audio) * max.audio;
  return fixedInteger(input + BigInt(output) * max.output, max.scale, "up");
}

type TokenPrice = Extract<Price, { kind: "per_token" }>;

/** The most that a token can cost, in 10^-`scale` quota units; computed once, because calls share prices. */
type MaxFactors = Readonly<{ text: bigint; audio: bigint; output: bigint; scale: number }>;
const maxFactorsByPrice = new WeakMap<TokenPrice, Map<string, MaxFactors>>();

function maxFactorsOf(price: TokenPrice, writes: CacheWrites, promptTokens: number): MaxFactors {
  const tiers = price.contextTiers?.filter(({ over }) => promptTokens > over) ?? NO_TIERS;
  const name = tiers.length === 0 ? writes : `${writes} ${tiers.length}`;
  const byName = maxFactorsByPrice.get(price);
  const known = byName?.get(name);
  if (known) return known;
  const factors = makeMaxFactors(price, writes, highestTier(tiers));
  if (byName) byName.set(name, factors);
  else maxFactorsByPrice.set(price, new Map([[name, factors]]));
  return factors;
}

const NO_TIERS: readonly ContextTier[] = [];

function makeMaxFactors(price: TokenPrice, writes: CacheWrites, tier: ReturnType<typeof highestTier>): MaxFactors {
  const { modelRatio, audioRatio, completionRatio, imageRatio = ONE, groupRatio } = price;
  const text = dearer(dearer(ONE, imageRatio), writeRatio(price, writes));
  const drawn = price.imageCompletionRatio ? multiply(imageRatio, price.imageCompletionRatio) : ONE;
  const audio = multiply(audioRatio, price.audioCompletionRatio);
  const ratio = multiply(modelRatio, groupRatio);
  const factors = appliedFactors(price);
  const input = multiply(multiply(ratio, tier.input), dearer(factors.input, factors.cacheRead));
  const output = multiply(multiply(ratio, tier.output), factors.output);
  const most = [
    multiply(text, input),
    multiply(dearer(text, audioRatio), input),
    multiply(dearer(dearer(completionRatio, drawn), audio), output),
  ] as const;
  const scale = Math.max(...most.map((factor) => fixedPoint(factor).scale));
  const unitsOf = (factor: Decimal) => fixedPoint(factor, scale).units;
  return { text: unitsOf(most[0]), audio: unitsOf(most[1]), output: unitsOf(most[2]), scale };
}

function writeRatio(price: TokenPrice, writes: CacheWrites): Decimal {
  if (writes === "none") return ONE;
  return writes === "long" ? price.longCacheCreationRatio : price.cacheCreationRatio;
}

const upper = (amount: Decimal, groupRatio: Decimal): number => Math.max(0, roundUp(multiply(amount, groupRatio)));
