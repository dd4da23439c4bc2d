import { type CatalogEntries, readEntries } from "../../catalog/entry.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option, Traits } from "./option.ts";

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
  jsonDocument(traits, (value, key) => readEntries(value, key));

/** An update of the model catalogue as JSON. */
export const catalogUpdate = (traits: Traits): Option<CatalogUpdate> =>
  jsonDocument(traits, (value, key) => {
    const { url, applied_at, models = {} } = isObject(value) ? value : {};
    return {
      url: typeof url === "string" ? url : "",
      applied_at: typeof applied_at === "number" ? applied_at : 0,
      models: readEntries(models, `${key}.models`),
    };
  });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
