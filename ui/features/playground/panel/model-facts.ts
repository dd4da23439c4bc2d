import { useQueries, useQuery } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { playgroundApi } from "../../../api/groups.ts";
import { type PricedModel, pricing } from "../../../api/models/pricing.ts";
import { useSession } from "../../../state/session.ts";
import type { LaneModel } from "../chat/parameters.ts";

const MINUTE_MS = 60_000;
/** Others are of batches, or of places instead of speeds. */
const TIERS = /^(priority|flex|fast)$/;

/** What is known of the chosen models; of one that is not loaded yet nothing. */
export function useLaneModels(names: readonly string[], group: string): readonly LaneModel[] {
  const { user } = useSession();
  const prices = useQuery(pricing(user?.id)).data?.models;
  const models = useQueries({
    queries: [...new Set(names)].map((name) => ({
      queryKey: ["playground-model", name, group],
      queryFn: async () => readData(playgroundApi.model.get({ query: { name, ...(group && { group }) } })),
      staleTime: MINUTE_MS,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return models.map((model) => ({ ...model, serviceTiers: tiersOf(prices, model.model) }));
}

function tiersOf(prices: readonly PricedModel[] | undefined, name: string): readonly string[] {
  const tiers = prices?.find(({ model_name }) => model_name === name)?.service_tiers ?? {};
  return Object.keys(tiers).filter((tier) => TIERS.test(tier));
}
