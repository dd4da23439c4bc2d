import { type PriceRatios, priceOf, ratiosOf } from "../../../billing/pricing/ratios/catalog-ratios.ts";
import type { CatalogPrice } from "../../../catalog/entry.ts";
import { PRICE_OPTIONS, shippedRatios } from "../pricing.ts";

/** Prices by themselves. All others are relative to input and output, and a feed may say nothing about them. */
const BY_THEMSELVES: readonly (keyof PriceRatios)[] = [
  "ModelRatio",
  "CompletionRatio",
  "ModelPrice",
  "MegapixelPrice",
  "VideoPrice",
];
const RELATIVE = PRICE_OPTIONS.filter((option) => !BY_THEMSELVES.includes(option));

/**
 * A feed's price of tokens with what it says nothing about: service tiers, hours, long prompts and other amounts keep their
 * relation to input and output as in `previous`, the price of the update in force, or else in the release's.
 */
export function mergePrice(model: string, previous: CatalogPrice | undefined, fresh: CatalogPrice): CatalogPrice {
  const known = previous ? ratiosOf(previous, previous.currency ?? "USD") : shippedRatios(model);
  const stated = ratiosOf(fresh, fresh.currency ?? "USD");
  if (known.ModelRatio === undefined || stated.ModelRatio === undefined) return fresh;
  const missing = RELATIVE.filter((ratio) => stated[ratio] === undefined && known[ratio] !== undefined);
  if (missing.length === 0) return fresh;
  const retained = Object.fromEntries(missing.map((ratio) => [ratio, known[ratio]]));
  return { ...priceOf({ ...stated, ...retained }, null), ...(fresh.source !== undefined && { source: fresh.source }) };
}
