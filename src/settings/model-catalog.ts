import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import type { CatalogEntries } from "../catalog/entry.ts";
import { shippedDocument } from "../catalog/shipped.ts";

/** The options that the catalogue is made of. */
export type CatalogSettings = Readonly<{ get(option: "ModelCatalog"): CatalogEntries }>;

/** Returns a function that gives the catalogue as it is now: the same one until the operator's entries change. */
export function createModelCatalog(settings: CatalogSettings): () => Catalog {
  let own: CatalogEntries | null = null;
  let catalog: Catalog;
  return () => {
    const current = settings.get("ModelCatalog");
    if (current !== own) {
      own = current;
      catalog = createCatalog([shippedDocument.models, current]);
    }
    return catalog;
  };
}
