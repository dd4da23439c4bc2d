import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import type { CatalogEntries } from "../catalog/entry.ts";
import { shippedDocument } from "../catalog/shipped.ts";
import type { CatalogUpdate } from "./option/catalog-option.ts";

/** The options that the catalogue is made of. */
export type CatalogSettings = Readonly<{
  readonly values: Readonly<{ ModelCatalog: CatalogEntries; ModelCatalogUpdate: CatalogUpdate }>;
}>;

/** Returns a function that gives the catalogue as it is now: the same one until one of its options changes. */
export function createModelCatalog(settings: CatalogSettings): () => Catalog {
  let own: CatalogEntries | null = null;
  let update: CatalogUpdate | null = null;
  let catalog: Catalog;
  return () => {
    const { ModelCatalog, ModelCatalogUpdate } = settings.values;
    if (ModelCatalog !== own || ModelCatalogUpdate !== update) {
      own = ModelCatalog;
      update = ModelCatalogUpdate;
      catalog = createCatalog([shippedDocument.models, update.models, own]);
    }
    return catalog;
  };
}
