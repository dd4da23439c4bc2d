import type { PriceRatios } from "../../billing/pricing/ratios/catalog-ratios.ts";
import type { CatalogDocument, CatalogEntries, CatalogEntry, CatalogPrice } from "../../catalog/entry.ts";
import { shippedDocument } from "../../catalog/shipped.ts";
import { hasPrice, isSamePrice, type PriceBook, priceView, shippedRatios, statedRatios } from "./prices.ts";

/** What an update changes of one model. */
export type CatalogChange = Readonly<{
  model: string;
  kind: "added" | "changed" | "removed";
  /** Fields that differ, the price left out. */
  fields: readonly Readonly<{ field: string; before: unknown; after: unknown }>[];
}>;

export type PriceChange = Readonly<{
  model: string;
  before: CatalogPrice | null;
  after: CatalogPrice | null;
  /** False: the operator has a price of their own for it, which stays. */
  applies: boolean;
}>;

export type UpdatePlan = Readonly<{ changes: readonly CatalogChange[]; prices: readonly PriceChange[] }>;

/** Entries with their sources and currencies written out, without those that come with the release anyway. */
export function updateEntries({ models, sources }: CatalogDocument): CatalogEntries {
  const entries = [...models].map(([model, entry]) => {
    const { price, ...facts } = entry;
    const source = facts.source ? sources[facts.source] : undefined;
    const shutdownSource = facts.deprecation_source ? sources[facts.deprecation_source] : undefined;
    const written: CatalogEntry = {
      ...facts,
      ...(source && { source: source.pages?.[0] ?? null, read_on: facts.read_on ?? source.read_on ?? null }),
      ...(shutdownSource && { deprecation_source: shutdownSource.pages?.[0] ?? null }),
      ...(price && { price: writtenPrice(price, sources) }),
    };
    return [model, written, entry] as const;
  });
  return new Map(
    entries
      .filter(([model, , entry]) => JSON.stringify(entry) !== JSON.stringify(shippedDocument.models.get(model)))
      .map(([model, written]) => [model, written]),
  );
}

/** A price with the page and the currency of its source. */
function writtenPrice(price: CatalogPrice, sources: CatalogDocument["sources"]): CatalogPrice {
  const { source, ...amounts } = price;
  const listed = source === undefined ? undefined : sources[source];
  const currency = price.currency ?? listed?.currency;
  const page = listed ? listed.pages?.[0] : source;
  return { ...amounts, ...(currency && { currency }), ...(page !== undefined && { source: page }) };
}

/** What taking `next` over `previous` (the update in force) changes; `book` holds the present prices. */
export function planUpdate(previous: CatalogEntries, next: CatalogEntries, book: PriceBook): UpdatePlan {
  const names = [...new Set([...previous.keys(), ...next.keys()])].toSorted((a, b) => a.localeCompare(b));
  return {
    changes: names.flatMap((model): CatalogChange[] => {
      const [old, fresh, shipped] = [previous.get(model), next.get(model), shippedDocument.models.get(model)];
      // What an update does not say about a model stays as it comes with the release.
      const fields = differences({ ...shipped, ...old }, { ...shipped, ...fresh });
      if (fields.length === 0) return [];
      return [{ model, kind: !old && !shipped ? "added" : fresh || shipped ? "changed" : "removed", fields }];
    }),
    prices: [...next].flatMap(([model, { price }]): PriceChange[] => {
      if (!price || model.includes("*")) return [];
      const present = book.ratiosOf(model);
      const requested = statedRatios(price);
      if (isSamePrice(present, requested)) return [];
      const applies = isListPrice(model, present, previous);
      return [{ model, before: priceView(model, present), after: priceView(model, requested), applies }];
    }),
  };
}

/** The operator has neither set another price than the update in force, or else the release, brought, nor taken that away. */
function isListPrice(model: string, present: PriceRatios, previous: CatalogEntries): boolean {
  const shipped = shippedRatios(model);
  const updated = previous.get(model)?.price;
  if (!hasPrice(present)) return !hasPrice(shipped) && updated === undefined;
  return isSamePrice(present, shipped) || (updated !== undefined && isSamePrice(present, statedRatios(updated)));
}

function differences(before: CatalogEntry, after: CatalogEntry): CatalogChange["fields"] {
  const { price: _, ...old } = before;
  const { price: __, ...fresh } = after;
  const [from, to] = [new Map(Object.entries(old)), new Map(Object.entries(fresh))];
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((field) => !UNINTERESTING.has(field))
    .filter((field) => JSON.stringify(from.get(field)) !== JSON.stringify(to.get(field)))
    .map((field) => ({ field, before: from.get(field) ?? null, after: to.get(field) ?? null }));
}

/** Where a fact was read changes with every reading. */
const UNINTERESTING: ReadonlySet<string> = new Set([
  "source",
  "read_on",
  "deprecation_source",
  "deprecation_channel_types",
]);
