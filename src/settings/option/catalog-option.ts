import { type CatalogEntries, CatalogError, readEntries } from "../../catalog/entry.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Option, Traits } from "./option.ts";

/** Characters of an option's text: some thousand models. */
const LONGEST_TEXT = 4_000_000;

/** An update of the catalogue that is in force. */
export type CatalogUpdate = Readonly<{
  /** Where it came from; empty: it was handed in as a file. */
  url: string;
  /** Epoch seconds; 0: there is none. */
  applied_at: number;
  models: CatalogEntries;
}>;

/** Entries of the model catalogue as JSON, by model name or pattern. */
export const catalogEntries = (traits: Traits): Option<CatalogEntries> =>
  catalogOption("{}", traits, (value, key) => readEntries(value, key));

/** An update of the model catalogue as JSON. */
export const catalogUpdate = (traits: Traits): Option<CatalogUpdate> =>
  catalogOption("{}", traits, (value, key) => {
    const { url, applied_at, models = {} } = isObject(value) ? value : {};
    return {
      url: typeof url === "string" ? url : "",
      applied_at: typeof applied_at === "number" ? applied_at : 0,
      models: readEntries(models, `${key}.models`),
    };
  });

const catalogOption = <T>(initial: string, traits: Traits, parse: (value: unknown, key: string) => T): Option<T> => ({
  initial,
  traits,
  read(text, key) {
    if (text.length > LONGEST_TEXT) throw new OperationError("option_too_long", { key, max: LONGEST_TEXT });
    try {
      return { value: parse(JSON.parse(text), key), text };
    } catch (error) {
      if (error instanceof CatalogError)
        throw new OperationError("catalog_field", { field: error.field, expected: error.expected });
      throw new OperationError("option_json", { key, detail: error instanceof Error ? error.message : "" });
    }
  },
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
