import { type Catalog, createCatalog } from "./catalog.ts";
import { readDocument } from "./entry.ts";
import file from "./models.json" with { type: "json" };

/** The catalogue that comes with this release. */
export const shippedDocument = readDocument(file);

/** Lookups in nothing but what comes with this release. */
export const shippedCatalog: Catalog = createCatalog([shippedDocument.models]);
