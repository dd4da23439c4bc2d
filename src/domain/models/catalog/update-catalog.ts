import type { PriceRatios } from "../../../billing/pricing/ratios/catalog-ratios.ts";
import { type CatalogFeed, type ReadCatalog, readCatalog, readFeed } from "../../../catalog/readers/read-source.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { OutboundError } from "../../../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { CatalogUpdate, PreviousUpdate } from "../../../settings/option/catalog-option.ts";
import type { OptionKey } from "../../../settings/registry/index.ts";
import type { Settings } from "../../../settings/settings.ts";
import { isSamePrice, openPriceBook, PRICE_OPTIONS, statedRatios } from "../pricing.ts";
import { mergeFeed, planUpdate, type Selection, selectFields, type UpdatePlan, updateEntries } from "./plan-update.ts";
import { refusing } from "./save-entry.ts";

const TIMEOUT_MS = 20_000;
/** Of a catalog that an operator publishes or hands in. */
export const LARGEST_DOCUMENT = 4 * 1024 * 1024;
/** Of what a feed answers. */
const LARGEST_FEED = 32 * 1024 * 1024;

type Deps = Readonly<{ settings: Settings }>;

/** Addresses of the feeds that have one. */
export type FeedAddresses = Readonly<{ modelsDev: string; openRouter: string }>;

/** Nothing is fetched. */
type Offline = Readonly<{ isOffline: boolean }>;

/** Where an update comes from: a catalog as text, a feed, or the address of the settings. */
export type UpdateSource =
  | Readonly<{ document: string }>
  | Readonly<{ feed: CatalogFeed; address: string }>
  | Readonly<{ feed: null }>;

/** A catalog that was read, where from, and a digest of its text. */
export type SourceCatalog = ReadCatalog & Readonly<{ url: string; digest: string }>;

/** Reads an update from its source. Throws OperationError: no address, no answer, or not what the source publishes. */
export async function readSource(
  { settings, feeds, isOffline }: Deps & Readonly<{ feeds: FeedAddresses }> & Offline,
  fetch: SafeFetch,
  source: UpdateSource,
): Promise<SourceCatalog> {
  if ("document" in source) return { ...parseCatalog(source.document), url: "", digest: digestOf(source.document) };
  const { feed } = source;
  if (isOffline) throw new OperationError("site_offline");
  if (feed === null) return fetchCatalog({ settings }, fetch);
  const url = feedUrl(feed, source.address, feeds);
  const text = await fetchText(fetch, url, LARGEST_FEED);
  return { document: refusing(() => readFeed(feed, jsonOf(text), url)), feed, url, digest: digestOf(text) };
}

function feedUrl(feed: CatalogFeed, address: string, { modelsDev, openRouter }: FeedAddresses): string {
  if (feed === "models.dev") return `${modelsDev.replace(/\/+$/, "")}/api.json`;
  if (feed === "OpenRouter") return `${openRouter.replace(/\/+$/, "")}/api/v1/models`;
  const origin = URL.parse(address.trim());
  if (!origin || !/^https?:$/.test(origin.protocol)) throw new OperationError("catalog_address_invalid");
  return `${origin.href.replace(/[?#].*$/, "").replace(/(?:\/v1)?\/*$/, "")}/api/pricing`;
}

/** Fetches the catalog at the address of the settings. Throws OperationError: no address, no answer, or nothing valid. */
export async function fetchCatalog({ settings }: Deps, fetch: SafeFetch): Promise<SourceCatalog> {
  const url = settings.get("ModelCatalogUrl");
  const text = await fetchText(fetch, url, LARGEST_DOCUMENT);
  return { ...parseCatalog(text, url), url, digest: digestOf(text) };
}

async function fetchText(fetch: SafeFetch, address: string, maxBytes: number): Promise<string> {
  if (address === "") throw new OperationError("catalog_url_unset");
  const headers = { accept: "application/json", "user-agent": "sluice" };
  try {
    const response = await fetch(address, { headers, timeoutMs: TIMEOUT_MS, maxBytes });
    if (response.status !== 200) throw new OperationError("catalog_fetch_status", { status: response.status });
    return response.text();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new OperationError("catalog_fetch_failed", { reason: error.reason });
  }
}

/** Reads and checks a document, or what a feed answers. Throws OperationError saying what is wrong with it. */
const parseCatalog = (text: string, address = ""): ReadCatalog => refusing(() => readCatalog(jsonOf(text), address));

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperationError("catalog_not_json", { detail: messageOf(error) });
  }
}

const digestOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** What applying a catalog would change, without changing anything. */
export function previewUpdate({ settings }: Deps, read: ReadCatalog): UpdatePlan {
  const options = new Map(settings.list().map(({ key, value }) => [key, value]));
  const book = openPriceBook((option) => options.get(option) ?? "{}");
  const previous = settings.get("ModelCatalogUpdate").models;
  return planUpdate(previous, nextEntries(previous, read), book);
}

/** A feed adds to the update in force, a catalog replaces it. */
function nextEntries(previous: CatalogUpdate["models"], { document, feed }: ReadCatalog): CatalogUpdate["models"] {
  const entries = updateEntries(document);
  return feed === null ? entries : mergeFeed(previous, entries);
}

/** `selection`: what to take over; null: everything. */
type Application = Readonly<{ url: string; nowSeconds: number; selection?: Selection | null }>;

/**
 * Puts a catalog over what comes with the release: facts at once, prices where the operator has none of their own. All of it or
 * nothing; what was in force before is retained for `undoUpdate`. Resolves with what changed, and the options that did. Throws
 * OperationError.
 */
export async function applyUpdate(
  { settings }: Deps,
  read: ReadCatalog,
  { url, nowSeconds, selection = null }: Application,
): Promise<Readonly<{ plan: UpdatePlan; changed: readonly OptionKey[] }>> {
  let plan: UpdatePlan = { changes: [], prices: [] };
  const changed = await settings.change(["ModelCatalogUpdate", ...PRICE_OPTIONS], (textOf) => {
    const book = openPriceBook(textOf);
    const { models, ...inForce } = settings.get("ModelCatalogUpdate");
    const next = nextEntries(models, read);
    const entries = selection === null ? next : selectFields(models, next, selection);
    plan = planUpdate(models, entries, book);
    if (plan.changes.length === 0 && plan.prices.every(({ applies }) => !applies)) return new Map();
    const replaced: [string, { before: PriceRatios; after: PriceRatios }][] = [];
    for (const { model, applies } of plan.prices) {
      const price = entries.get(model)?.price;
      if (!applies || !price) continue;
      const [before, after] = [book.ratiosOf(model), statedRatios(price)];
      replaced.push([model, { before, after }]);
      book.set(model, after);
    }
    const previous: StoredPrevious = {
      ...{ url: inForce.url, applied_at: inForce.applied_at, models: Object.fromEntries(models) },
      prices: Object.fromEntries(replaced),
    };
    const update = { url, applied_at: nowSeconds, models: Object.fromEntries(entries), previous };
    return new Map<OptionKey, string>([["ModelCatalogUpdate", JSON.stringify(update)], ...book.texts()]);
  });
  return { plan, changed };
}

type StoredPrevious = Omit<PreviousUpdate, "models"> & Readonly<{ models: Readonly<Record<string, unknown>> }>;

/**
 * Takes the last update back: its facts, and each price that is still the one it brought. Resolves with the models whose price
 * stays, because it was changed since, and the options that changed. Throws OperationError if there is nothing to take back.
 */
export async function undoUpdate({
  settings,
}: Deps): Promise<Readonly<{ retained: readonly string[]; changed: readonly OptionKey[] }>> {
  const retained: string[] = [];
  const changed = await settings.change(["ModelCatalogUpdate", ...PRICE_OPTIONS], (textOf) => {
    const { previous } = settings.get("ModelCatalogUpdate");
    if (!previous) throw new OperationError("catalog_nothing_to_undo");
    const book = openPriceBook(textOf);
    for (const [model, { before, after }] of Object.entries(previous.prices)) {
      if (isSamePrice(book.ratiosOf(model), after)) book.set(model, before);
      else retained.push(model);
    }
    const { url, applied_at } = previous;
    const update = { url, applied_at, models: Object.fromEntries(previous.models) };
    return new Map<OptionKey, string>([["ModelCatalogUpdate", JSON.stringify(update)], ...book.texts()]);
  });
  return { retained, changed };
}
