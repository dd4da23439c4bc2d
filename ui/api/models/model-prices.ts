import { useQueries } from "@tanstack/react-query";
import { modelPage } from "./model.ts";
import type { PricedModel } from "./pricing.ts";

/** What models cost before the group's ratio, by name; of one that is not loaded yet, or not offered, nothing. */
export function useModelPrices(names: readonly string[], userId: number | undefined): ReadonlyMap<string, PricedModel> {
  return useQueries({ queries: [...new Set(names)].map((name) => modelPage(name, userId)), combine: pricesOf });
}

const pricesOf = (pages: readonly Readonly<{ data?: Readonly<{ model: PricedModel }> | undefined }>[]) =>
  new Map(pages.flatMap(({ data }) => (data ? [[data.model.model_name, data.model] as const] : [])));
