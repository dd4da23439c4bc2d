import { queryOptions } from "@tanstack/react-query";
import { readData } from "../client.ts";
import { pricingApi } from "../groups.ts";

/** Names of the first chat models by name, for examples, without those that their provider has turned off. */
export const chatModels = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", userId, "chat"],
    async queryFn() {
      const found = pricingApi.pricing.models.get({ query: { capability: "chat", page_size: 100 } });
      const { items } = await readData(found, { stayOn401: true });
      // A day, or a month, is before each of its times.
      return items
        .filter(({ deprecation_date: end }) => !end || end > new Date().toISOString())
        .map(({ model_name }) => model_name);
    },
  });
