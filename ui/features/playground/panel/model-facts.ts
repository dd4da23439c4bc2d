import { useQueries } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { playgroundApi } from "../../../api/groups.ts";
import { modelPage } from "../../../api/models/model.ts";
import type { PricedModel } from "../../../api/models/pricing.ts";
import { useSession } from "../../../state/session.ts";
import type { LaneModel } from "../chat/parameters.ts";

const MINUTE_MS = 60_000;
/** Others are of batches, or of places instead of speeds. */
const TIERS = /^(priority|flex|fast)$/;

/** What is known of the chosen models; of one that is not loaded yet nothing. */
export function useLaneModels(names: readonly string[], group: string): readonly LaneModel[] {
  const prices = useLanePrices(names);
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

/** What the chosen models cost before the group's ratio; of one that is not loaded yet, or not offered, nothing. */
export function useLanePrices(names: readonly string[]): ReadonlyMap<string, PricedModel> {
  const { user } = useSession();
  return useQueries({
    queries: [...new Set(names)].map((name) => modelPage(name, user?.id)),
    combine: pricesOf,
  });
}

const pricesOf = (pages: readonly Readonly<{ data?: Readonly<{ model: PricedModel }> | undefined }>[]) =>
  new Map(pages.flatMap(({ data }) => (data ? [[data.model.model_name, data.model] as const] : [])));

const tiersOf = (model: PricedModel | undefined): readonly string[] =>
  Object.keys(model?.service_tiers ?? {}).filter((tier) => TIERS.test(tier));
