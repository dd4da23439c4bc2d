import {
  type ContextTier,
  type GroupDiscount,
  type PriceVariant,
  readConditions,
} from "../../billing/pricing/price-rules.ts";

import { decimal, isNegative, subtract } from "../../lib/values/decimal.ts";
import { ratioShape, type Shape } from "./json-option.ts";

const MOST_TIERS = 10;
const ALL = decimal(100);

/** Steps of a model's price; read in ascending order. */
export const contextTiersShape: Shape<readonly ContextTier[]> = {
  name: { code: "shape_context_tiers" },
  read(value) {
    if (!Array.isArray(value) || value.length > MOST_TIERS) return undefined;
    const tiers: ContextTier[] = [];
    for (const entry of value) {
      const { over, input = 1, output = 1, ...others } = (entry ?? {}) as Record<string, unknown>;
      const factors = [ratioShape.read(input), ratioShape.read(output)];
      if (!Number.isSafeInteger(over) || Number(over) < 1 || !factors[0] || !factors[1]) return undefined;
      if (Object.keys(others).length > 0 || tiers.some((tier) => tier.over === over)) return undefined;
      tiers.push({ over: Number(over), input: factors[0], output: factors[1] });
    }
    return tiers.toSorted((a, b) => a.over - b.over);
  },
};

/** Variants of a model's price by what an order asks for. */
export const priceVariantsShape: Shape<readonly PriceVariant[]> = {
  name: { code: "shape_price_variants" },
  read(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const variants: PriceVariant[] = [];
    for (const [text, variantPrice] of Object.entries(value)) {
      const conditions = readConditions(text);
      const usd = ratioShape.read(variantPrice);
      if (!conditions || !usd) return undefined;
      variants.push({ text, conditions, usd });
    }
    return variants;
  },
};

/** Discounts of groups; times are ISO 8601 with a zone, `until` is the end. */
export const groupDiscountsShape: Shape<readonly GroupDiscount[]> = {
  name: { code: "shape_group_discounts" },
  read(value) {
    if (!Array.isArray(value)) return undefined;
    const discounts: GroupDiscount[] = [];
    for (const entry of value) {
      const { group, percent: percentInput, from: begin, until: end } = (entry ?? {}) as Record<string, unknown>;
      const percent = ratioShape.read(percentInput);
      const [from, until] = [secondsOf(begin), secondsOf(end)];
      if (typeof group !== "string" || group === "" || !percent || isNegative(subtract(ALL, percent))) return undefined;
      if (from === null || until === null || from >= until) return undefined;
      discounts.push({ group, percent, from, until });
    }
    return discounts;
  },
};

/** A moment with its zone, in epoch seconds. */
function secondsOf(value: unknown): number | null {
  if (typeof value !== "string" || !/(Z|[+-]\d\d:\d\d)$/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}
