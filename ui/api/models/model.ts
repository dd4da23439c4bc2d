import { queryOptions } from "@tanstack/react-query";
import { readData } from "../client.ts";
import { pricingApi } from "../groups.ts";

/** Facts, price and health of a model; `userId` separates the cache of visitors and users. */
export const modelPage = (model: string, userId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", "model", model, userId ?? "visitor"],
    queryFn: ({ signal }) =>
      readData(pricingApi.pricing.model.get({ query: { name: model }, fetch: { signal } }), { stayOn401: true }),
    staleTime: 60_000,
  });
