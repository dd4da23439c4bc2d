import { checkModelName, type ModelFacts, readOwnEntry } from "../../../catalog/entry.ts";
import { FieldError } from "../../../lib/field-readers.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { OptionKey } from "../../../settings/registry/index.ts";
import type { Settings } from "../../../settings/settings.ts";
import { openPriceBook, PRICE_OPTIONS, shippedRatios, statedRatios } from "../pricing.ts";

type Deps = Readonly<{ settings: Pick<Settings, "change"> }>;

/**
 * Replaces what the operator says about a model, or a pattern of models. A price goes into the price options; null takes the
 * model back to its list price; without one the price stays. Resolves with the options that changed. Throws OperationError.
 */
export async function saveCatalogEntry(
  { settings }: Deps,
  model: string,
  entry: unknown,
): Promise<readonly OptionKey[]> {
  const { price, ...facts } = refusing(() => {
    checkModelName(model, "model");
    return readOwnEntry(entry, "entry");
  });
  if (price !== undefined && model.includes("*")) throw new OperationError("catalog_price_of_pattern", { model });
  const keys: OptionKey[] = price === undefined ? ["ModelCatalog"] : ["ModelCatalog", ...PRICE_OPTIONS];
  return settings.change(keys, (textOf) => {
    const texts = new Map<OptionKey, string>([["ModelCatalog", withEntry(textOf("ModelCatalog"), model, facts)]]);
    if (price === undefined) return texts;
    const book = openPriceBook(textOf);
    const listed = shippedRatios(model);
    book.set(model, price === null ? listed : statedRatios(price));
    for (const [option, text] of book.texts()) texts.set(option, text);
    return texts;
  });
}

/** Takes back what the operator says about a model; its price stays. Throws OperationError where they say nothing. */
export async function deleteCatalogEntry({ settings }: Deps, model: string): Promise<readonly OptionKey[]> {
  return settings.change(["ModelCatalog"], (textOf) => {
    const text = textOf("ModelCatalog");
    if (!readEntries(text).has(model))
      throw new OperationError("catalog_entry_missing", { model: model.slice(0, 100) });
    return new Map([["ModelCatalog", withEntry(text, model, {})]]);
  });
}

const readEntries = (text: string): Map<string, unknown> => new Map(Object.entries(JSON.parse(text)));

function withEntry(text: string, model: string, facts: ModelFacts): string {
  const entries = readEntries(text);
  if (Object.keys(facts).length === 0) entries.delete(model);
  else entries.set(model, facts);
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** Says what is wrong with a document as an operation does. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new OperationError("field_invalid", { field: error.field, expected: error.expected });
  }
}
