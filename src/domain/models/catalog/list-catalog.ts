import { createModelCatalog, type ModelInfo, shippedDocument } from "../../../catalog/catalog.ts";
import type { CatalogPrice, ModelFacts } from "../../../catalog/entry.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { ChannelDirectory } from "../../channels/directory.ts";
import { servedModels } from "../../channels/routing/abilities.ts";
import { fuzzyMatch } from "../model-name-rules.ts";
import { isSamePrice, openPriceBook, PRICE_OPTIONS, priceView, shippedRatios } from "../pricing.ts";

/** What the gateway knows about a model, or about a pattern of names, and where from. */
export type CatalogEntryView = Readonly<{
  model: string;
  is_pattern: boolean;
  /** A channel that is switched on has it. */
  is_served: boolean;
  /** An entry of this name comes with the release, or with an update. */
  is_shipped: boolean;
  /** All that is known, from every entry that fits the name. */
  facts: ModelInfo;
  /** What the operator says; null: nothing. */
  own: ModelFacts | null;
  /** Dollars; null: no price, or a pattern. */
  price: CatalogPrice | null;
  /** The price is not the one that comes with the release. */
  has_own_price: boolean;
  /** Pages that the facts were read from, and the day. */
  pages: readonly string[];
  read_on: string | null;
}>;

type Deps = Readonly<{ settings: Settings; channels: ChannelDirectory }>;

/** Which entries a list is of. */
const FITS = {
  served: ({ is_served }) => is_served,
  own: ({ own, price, has_own_price }) => own !== null || (price !== null && has_own_price),
  unknown: ({ is_served, facts }) => is_served && facts.context_window === null && facts.output_limit === null,
  ending: ({ facts }) => facts.deprecation_date !== null,
  patterns: ({ is_pattern }) => is_pattern,
} as const satisfies Record<string, (entry: CatalogEntryView) => boolean>;

export type CatalogState = keyof typeof FITS;
export const CATALOG_STATES = Object.keys(FITS).filter((name): name is CatalogState => name in FITS);

/** Empty or absent: any. */
type CatalogFilters = Readonly<{
  /** Letters of the name, in their order. */
  keyword?: string;
  provider?: string;
  state?: CatalogState | "";
}>;

/** The catalog by name: served models first, then by name. */
type OpenCatalog = Readonly<{
  /** Every entry of the catalogue, and every model that channels have. */
  names: readonly string[];
  factsOf: (model: string) => ModelInfo;
  entryOf: (model: string) => CatalogEntryView;
}>;

/** Every entry of the catalogue, and every model that channels have: served ones first, then by name. */
export function listCatalog(deps: Deps): CatalogEntryView[] {
  const { names, entryOf } = openCatalog(deps);
  return names.map(entryOf);
}

/** A page (counted from 0) of the entries that match, and how many there are. */
export function catalogPage(
  deps: Deps,
  { keyword = "", provider = "", state = "" }: CatalogFilters,
  { page, pageSize }: Readonly<{ page: number; pageSize: number }>,
): { items: CatalogEntryView[]; total: number } {
  const { names, factsOf, entryOf } = openCatalog(deps);
  const found = names.filter(
    (model) =>
      fuzzyMatch(keyword, model) &&
      (provider === "" || factsOf(model).provider === provider) &&
      (state === "" || FITS[state](entryOf(model))),
  );
  return { items: found.slice(page * pageSize, (page + 1) * pageSize).map(entryOf), total: found.length };
}

/** The providers of all entries, by name. */
export function catalogProviders(deps: Deps): string[] {
  const { names, factsOf } = openCatalog(deps);
  return [...new Set(names.flatMap((model) => factsOf(model).provider ?? []))].toSorted((a, b) => a.localeCompare(b));
}

function openCatalog({ settings, channels }: Deps): OpenCatalog {
  const own = settings.get("ModelCatalog");
  const update = settings.get("ModelCatalogUpdate").models;
  const catalog = createModelCatalog(settings)();
  const options = new Map(settings.list().map(({ key, value }) => [key, value]));
  const book = openPriceBook((option) => options.get(option) ?? "{}");
  const served = new Set(servedModels(channels).map(({ model }) => model));
  const names = new Set([...shippedDocument.models.keys(), ...update.keys(), ...own.keys(), ...served]);
  const priced = PRICE_OPTIONS.slice(0, 2).flatMap((option) => Object.keys(JSON.parse(options.get(option) ?? "{}")));
  for (const name of priced) names.add(name);
  const factsOf = (model: string) => catalog.find(model);
  const entryOf = (model: string): CatalogEntryView => {
    const facts = factsOf(model);
    const ratios = book.ratiosOf(model);
    return {
      model,
      is_pattern: model.includes("*"),
      is_served: served.has(model),
      is_shipped: shippedDocument.models.has(model) || update.has(model),
      facts,
      own: own.get(model) ?? null,
      price: priceView(model, ratios),
      has_own_price: !isSamePrice(ratios, shippedRatios(model)),
      ...sourceOf(facts),
    };
  };
  return {
    names: [...names].toSorted((a, b) => Number(served.has(b)) - Number(served.has(a)) || a.localeCompare(b)),
    factsOf,
    entryOf,
  };
}

function sourceOf({ source, read_on }: ModelInfo): Pick<CatalogEntryView, "pages" | "read_on"> {
  const known = source === null ? undefined : shippedDocument.sources[source];
  if (known) return { pages: known.pages ?? [], read_on: read_on ?? known.read_on ?? null };
  return { pages: source !== null && /^https?:\/\//.test(source) ? [source] : [], read_on };
}
