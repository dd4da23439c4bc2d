import type { Usage } from "../../formats/conversation/reply.ts";
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
  powerOfTen,
  roundUp,
  toText,
  ZERO,
} from "../../lib/values/decimal.ts";
import type { Price, Receipt, ReceiptLine, ServiceFee } from "../types.ts";
import {
  type CacheWrites,
  type Factors,
  fixedPrices,
  type MaxFactors,
  makeFactors,
  makeMaxFactors,
} from "./factors.ts";
import { type ContextTier, highestTier, tierOf, toolPriceOf } from "./price-rules.ts";

/** Computed once, because calls share prices. */
const factorsByPrice = new WeakMap<Price, Map<ContextTier | undefined, Factors>>();
const maxFactorsByPrice = new WeakMap<Price, Map<string, MaxFactors>>();

function remember<Key, Value>(byPrice: WeakMap<Price, Map<Key, Value>>, price: Price, key: Key, value: Value): Value {
  const known = byPrice.get(price);
  if (known) known.set(key, value);
  else byPrice.set(price, new Map([[key, value]]));
  return value;
}

/**
 * What a call costs, in rounded quota units, with its sums:
 * [input + cached × rc + written × rw + output × ro + audio in × ra + audio out × ra × rao
 * + image in × ri + image out × ri × rio] × rm × rg, each input and
 * output times its factor where the prompt is on a step of the model's prices by length, and times those of the hours at which
 * the call began and of the service tiers that served it, or
 * USD per call (and megapixel) × `quotaPerUnit` × rg; tools that the provider ran cost USD per use × `quotaPerUnit` × rg besides, and so do
 * media that it bills by themselves where tokens have a price; rounded once, halves away from zero. A call with neither tokens
 * nor such media costs nothing, whatever the price; a ratio above zero costs at least 1. The fixed fee of a call by the caller's own
 * key is added to it, whatever the ratio. Nonsense in `usage` counts as 0 and the
 * charge is never negative.
 */
export function charge(price: Price, usage: Usage, quotaPerUnit: Decimal): { quota: number; receipt: Receipt } {
  const counted = saneUsage(usage);
  const used = counted.promptTokens + counted.completionTokens > 0 || counted.media !== undefined;
  const tiers = price.kind === "per_token" ? price.contextTiers : undefined;
  const tier = tiers && tierOf(tiers, counted.promptTokens);
  const factors =
    factorsByPrice.get(price)?.get(tier) ?? remember(factorsByPrice, price, tier, makeFactors(price, tier));
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
  let exact = subtotal * factors.groupRatio.units;
  let exactScale = scale + factors.groupRatio.scale;
  const fee = used && price.serviceFee ? fixedFee(price.serviceFee, quotaPerUnit) : null;
  if (fee) {
    const fixed = fixedPoint(fee, exactScale);
    exact = exact * powerOfTen(fixed.scale - exactScale) + fixed.units;
    exactScale = fixed.scale;
  }
  let quota = fixedInteger(exact, exactScale, "nearest");
  if (quota === 0 && used && (factors.hasMinimum || fee)) {
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
  if (price.serviceFee) receipt.ownKeyPercent = toText(price.serviceFee.percent);
  if (fee) receipt.ownKeyFee = toText(fee);
  if (tier) receipt.contextOver = tier.over;
  if (price.hours) receipt.hours = price.hours.text;
  if (price.appliedTiers) {
    receipt.serviceTier = price.appliedTiers.name;
    if (price.appliedTiers.isGeneral) receipt.isGeneralTier = true;
  }
  if (price.kind === "per_call" && price.variant !== undefined) receipt.variant = price.variant;
  return { quota, receipt };
}

/** The fixed part of a fee in quota units; null: there is none. */
function fixedFee({ usdPerCall }: ServiceFee, quotaPerUnit: Decimal): Decimal | null {
  return isZero(usdPerCall) ? null : multiply(usdPerCall, quotaPerUnit);
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

/** What says which parts a price has. */
type Parts =
  | Extract<Price, { kind: "per_call" }>
  | Pick<Extract<Price, { kind: "per_token" }>, "kind" | "imageRatio" | "imageCompletionRatio">;

/**
 * What each part of a price is multiplied by, in the order of `partsOf`. Tokens: text, read from a cache, written to it, for an hour,
 * audio, images; text, audio and images of the output.
 */
export function quantitiesOf(price: Parts, usage: Usage): number[] {
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
  const fee = price.serviceFee ? roundUp(multiply(price.serviceFee.usdPerCall, quotaPerUnit)) : 0;
  if (price.kind === "per_call") {
    const { megapixels, seconds = 1, images = 1 } = price;
    const { usdPerCall, usdPerMegapixel = ZERO } = fixedPrices(price);
    const calls = multiply(usdPerCall, integer(seconds * images));
    const further = megapixels ? images * Math.max(0, megapixels.output - 1) + megapixels.input : 0;
    const usd = add(calls, multiply(usdPerMegapixel, integer(further)));
    return upper(multiply(usd, quotaPerUnit), price.groupRatio) + fee;
  }
  const prompt = saneTokens(expected.promptTokens);
  const audio = Math.min(saneTokens(expected.audioInputTokens ?? 0), prompt);
  const output = saneTokens(expected.maxOutputTokens ?? expected.defaultOutputTokens);
  const writes = expected.writesCache ?? "none";
  const tiers = price.contextTiers?.filter(({ over }) => prompt > over) ?? NO_TIERS;
  const name = tiers.length === 0 ? writes : `${writes} ${tiers.length}`;
  const max =
    maxFactorsByPrice.get(price)?.get(name) ??
    remember(maxFactorsByPrice, price, name, makeMaxFactors(price, writes, highestTier(tiers)));
  const input = BigInt(prompt - audio) * max.text + BigInt(audio) * max.audio;
  return fixedInteger(input + BigInt(output) * max.output, max.scale, "up") + fee;
}

const NO_TIERS: readonly ContextTier[] = [];

const upper = (amount: Decimal, groupRatio: Decimal): number => Math.max(0, roundUp(multiply(amount, groupRatio)));

/** Most tokens of one kind that one call is believed to have: what a client may ask for at most. */
const MOST_TOKENS = 1_073_741_823;

/** A token count as an upstream or client states it → a whole number from 0 to 2^30 − 1; nonsense counts as 0. */
export const saneTokens = (count: number): number => (count > 0 ? Math.min(Math.floor(count), MOST_TOKENS) : 0);

/** Usage as an upstream states it → counts that money can be computed from: whole, in range, parts within the whole. */
export function saneUsage(usage: Usage): Usage {
  const promptTokens = saneTokens(usage.promptTokens);
  const completionTokens = saneTokens(usage.completionTokens);
  const cachedTokens = Math.min(saneTokens(usage.cachedTokens), promptTokens);
  const cacheCreationTokens = Math.min(saneTokens(usage.cacheCreationTokens), promptTokens - cachedTokens);
  const audioInputTokens = Math.min(
    saneTokens(usage.audioInputTokens),
    promptTokens - cachedTokens - cacheCreationTokens,
  );
  const audioOutputTokens = Math.min(saneTokens(usage.audioOutputTokens), completionTokens);
  const textInput = promptTokens - cachedTokens - cacheCreationTokens - audioInputTokens;
  const sane: Usage = {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheCreationTokens,
    reasoningTokens: Math.min(saneTokens(usage.reasoningTokens), completionTokens),
    audioInputTokens,
    audioOutputTokens,
  };
  const { imageInputTokens, imageOutputTokens, longCacheCreationTokens, toolCalls, images, seconds } = usage;
  if (imageInputTokens) sane.imageInputTokens = Math.min(saneTokens(imageInputTokens), textInput);
  if (imageOutputTokens) {
    sane.imageOutputTokens = Math.min(saneTokens(imageOutputTokens), completionTokens - audioOutputTokens);
  }
  if (longCacheCreationTokens) {
    sane.longCacheCreationTokens = Math.min(saneTokens(longCacheCreationTokens), cacheCreationTokens);
  }
  if (toolCalls) sane.toolCalls = toolCalls;
  if (images !== undefined) sane.images = saneTokens(images);
  if (seconds !== undefined) sane.seconds = saneTokens(seconds);
  if (usage.media) sane.media = usage.media;
  if (usage.megapixels) {
    const { output, input } = usage.megapixels;
    sane.megapixels = { output: saneTokens(output), input: saneTokens(input) };
  }
  return sane;
}
