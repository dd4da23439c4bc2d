import { catalogEntries, catalogUpdate } from "../option/catalog-option.ts";
import { bool, endpoint } from "../option/option.ts";

/** What the gateway knows about models beside what comes with the release. */
export const catalogOptions = {
  /** The operator's own entries by model name or pattern; they win over all others. */
  ModelCatalog: catalogEntries({ ownPage: true }),
  /** The update in force, over what comes with the release. */
  ModelCatalogUpdate: catalogUpdate({ ownPage: true }),
  /** Where updates are fetched from. */
  ModelCatalogUrl: endpoint(),
  /** Updates are fetched and applied once a day. */
  ModelCatalogAutoUpdate: bool(false, { needs: ["ModelCatalogUrl"] }),
};
