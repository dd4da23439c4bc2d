import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { PriceChangeView } from "../../../src/domain/channels/prices/list-price-changes.ts";
import type { PricedModel as ListedModel } from "../../../src/domain/channels/prices/list-prices.ts";
import { readData, readEnvelope } from "../../api/client.ts";
import { pricingApi } from "../../api/groups.ts";

/** A model and its price before the factor of the group. */
export type PricedModel = ListedModel;

/** What a group pays less for a while. */
export type Discount = Readonly<{ percent: number /** Epoch seconds. */; until: number }>;

export type Pricing = Readonly<{
  models: readonly PricedModel[];
  groupRatio: Readonly<Record<string, number>>;
  discounts: Readonly<Record<string, Discount>>;
  usableGroup: Readonly<Record<string, string>>;
  ownGroup: string;
}>;

/** `userId` keeps what a visitor saw apart from what somebody signed in sees. */
export const pricing = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["pricing", userId ?? "visitor"],
    queryFn: async ({ signal }): Promise<Pricing> => {
      const answer = await readEnvelope(pricingApi.pricing.get({ fetch: { signal } }), { stayOn401: true });
      return {
        models: answer.data,
        groupRatio: answer.group_ratio,
        discounts: answer.discounts,
        usableGroup: answer.usable_group,
        ownGroup: answer.group,
      };
    },
    staleTime: 60_000,
  });

const TOKENS_PER_PRICE = 1_000_000;

/** USD for a million tokens in, before a group's factor. */
export const usdPerMillion = (modelRatio: number, quotaPerUnit: number): number =>
  (modelRatio * TOKENS_PER_PRICE) / quotaPerUnit;

/**
 * USD for a million tokens in and out, in a group with such a factor; of pictures and sound in and out and of what is
 * written to the cache where they have prices of their own, else null.
 */
export function tokenPrice(model: PricedModel, groupRatio: number, quotaPerUnit: number) {
  const { image_ratio: seen, image_completion_ratio: drawn } = model;
  const { audio_ratio: heard, audio_completion_ratio: spoken, cache_creation_ratio: written } = model;
  const input = usdPerMillion(model.model_ratio, quotaPerUnit) * groupRatio;
  return {
    input,
    cached: input * model.cache_ratio,
    output: input * model.completion_ratio,
    imageInput: seen === null ? null : input * seen,
    imageOutput: drawn === null ? null : input * (seen ?? 1) * drawn,
    audioInput: heard === null ? null : input * heard,
    audioOutput: spoken === null ? null : input * (heard ?? 1) * spoken,
    cacheWritten: written === null ? null : input * written,
  };
}

/** USD as people read prices: no more digits than there are, at most six decimals. */
export const usd = (amount: number): string => `$${Number(amount.toFixed(6))}`;

/** What became of a model's price; factors of groups are not in it. */
export type PriceChange = PriceChangeView;

const CHANGES_PER_PAGE = 50;

/** Changes of prices, newest first. */
export const priceChanges = (userId: number | undefined) =>
  infiniteQueryOptions({
    queryKey: ["price-changes", userId ?? "visitor"],
    queryFn: async ({ pageParam, signal }) => {
      const query = { p: pageParam, page_size: CHANGES_PER_PAGE };
      return readData(pricingApi.pricing.changes.get({ query, fetch: { signal } }), { stayOn401: true });
    },
    initialPageParam: 1,
    getNextPageParam: ({ total }, _pages, page) => (page * CHANGES_PER_PAGE < total ? page + 1 : undefined),
  });
