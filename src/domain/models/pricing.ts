import { type PriceRatios, priceOf, ratiosOf } from "../../billing/pricing/ratios/catalog-ratios.ts";
import { SHIPPED_RATIOS } from "../../billing/pricing/ratios/shipped-ratios.ts";
import { shippedDocument } from "../../catalog/catalog.ts";
import type { CatalogPrice } from "../../catalog/entry.ts";

/** The options that keep prices by model. */
export const PRICE_OPTIONS = [
  "ModelRatio",
  "ModelPrice",
  "MegapixelPrice",
  "CompletionRatio",
  "CacheRatio",
  "CacheCreationRatio",
  "AudioRatio",
  "AudioCompletionRatio",
  "ImageRatio",
  "ImageCompletionRatio",
  "ContextTiers",
  "ServiceTiers",
  "PriceHours",
  "VideoPrice",
] as const satisfies readonly (keyof PriceRatios)[];

/** The prices of all models as the price options keep them. */
export type PriceBook = Readonly<{
  /** The models that an option, or the release, says something of. */
  models(): string[];
  ratiosOf(model: string): PriceRatios;
  /** Replaces the whole price of a model; null: it has none from now on. */
  set(model: string, ratios: PriceRatios | null): void;
  /** The texts of the options as they are now. */
  texts(): Map<(typeof PRICE_OPTIONS)[number], string>;
}>;

/** Reads the texts of the price options, which are JSON objects by model. */
export function openPriceBook(textOf: (option: (typeof PRICE_OPTIONS)[number]) => string): PriceBook {
  const maps = PRICE_OPTIONS.map((option) => {
    const parsed: unknown = JSON.parse(textOf(option));
    return [option, new Map<string, unknown>(Object.entries(parsed ?? {}))] as const;
  });
  return {
    models: () => [...new Set([...SHIPPED_RATIOS.keys(), ...maps.flatMap(([, map]) => [...map.keys()])])],
    ratiosOf: (model) =>
      Object.fromEntries(
        maps.flatMap(([option, map]) => {
          const value = map.get(model);
          return value === undefined ? [] : [[option, value]];
        }),
      ),
    set(model, ratios) {
      for (const [option, map] of maps) {
        const value = ratios?.[option];
        if (value === undefined) map.delete(model);
        else map.set(model, value);
      }
    },
    texts: () => new Map(maps.map(([option, map]) => [option, JSON.stringify(Object.fromEntries(map), null, 2)])),
  };
}

/** Other options only add to one of these two. */
export const hasPrice = ({ ModelRatio, ModelPrice }: PriceRatios): boolean =>
  ModelRatio !== undefined || ModelPrice !== undefined;

/** Whether two prices are kept alike. */
export const isSamePrice = (a: PriceRatios, b: PriceRatios): boolean =>
  PRICE_OPTIONS.every((option) => JSON.stringify(a[option]) === JSON.stringify(b[option]));

/** What comes with this release for a model; without entries: no price. */
export const shippedRatios = (model: string): PriceRatios => SHIPPED_RATIOS.get(model) ?? {};

/** A price that somebody states, as the options keep it. */
export const statedRatios = (price: CatalogPrice): PriceRatios => ratiosOf(price, price.currency ?? "USD");

/** What a model costs in dollars; null: it has no price. A shipped price in dollars is shown as its list has it. */
export function priceView(model: string, ratios: PriceRatios): CatalogPrice | null {
  if (!hasPrice(ratios)) return null;
  const shipped = shippedDocument.models.get(model)?.price;
  const isInUsd = (shippedDocument.sources[shipped?.source ?? ""]?.currency ?? "USD") === "USD";
  if (shipped && isInUsd && isSamePrice(ratios, shippedRatios(model))) return shipped;
  const unit = shipped?.per_second !== undefined ? "second" : shipped?.per_call !== undefined ? "call" : null;
  return priceOf(ratios, unit);
}
