import { type CatalogEntries, CatalogError, readEntries } from "../catalog/entry.ts";
import { OperationError } from "../lib/operation-error.ts";
import { type Option, option, type Traits } from "./option.ts";

/** Entries of the model catalogue as JSON, by model name or pattern. */
export const catalogEntries = (traits: Traits = {}): Option<CatalogEntries> =>
  option("{}", traits, (raw, key) => {
    try {
      return readEntries(JSON.parse(raw), key);
    } catch (error) {
      if (error instanceof CatalogError)
        throw new OperationError("catalog_field", { field: error.field, expected: error.expected });
      throw new OperationError("option_json", { key, detail: error instanceof Error ? error.message : "" });
    }
  });
