import { queryOptions } from "@tanstack/react-query";
import type { CatalogEntry } from "../../../../src/catalog/entry.ts";
import type { CatalogFeed } from "../../../../src/catalog/readers/read-source.ts";
import type { CatalogEntryView } from "../../../../src/domain/models/catalog/list-catalog.ts";
import type { UpdatePlan } from "../../../../src/domain/models/catalog/plan-update.ts";
import { readData } from "../../../api/client.ts";
import { catalogApi } from "../../../api/groups.ts";

export type CatalogModel = CatalogEntryView;
export type { UpdatePlan };

/** Entries by model, and the active update; null: none. */
type Catalog = Readonly<{
  entries: readonly CatalogModel[];
  update: Readonly<{ url: string; applied_at: number; can_undo: boolean }> | null;
}>;

export const catalog = queryOptions({
  queryKey: ["catalog"],
  queryFn: ({ signal }): Promise<Catalog> => readData(catalogApi.get({ fetch: { signal } })),
});

/** The providers of the catalog's models, and the active update. */
export const catalogSummary = queryOptions({
  queryKey: [...catalog.queryKey, "summary"],
  queryFn: ({ signal }) => readData(catalogApi.summary.get({ fetch: { signal } })),
});

/** An operator's override of a model; a null price means the list price. */
export type OwnEntry = Omit<CatalogEntry, "price"> & Readonly<{ price?: CatalogEntry["price"] | null }>;

export const putEntry = (model: string, entry: OwnEntry) => readData(catalogApi.put({ model, entry }));

export const deleteEntry = (model: string) => readData(catalogApi.delete({}, { query: { model } }));

/** Where an update comes from: a document, a feed, or without either the URL in the settings. */
export type UpdateSource = Readonly<{ document?: string; source?: CatalogFeed; address?: string }>;

/** What an update would change, and a digest of what was read. */
type UpdatePreview = UpdatePlan & Readonly<{ digest: string; url: string }>;

/** Read once for each choice, as sources are large; null: nothing is chosen. */
export const updatePreview = (update: UpdateSource | null) =>
  queryOptions({
    queryKey: ["catalog-update", update],
    queryFn: ({ signal }): Promise<UpdatePreview> =>
      readData(catalogApi.update.preview.post(update ?? {}, { fetch: { signal } })),
    enabled: update !== null,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

type Application = UpdateSource & Readonly<{ digest?: string; selection: { model: string; fields: string[] }[] }>;

export const applyUpdate = (update: Application): Promise<UpdatePlan> => readData(catalogApi.update.post(update));

/** Takes the last update back. Resolves with the models whose price stays, because it was changed since. */
export const undoUpdate = (): Promise<Readonly<{ retained: readonly string[] }>> =>
  readData(catalogApi.update.undo.post());

export const removeUpdate = () => readData(catalogApi.update.delete());
