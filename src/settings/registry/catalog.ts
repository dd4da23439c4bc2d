import { catalogEntries } from "../catalog-option.ts";

/** What the gateway knows about models beside what comes with the release. */
export const catalogOptions = {
  /** The operator's own entries by model name or pattern; they win over all others. */
  ModelCatalog: catalogEntries(),
};
