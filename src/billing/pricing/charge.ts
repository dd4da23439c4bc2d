import { add, type Decimal, isZero, multiply, roundToWhole, toText, whole, ZERO } from "../../lib/decimal.ts";
import type { Price, Receipt, ReceiptLine, Usage } from "../types.ts";
import { saneTokens, saneUsage } from "./sane-usage.ts";
import { toolPriceOf } from "./tool-prices.ts";

/** What the tokens of one kind (or the call) are multiplied by, with its text for receipts. */
type Factor = Readonly<{ item: string; factor: Decimal; text: string; amountOf(usage: Usage): number }>;

/** A price's factors: made once, for prices are shared by calls. */
type Factors = Readonly<{ parts: readonly Factor[]; hasMinimum: boolean; groupRatio: string }>;
const factorsByPrice = new WeakMap<Price, Factors>();

/**
 * What a call costs, in whole quota units, with its sums (behaviour 3.1):
 * [input + cached × rc + written × rw + output × ro + audio in × ra + audio out × ra × rao] × rm × rg, or
 * USD per call × `quotaPerUnit` × rg; tools that the provider ran cost USD per use × `quotaPerUnit` × rg besides; rounded once, halves away from zero. No tokens at all cost nothing, whatever the
 * price; a ratio above zero costs at least 1. Nonsense in `usage` counts as 0 and the charge is never negative.
 */
export function charge(price: Price, usage: Usage, quotaPerUnit: Decimal): { quota: number; receipt: Receipt } {
  const counted = saneUsage(usage);
  const used = counted.promptTokens + counted.completionTokens > 0;
  const factors = factorsOf(price);
  const unit = price.kind === "per_call" ? quotaPerUnit : null;
  let subtotal = ZERO;
  const lines: ReceiptLine[] = [];
  for (const { item, factor, text, amountOf } of used ? factors.parts : []) {
    const quantity = amountOf(counted);
    if (quantity === 0) continue;
    const product = multiply(whole(quantity), factor);
    const amount = unit ? multiply(product, unit) : product;
    subtotal = add(subtotal, amount);
    lines.push({ item, quantity: String(quantity), factor: text, amount: toText(amount) });
  }
  for (const line of used ? toolLines(price, counted, quotaPerUnit) : []) {
    subtotal = add(subtotal, line.exact);
    lines.push(line.line);
  }
  let quota = Math.max(0, roundToWhole(multiply(subtotal, price.groupRatio)));
  if (quota === 0 && used && factors.hasMinimum) {
    quota = 1;
    lines.push({ item: "minimum", quantity: "1", factor: "1", amount: "1" });
  }
  const receipt: Receipt = {
    lines,
    subtotal: toText(subtotal),
    groupRatio: factors.groupRatio,
    total: quota,
    quotaPerUnit: toText(quotaPerUnit),
  };
  return { quota, receipt };
}

/** What tools cost that the provider ran itself: beside the tokens, and beside a fixed price. */
function toolLines(price: Price, { toolCalls = {} }: Usage, quotaPerUnit: Decimal) {
  return Object.entries(toolCalls).flatMap(([tool, count]) => {
    const usd = price.toolPrices && toolPriceOf(price.toolPrices, tool, price.pricedAs);
    const uses = saneTokens(count);
    if (!usd || uses === 0) return [];
    const exact = multiply(multiply(whole(uses), usd), quotaPerUnit);
    return [{ exact, line: { item: tool, quantity: String(uses), factor: toText(usd), amount: toText(exact) } }];
  });
}

function factorsOf(price: Price): Factors {
  const known = factorsByPrice.get(price);
  if (known) return known;
  const factors = {
    parts: partsOf(price).map(([item, factor, amountOf]) => ({ item, factor, text: toText(factor), amountOf })),
    hasMinimum: price.kind === "per_token" && !isZero(multiply(price.modelRatio, price.groupRatio)),
    groupRatio: toText(price.groupRatio),
  };
  factorsByPrice.set(price, factors);
  return factors;
}

type Part = readonly [item: string, factor: Decimal, amountOf: (usage: Usage) => number];

function partsOf(price: Price): Part[] {
  if (price.kind === "per_call") {
    const { seconds, usdPerCall } = price;
    return seconds === undefined ? [["per_call", usdPerCall, () => 1]] : [["per_second", usdPerCall, () => seconds]];
  }
  const { modelRatio } = price;
  const audio = multiply(modelRatio, price.audioRatio);
  return [
    ["input", modelRatio, (u) => u.promptTokens - u.cachedTokens - u.cacheCreationTokens - u.audioInputTokens],
    ["cache_read", multiply(modelRatio, price.cacheRatio), (u) => u.cachedTokens],
    ["cache_write", multiply(modelRatio, price.cacheCreationRatio), (u) => u.cacheCreationTokens],
    ["audio_input", audio, (u) => u.audioInputTokens],
    ["output", multiply(modelRatio, price.completionRatio), (u) => u.completionTokens - u.audioOutputTokens],
    ["audio_output", multiply(audio, price.audioCompletionRatio), (u) => u.audioOutputTokens],
  ];
}
