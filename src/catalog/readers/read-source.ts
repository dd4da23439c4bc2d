import { FieldError } from "../../lib/field-readers.ts";
import { type CatalogDocument, readDocument } from "../entry.ts";
import { readModelsDev } from "./models-dev.ts";
import { readOpenRouter } from "./open-router.ts";
import { readSluicePrices } from "./sluice-prices.ts";
import { recordAt } from "./source-entry.ts";

/** Where prices and facts of models are published in shapes of their own. */
export const CATALOG_FEEDS = ["models.dev", "OpenRouter", "Sluice"] as const;
export type CatalogFeed = (typeof CATALOG_FEEDS)[number];

/** A document, and the feed that it was read from; null: it is a catalog of Sluice's own form. */
export type ReadCatalog = Readonly<{ document: CatalogDocument; feed: CatalogFeed | null }>;

/**
 * Reads a catalog of Sluice's own form or any feed, by its shape. `address`: where another Sluice's prices are from. Throws
 * FieldError.
 */
export function readCatalog(value: unknown, address = ""): ReadCatalog {
  const feed = feedOf(value);
  if (feed === "models.dev") return { document: readModelsDev(value), feed };
  if (feed === "OpenRouter") return { document: readOpenRouter(value), feed };
  if (feed === "Sluice") return { document: readSluicePrices(value, address), feed };
  return { document: readDocument(value), feed: null };
}

/** The feed of a shape; null: it is none. */
function feedOf(value: unknown): CatalogFeed | null {
  const root = recordAt(value);
  if (!root || "format" in root) return null;
  if (Array.isArray(root.data)) {
    const [first] = root.data;
    return recordAt(first)?.model_name === undefined ? "OpenRouter" : "Sluice";
  }
  return Object.values(root).some((provider) => recordAt(recordAt(provider)?.models)) && !("models" in root)
    ? "models.dev"
    : null;
}

/** Reads what a feed answers. Throws FieldError if it is of another shape. */
export function readFeed(feed: CatalogFeed, value: unknown, address: string): CatalogDocument {
  const read = readCatalog(value, address);
  if (read.feed !== feed) throw new FieldError(feed, "the list of models that this source publishes");
  return read.document;
}
