import type { PriceRatios } from "../../billing/pricing/ratios/catalog-ratios.ts";
import { type CatalogEntries, readEntries } from "../../catalog/entry.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option, Traits } from "./option.ts";

/** What an update replaced. */
export type PreviousUpdate = Readonly<{
  url: string;
  applied_at: number;
  models: CatalogEntries;
  /** By model, the price before it and the one that it brought. */
  prices: Readonly<Record<string, Readonly<{ before: PriceRatios; after: PriceRatios }>>>;
}>;

/** An update of the catalogue that is in force. */
export type CatalogUpdate = Readonly<{
  /** Where it came from; empty: it was handed in as a file. */
  url: string;
  /** Epoch seconds; 0: there is none. */
  applied_at: number;
  models: CatalogEntries;
  /** What it replaced; null: nothing is kept. */
  previous: PreviousUpdate | null;
}>;

/** Entries of the model catalogue as JSON, by model name or pattern. */
export const catalogEntries = (traits: Traits): Option<CatalogEntries> =>
  jsonDocument(traits, (value, key) => readEntries(value, key));

/** An update of the model catalogue as JSON. */
export const catalogUpdate = (traits: Traits): Option<CatalogUpdate> =>
  jsonDocument(traits, (value, key) => {
    const { previous, ...update } = isObject(value) ? value : {};
    const before = isObject(previous) ? { ...updateOf(previous, `${key}.previous`), prices: pricesOf(previous) } : null;
    return { ...updateOf(update, key), previous: before };
  });

function updateOf({ url, applied_at, models = {} }: Json, key: string): Omit<CatalogUpdate, "previous"> {
  return {
    url: typeof url === "string" ? url : "",
    applied_at: typeof applied_at === "number" ? applied_at : 0,
    models: readEntries(models, `${key}.models`),
  };
}

/** Prices as the price options keep them, which check them when they are put back. */
function pricesOf({ prices }: Json): PreviousUpdate["prices"] {
  const known = Object.entries(isObject(prices) ? prices : {}).flatMap(([model, pair]) =>
    isObject(pair) && isObject(pair.before) && isObject(pair.after)
      ? [[model, { before: pair.before, after: pair.after }] as const]
      : [],
  );
  return Object.fromEntries(known);
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
