import { queryOptions } from "@tanstack/react-query";
import type { CatalogEntry } from "../../../../src/catalog/entry.ts";
import type { CatalogEntryView } from "../../../../src/domain/models/list-catalog.ts";
import type { UpdatePlan } from "../../../../src/domain/models/plan-update.ts";
import { readData } from "../../../api/client.ts";
import { catalogApi } from "../../../api/groups.ts";

export type CatalogModel = CatalogEntryView;
export type { UpdatePlan };

/** Entries by model, and the active update; null: none. */
type Catalog = Readonly<{
  entries: readonly CatalogModel[];
  update: Readonly<{ url: string; applied_at: number }> | null;
}>;

export const catalog = queryOptions({
  queryKey: ["catalog"],
  queryFn: ({ signal }): Promise<Catalog> => readData(catalogApi.get({ fetch: { signal } })),
});

/** An operator's override of a model; a null price means the list price. */
export type OwnEntry = Omit<CatalogEntry, "price"> & Readonly<{ price?: CatalogEntry["price"] | null }>;

export const putEntry = (model: string, entry: OwnEntry) => readData(catalogApi.put({ model, entry }));

export const deleteEntry = (model: string) => readData(catalogApi.delete({}, { query: { model } }));

/** `document`: JSON text; absent: fetched from the URL in the settings. */
type Update = Readonly<{ document?: string }>;

export const previewUpdate = (update: Update): Promise<UpdatePlan> => readData(catalogApi.update.preview.post(update));

export const applyUpdate = (update: Update): Promise<UpdatePlan> => readData(catalogApi.update.post(update));

export const removeUpdate = () => readData(catalogApi.update.delete());
