import type { PriceRatios } from "../../../billing/pricing/ratios/catalog-ratios.ts";
import { type Catalog, createCatalog, type ModelInfo, shippedDocument } from "../../../catalog/catalog.ts";
import {
  type CatalogDocument,
  type CatalogEntries,
  type CatalogEntry,
  type CatalogPrice,
  ENTRY_FIELDS,
} from "../../../catalog/entry.ts";
import { hasPrice, isSamePrice, type PriceBook, priceView, shippedRatios, statedRatios } from "../pricing.ts";
import { mergePrice } from "./merge-price.ts";

/** What an update changes of one model. */
export type CatalogChange = Readonly<{
  model: string;
  kind: "added" | "changed" | "removed";
  /** Fields that differ, the price left out. */
  fields: readonly Readonly<{ field: string; before: unknown; after: unknown }>[];
  /** The page that the new facts are from. */
  source: string | null;
}>;

export type PriceChange = Readonly<{
  model: string;
  before: CatalogPrice | null;
  after: CatalogPrice | null;
  /** False: the operator has a price of their own for it, which stays. */
  applies: boolean;
  /** The page that the new price is from. */
  source: string | null;
}>;

export type UpdatePlan = Readonly<{ changes: readonly CatalogChange[]; prices: readonly PriceChange[] }>;

/** Fields of a model to take over, `price` among them. */
export type Selection = readonly Readonly<{ model: string; fields: readonly string[] }>[];

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
      ...(facts.platform_retirements && {
        platform_retirements: facts.platform_retirements.map(({ source: key = "", ...platform }) => ({
          ...platform,
          source: sources[key]?.pages?.[0] ?? key,
        })),
      }),
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

/**
 * The update in force with what a feed knows over it: only what differs, so that what comes with later releases counts for the
 * rest. A feed says nothing of how a model is asked to reason where that is known: it does not tell a provider's ways apart.
 */
export function mergeFeed(previous: CatalogEntries, feed: CatalogEntries): CatalogEntries {
  const catalog = catalogOver(previous);
  const merged = new Map(previous);
  for (const [model, { source, price: listed, ...facts }] of feed) {
    const known = factsOf(catalog.find(model));
    const price = listed && mergePrice(model, previous.get(model)?.price, listed);
    const entry = { ...facts, ...(price && { price }) };
    const news = Object.entries(entry).filter(
      ([field, value]) =>
        field === "price" || (!(field === "reasoning" && known.get(field)) && !isSameFact(known.get(field), value)),
    );
    if (news.length === 0) continue;
    const origin = source === undefined ? {} : { source };
    merged.set(model, { ...previous.get(model), ...Object.fromEntries(news), ...origin });
  }
  return merged;
}

/** The update in force with the selected fields of another one. */
export function selectFields(previous: CatalogEntries, next: CatalogEntries, selection: Selection): CatalogEntries {
  const selected = new Map(previous);
  for (const { model, fields } of selection) {
    const entry = new Map<string, unknown>(Object.entries(previous.get(model) ?? {}));
    const fresh = new Map<string, unknown>(Object.entries(next.get(model) ?? {}));
    for (const field of fields.length > 0 ? [...fields, ...UNINTERESTING] : []) {
      if (fresh.has(field)) entry.set(field, fresh.get(field));
      else entry.delete(field);
    }
    if (entry.size > 0) selected.set(model, Object.fromEntries(entry));
    else selected.delete(model);
  }
  return selected;
}

/** What taking `next` over `previous` (the update in force) changes; `book` holds the present prices. */
export function planUpdate(previous: CatalogEntries, next: CatalogEntries, book: PriceBook): UpdatePlan {
  const names = [...new Set([...previous.keys(), ...next.keys()])].toSorted((a, b) => a.localeCompare(b));
  const [from, to] = [catalogOver(previous), catalogOver(next)];
  return {
    changes: names.flatMap((model): CatalogChange[] => {
      const [old, fresh, shipped] = [previous.get(model), next.get(model), shippedDocument.models.get(model)];
      if (old === fresh) return [];
      // What an update does not say about a model stays as it comes with the release.
      const fields = model.includes("*")
        ? differences(entryFacts({ ...shipped, ...old }), entryFacts({ ...shipped, ...fresh }))
        : differences(factsOf(from.find(model)), factsOf(to.find(model)));
      if (fields.length === 0) return [];
      const kind = !old && !shipped ? "added" : fresh || shipped ? "changed" : "removed";
      return [{ model, kind, fields, source: fresh?.source ?? null }];
    }),
    prices: [...next].flatMap(([model, { price }]): PriceChange[] => {
      if (!price || model.includes("*")) return [];
      const present = book.ratiosOf(model);
      const requested = statedRatios(price);
      if (isSamePrice(present, requested)) return [];
      const applies = isListPrice(model, present, previous);
      const [before, after] = [priceView(model, present), priceView(model, requested)];
      return [{ model, before, after, applies, source: price.source ?? null }];
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

const catalogOver = (update: CatalogEntries): Catalog => createCatalog([shippedDocument.models, update]);

type Facts = ReadonlyMap<string, unknown>;

const factsOf = (info: ModelInfo): Facts => new Map(Object.entries(info).filter(([field]) => isShown(field)));

const entryFacts = ({ price: _, ...facts }: CatalogEntry): Facts =>
  new Map(Object.entries(facts).filter(([field]) => isShown(field)));

function differences(before: Facts, after: Facts): CatalogChange["fields"] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((field) => !isSameFact(before.get(field), after.get(field)))
    .map((field) => ({ field, before: before.get(field) ?? null, after: after.get(field) ?? null }));
}

/** Kinds of content and names are in no order. */
const isSameFact = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

const textOf = (fact: unknown): string => JSON.stringify(Array.isArray(fact) ? fact.toSorted() : (fact ?? null));

/** Where a fact was read changes with every reading. */
const UNINTERESTING: readonly string[] = [
  "source",
  "read_on",
  "deprecation_source",
  "deprecation_channel_types",
  "platform_retirements",
];

const isShown = (field: string): boolean => ENTRY_FIELDS.includes(field) && !UNINTERESTING.includes(field);
