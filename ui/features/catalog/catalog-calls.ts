import { queryOptions } from "@tanstack/react-query";
import type { CatalogEntry } from "../../../src/catalog/entry.ts";
import type { CatalogEntryView } from "../../../src/domain/models/list-catalog.ts";
import type { UpdatePlan } from "../../../src/domain/models/plan-update.ts";
import { request } from "../../api/client.ts";

export type CatalogModel = CatalogEntryView;
export type { UpdatePlan };

/** Entries by model, and the update in force; null: none. */
export type Catalog = Readonly<{
  entries: readonly CatalogModel[];
  update: Readonly<{ url: string; applied_at: number }> | null;
}>;

export const catalog = queryOptions({
  queryKey: ["catalog"],
  queryFn: async ({ signal }) => (await request<Catalog>("/api/catalog/", { signal })).data,
});

/** What an operator says about a model; a price of null means the list price. */
export type OwnEntry = Omit<CatalogEntry, "price"> & Readonly<{ price?: CatalogEntry["price"] | null }>;

export const putEntry = (model: string, entry: OwnEntry) =>
  request<null>("/api/catalog/", { method: "PUT", body: { model, entry } });

export const deleteEntry = (model: string) => request<null>("/api/catalog/", { method: "DELETE", query: { model } });

/** `document`: JSON text; absent: fetched from the address of the settings. */
type Update = Readonly<{ document?: string }>;

export const previewUpdate = async (update: Update): Promise<UpdatePlan> =>
  (await request<UpdatePlan>("/api/catalog/update/preview", { method: "POST", body: update })).data;

export const applyUpdate = async (update: Update): Promise<UpdatePlan> =>
  (await request<UpdatePlan>("/api/catalog/update", { method: "POST", body: update })).data;

export const removeUpdate = () => request<null>("/api/catalog/update", { method: "DELETE" });
