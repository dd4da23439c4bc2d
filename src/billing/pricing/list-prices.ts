import { shippedDocument } from "../../catalog/catalog.ts";
import type { CatalogDocument, CatalogPrice } from "../../catalog/entry.ts";

type ByModel<T> = Readonly<Record<string, T>>;

/** What one provider lists, as it was read on a day. */
export type PriceSection = Readonly<{
  provider: string;
  /** The day, or the month, that the prices are of: `2026-08-02`, `2025-12`. */
  asOf: string;
  /** Pages that list them. */
  sources: readonly string[];
  currency: "USD" | "CNY";
  /** Prices by model, in the order of the list. */
  prices: ByModel<CatalogPrice>;
  /** A use of a tool that the provider runs itself. */
  toolUse?: ByModel<number>;
}>;

/** The list prices that come with this release. */
export const PRICE_SECTIONS: readonly PriceSection[] = priceSections(shippedDocument);

/** The prices of a catalogue by the page that lists them; sources that list no price are left out. */
function priceSections({ sources, models }: CatalogDocument): PriceSection[] {
  const bySource = Map.groupBy(
    [...models].flatMap(([model, { price }]) => (price ? [{ model, price }] : [])),
    ({ price }) => price.source ?? "",
  );
  return [...bySource].map(([key, entries]) => {
    const {
      provider = key,
      read_on: asOf = "",
      pages = [],
      currency = "USD",
      tool_prices: toolUse,
    } = sources[key] ?? {};
    const prices = Object.fromEntries(entries.map(({ model, price }) => [model, price]));
    return { provider, asOf, sources: pages, currency, prices, ...(toolUse && { toolUse }) };
  });
}

/** The names of all models that a section has a price for. */
export const modelsOf = ({ prices }: PriceSection): string[] => Object.keys(prices);
