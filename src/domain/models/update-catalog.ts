import { type CatalogDocument, readDocument } from "../../catalog/entry.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { OutboundError } from "../../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { messageOf } from "../../lib/runtime/error-message.ts";
import type { OptionKey } from "../../settings/registry/index.ts";
import type { Settings } from "../../settings/settings.ts";
import { planUpdate, type UpdatePlan, updateEntries } from "./plan-update.ts";
import { openPriceBook, PRICE_OPTIONS, statedRatios } from "./prices.ts";
import { refusing } from "./save-entry.ts";

const TIMEOUT_MS = 20_000;
export const LARGEST_DOCUMENT = 4 * 1024 * 1024;

type Deps = Readonly<{ settings: Settings }>;

/** Fetches the document at the address of the settings. Throws OperationError: no address, no answer, or no valid document. */
export async function fetchCatalog({ settings }: Deps, fetch: SafeFetch): Promise<CatalogDocument> {
  const address = settings.get("ModelCatalogUrl");
  if (address === "") throw new OperationError("catalog_url_unset");
  const headers = { accept: "application/json", "user-agent": "sluice" };
  let text: string;
  try {
    const response = await fetch(address, { headers, timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_DOCUMENT });
    if (response.status !== 200) throw new OperationError("catalog_fetch_status", { status: response.status });
    text = response.text();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new OperationError("catalog_fetch_failed", { reason: error.reason });
  }
  return parseCatalog(text);
}

/** Reads and checks a document. Throws OperationError saying what is wrong with it. */
export function parseCatalog(text: string): CatalogDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OperationError("catalog_not_json", { detail: messageOf(error) });
  }
  return refusing(() => readDocument(value));
}

/** What applying a document would change, without changing anything. */
export function previewUpdate({ settings }: Deps, document: CatalogDocument): UpdatePlan {
  const options = new Map(settings.list().map(({ key, value }) => [key, value]));
  const book = openPriceBook((option) => options.get(option) ?? "{}");
  return planUpdate(settings.get("ModelCatalogUpdate").models, updateEntries(document), book);
}

/**
 * Puts a document over what comes with the release: facts at once, prices where the operator has none of their own. All of
 * it or nothing. Resolves with what changed, and the options that did. Throws OperationError.
 */
export async function applyUpdate(
  { settings }: Deps,
  document: CatalogDocument,
  source: Readonly<{ url: string; nowSeconds: number }>,
): Promise<Readonly<{ plan: UpdatePlan; changed: readonly OptionKey[] }>> {
  let plan: UpdatePlan = { changes: [], prices: [] };
  const changed = await settings.change(["ModelCatalogUpdate", ...PRICE_OPTIONS], (textOf) => {
    const book = openPriceBook(textOf);
    const entries = updateEntries(document);
    plan = planUpdate(settings.get("ModelCatalogUpdate").models, entries, book);
    if (plan.changes.length === 0 && plan.prices.every(({ applies }) => !applies)) return new Map();
    for (const { model, applies } of plan.prices) {
      const price = entries.get(model)?.price;
      if (applies && price) book.set(model, statedRatios(price));
    }
    const update = { url: source.url, applied_at: source.nowSeconds, models: Object.fromEntries(entries) };
    return new Map<OptionKey, string>([["ModelCatalogUpdate", JSON.stringify(update)], ...book.texts()]);
  });
  return { plan, changed };
}
