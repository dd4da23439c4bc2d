import { useQueries } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { playgroundApi } from "../../../api/groups.ts";
import { useModelPrices } from "../../../api/models/model-prices.ts";
import type { PricedModel } from "../../../api/models/pricing.ts";
import { useSession } from "../../../state/session.ts";
import type { LaneModel } from "../chat/parameters.ts";

const MINUTE_MS = 60_000;
/** Others are of batches, or of places instead of speeds. */
const TIERS = /^(priority|flex|fast)$/;

/** What is known of the chosen models; of one that is not loaded yet nothing. */
export function useLaneModels(names: readonly string[], group: string): readonly LaneModel[] {
  const { user } = useSession();
  const prices = useModelPrices(names, user?.id);
  const models = useQueries({
    queries: [...new Set(names)].map((name) => ({
      queryKey: ["playground-model", name, group],
      queryFn: async () => readData(playgroundApi.model.get({ query: { name, ...(group && { group }) } })),
      staleTime: MINUTE_MS,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return models.map((model) => ({ ...model, serviceTiers: tiersOf(prices.get(model.model)) }));
}

const tiersOf = (model: PricedModel | undefined): readonly string[] =>
  Object.keys(model?.service_tiers ?? {}).filter((tier) => TIERS.test(tier));
