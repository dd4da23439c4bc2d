import { queryOptions } from "@tanstack/react-query";
import { request } from "../../api/client.ts";

/** A model of the price list, as the server tells it. */
export type PricedModel = Readonly<{
  model_name: string;
  /** 0: by tokens, 1: by call. */
  quota_type: 0 | 1;
  model_ratio: number;
  model_price: number;
  completion_ratio: number;
  cache_ratio: number;
  owner_by: string;
  enable_groups: readonly string[];
  is_priced: boolean;
}>;

export type PriceList = Readonly<{
  models: readonly PricedModel[];
  groupRatio: Readonly<Record<string, number>>;
  usableGroups: Readonly<Record<string, string>>;
  /** The group that the caller has without choosing. */
  ownGroup: string;
}>;

export const priceList = queryOptions({
  queryKey: ["pricing"],
  queryFn: async ({ signal }): Promise<PriceList> => {
    const answer = await request<
      PricedModel[],
      { group_ratio: Record<string, number>; usable_group: Record<string, string>; group: string }
    >("/api/pricing", { signal, stayOn401: true });
    const { data, group_ratio: groupRatio, usable_group: usableGroups, group: ownGroup } = answer;
    return { models: data, groupRatio, usableGroups, ownGroup };
  },
});
