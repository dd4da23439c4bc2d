import {
  add,
  type Decimal,
  integer,
  isZero,
  multiply,
  ONE,
  roundToInteger,
  subtract,
  toText,
  ZERO,
} from "../../lib/values/decimal.ts";
import type { Price, Receipt, ReceiptLine, Usage } from "../types.ts";
import { type ContextTier, tierOf } from "./rules/context-tiers.ts";
import { toolPriceOf } from "./rules/tool-prices.ts";
import { saneTokens, saneUsage } from "./sane-usage.ts";

/** What the tokens of one kind (or the call) are multiplied by, with its text for receipts. */
type Factor = Readonly<{ item: string; factor: Decimal; text: string; amountOf(usage: Usage): number }>;

/** A price's factors: made once, for prices are shared by calls. */
type Factors = Readonly<{ parts: readonly Factor[]; hasMinimum: boolean; groupRatio: string }>;
const factorsByPrice = new WeakMap<Price, Factors>();
/** Those of steps by length of the prompt; a step belongs to one model. */
const factorsByTier = new WeakMap<Price, Map<ContextTier, Factors>>();

/**
 * What a call costs, in rounded quota units, with its sums:
 * [input + cached × rc + written × rw + output × ro + audio in × ra + audio out × ra × rao
 * + image in × ri + image out × ri × rio] × rm × rg, each input and
 * output times its factor where the prompt is on a step of the model's prices by length, or
 * USD per call × `quotaPerUnit` × rg; tools that the provider ran cost USD per use × `quotaPerUnit` × rg besides; rounded once, halves away from zero. No tokens at all cost nothing, whatever the
 * price; a ratio above zero costs at least 1. Nonsense in `usage` counts as 0 and the charge is never negative.
 */
export function charge(price: Price, usage: Usage, quotaPerUnit: Decimal): { quota: number; receipt: Receipt } {
  const counted = saneUsage(usage);
  const used = counted.promptTokens + counted.completionTokens > 0;
  const tier = price.kind === "per_token" ? tierOf(price.contextTiers, counted.promptTokens) : undefined;
  const factors = factorsOf(price, tier);
  const unit = price.kind === "per_call" ? quotaPerUnit : null;
  let subtotal = ZERO;
  const lines: ReceiptLine[] = [];
  for (const { item, factor, text, amountOf } of used ? factors.parts : []) {
    const quantity = amountOf(counted);
    if (quantity === 0) continue;
    const product = multiply(integer(quantity), factor);
    const amount = unit ? multiply(product, unit) : product;
    subtotal = add(subtotal, amount);
    lines.push({ item, quantity: String(quantity), factor: text, amount: toText(amount) });
  }
  if (used && counted.toolCalls) {
    for (const { exact, line } of toolLines(price, counted.toolCalls, quotaPerUnit)) {
      subtotal = add(subtotal, exact);
      lines.push(line);
    }
  }
  const exact = multiply(subtotal, price.groupRatio);
  let quota = Math.max(0, roundToInteger(exact));
  if (quota === 0 && used && factors.hasMinimum) {
    quota = 1;
    lines.push({ item: "minimum", quantity: "1", factor: "1", amount: "1" });
  }
  const receipt: Receipt = {
    lines,
    subtotal: toText(subtotal),
    groupRatio: factors.groupRatio,
    total: quota,
    quotaPerUnit: unitText(quotaPerUnit),
  };
  const rounding = subtract(integer(quota), exact);
  if (!isZero(rounding)) receipt.rounding = toText(rounding);
  if (price.discount) receipt.discountPercent = toText(price.discount.percent);
  if (tier) receipt.contextOver = tier.over;
  if (price.kind === "per_call" && price.variant !== undefined) receipt.variant = price.variant;
  return { quota, receipt };
}

/** A unit's text: made once, for all calls share the unit. */
function unitText(unit: Decimal): string {
  const known = textByUnit.get(unit) ?? toText(unit);
  textByUnit.set(unit, known);
  return known;
}

const textByUnit = new WeakMap<Decimal, string>();

/** The cost of tools that the provider ran itself, in addition to tokens or to a fixed price. */
function toolLines(price: Price, toolCalls: NonNullable<Usage["toolCalls"]>, quotaPerUnit: Decimal) {
  return Object.entries(toolCalls).flatMap(([tool, count]) => {
    const usd = price.toolPrices && toolPriceOf(price.toolPrices, tool, price.pricedAs);
    const uses = saneTokens(count);
    if (!usd || uses === 0) return [];
    const exact = multiply(multiply(integer(uses), usd), quotaPerUnit);
    return [{ exact, line: { item: tool, quantity: String(uses), factor: toText(usd), amount: toText(exact) } }];
  });
}

function factorsOf(price: Price, tier: ContextTier | undefined): Factors {
  if (tier) {
    const tiers = factorsByTier.get(price) ?? new Map<ContextTier, Factors>();
    factorsByTier.set(price, tiers);
    const known = tiers.get(tier) ?? makeFactors(price, tier);
    tiers.set(tier, known);
    return known;
  }
  const known = factorsByPrice.get(price) ?? makeFactors(price);
  factorsByPrice.set(price, known);
  return known;
}

const makeFactors = (price: Price, tier?: ContextTier): Factors => ({
  parts: partsOf(price, tier).map(([item, factor, amountOf]) => ({ item, factor, text: toText(factor), amountOf })),
  hasMinimum: price.kind === "per_token" && !isZero(multiply(price.modelRatio, price.groupRatio)),
  groupRatio: toText(price.groupRatio),
});

type Part = readonly [item: string, factor: Decimal, amountOf: (usage: Usage) => number];

function partsOf(price: Price, tier: ContextTier | undefined): Part[] {
  if (price.kind === "per_call") {
    const { seconds, usdPerCall, images } = price;
    if (images !== undefined) return [["per_call", usdPerCall, (u) => Math.min(images, u.images ?? images)]];
    return seconds === undefined ? [["per_call", usdPerCall, () => 1]] : [["per_second", usdPerCall, () => seconds]];
  }
  const input = multiply(price.modelRatio, tier?.input ?? ONE);
  const output = multiply(price.modelRatio, tier?.output ?? ONE);
  const audioOutput = multiply(multiply(output, price.audioRatio), price.audioCompletionRatio);
  const { imageRatio, imageCompletionRatio } = price;
  const seen = ({ imageInputTokens = 0 }: Usage) => (imageRatio ? imageInputTokens : 0);
  const drawn = ({ imageOutputTokens = 0 }: Usage) => (imageCompletionRatio ? imageOutputTokens : 0);
  const imageOutput = multiply(multiply(output, imageRatio ?? ONE), imageCompletionRatio ?? ONE);
  return [
    ["input", input, (u) => u.promptTokens - u.cachedTokens - u.cacheCreationTokens - u.audioInputTokens - seen(u)],
    ["cache_read", multiply(input, price.cacheRatio), (u) => u.cachedTokens],
    ["cache_write", multiply(input, price.cacheCreationRatio), (u) => u.cacheCreationTokens - longWrites(u)],
    ["cache_write_1h", multiply(input, price.longCacheCreationRatio), longWrites],
    ["audio_input", multiply(input, price.audioRatio), (u) => u.audioInputTokens],
    ["image_input", multiply(input, imageRatio ?? ONE), seen],
    ["output", multiply(output, price.completionRatio), (u) => u.completionTokens - u.audioOutputTokens - drawn(u)],
    ["audio_output", audioOutput, (u) => u.audioOutputTokens],
    ["image_output", imageOutput, drawn],
  ];
}

const longWrites = ({ longCacheCreationTokens = 0 }: Usage): number => longCacheCreationTokens;
