import { add, type Decimal, isZero, multiply, ONE, roundToWhole, toText, whole, ZERO } from "../../lib/decimal.ts";
import type { Price, Receipt, ReceiptLine, Usage } from "../types.ts";
import { saneUsage } from "./sane-usage.ts";

type Part = readonly [item: string, quantity: number, factor: Decimal];

/**
 * What a call costs, in whole quota units, with its sums (behaviour 3.1):
 * [input + cached × rc + written × rw + output × ro + audio in × ra + audio out × ra × rao] × rm × rg, or
 * USD per call × `quotaPerUnit` × rg; rounded once, halves away from zero. No tokens at all cost nothing, whatever the
 * price; a ratio above zero costs at least 1. Nonsense in `usage` counts as 0 and the charge is never negative.
 */
export function charge(price: Price, usage: Usage, quotaPerUnit: Decimal): { quota: number; receipt: Receipt } {
  const counted = saneUsage(usage);
  const used = counted.promptTokens + counted.completionTokens > 0;
  const parts = used ? partsOf(price, counted) : [];
  const unit = price.kind === "per_call" ? quotaPerUnit : ONE;
  let subtotal = ZERO;
  const lines: ReceiptLine[] = [];
  for (const [item, quantity, factor] of parts) {
    if (quantity === 0) continue;
    const amount = multiply(multiply(whole(quantity), factor), unit);
    subtotal = add(subtotal, amount);
    lines.push({ item, quantity: String(quantity), factor: toText(factor), amount: toText(amount) });
  }
  let quota = Math.max(0, roundToWhole(multiply(subtotal, price.groupRatio)));
  if (quota === 0 && used && price.kind === "per_token" && !isZero(multiply(price.modelRatio, price.groupRatio))) {
    quota = 1;
    lines.push({ item: "minimum", quantity: "1", factor: "1", amount: "1" });
  }
  const receipt: Receipt = {
    lines,
    subtotal: toText(subtotal),
    groupRatio: toText(price.groupRatio),
    total: quota,
    quotaPerUnit: toText(quotaPerUnit),
  };
  return { quota, receipt };
}

function partsOf(price: Price, usage: Usage): Part[] {
  if (price.kind === "per_call") return [["per_call", 1, price.usdPerCall]];
  const { modelRatio } = price;
  const audio = multiply(modelRatio, price.audioRatio);
  const special = usage.cachedTokens + usage.cacheCreationTokens + usage.audioInputTokens;
  return [
    ["input", usage.promptTokens - special, modelRatio],
    ["cache_read", usage.cachedTokens, multiply(modelRatio, price.cacheRatio)],
    ["cache_write", usage.cacheCreationTokens, multiply(modelRatio, price.cacheCreationRatio)],
    ["audio_input", usage.audioInputTokens, audio],
    ["output", usage.completionTokens - usage.audioOutputTokens, multiply(modelRatio, price.completionRatio)],
    ["audio_output", usage.audioOutputTokens, multiply(audio, price.audioCompletionRatio)],
  ];
}
