import { queryOptions, useQueries } from "@tanstack/react-query";
import { readData } from "../client.ts";
import { pricingApi } from "../groups.ts";
import type { PricedModel } from "./pricing.ts";

/** Facts, price and health of a model; `userId` separates the cache of visitors and users. */
export const modelPage = (model: string, userId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", "model", model, userId ?? "visitor"],
    queryFn: ({ signal }) =>
      readData(pricingApi.pricing.model.get({ query: { name: model }, fetch: { signal } }), { stayOn401: true }),
    staleTime: 60_000,
  });

/** What models cost before the group's ratio, by name; of one that is not loaded yet, or not offered, nothing. */
export function useModelPrices(names: readonly string[], userId: number | undefined): ReadonlyMap<string, PricedModel> {
  return useQueries({ queries: [...new Set(names)].map((name) => modelPage(name, userId)), combine: pricesOf });
}

const pricesOf = (pages: readonly Readonly<{ data?: Readonly<{ model: PricedModel }> | undefined }>[]) =>
  new Map(pages.flatMap(({ data }) => (data ? [[data.model.model_name, data.model] as const] : [])));
