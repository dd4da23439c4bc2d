import { queryOptions } from "@tanstack/react-query";
import type { StatusCounts } from "../../../src/domain/channels/list-channels.ts";
import type { PricedNames } from "../../../src/domain/channels/priced-names.ts";
import type { ChannelType } from "../../../src/providers/registry.ts";
import { request } from "../../api/client.ts";
import type { Channel } from "./channel.ts";

/** What narrows and orders the list; absent: everything, highest priority first. */
export type ChannelQuery = Readonly<{
  keyword?: string | undefined;
  model?: string | undefined;
  group?: string | undefined;
  type?: number | undefined;
  status?: number | undefined;
  tag?: string | undefined;
  health?: string | undefined;
  sort?: string | undefined;
  order?: string | undefined;
  idSort?: boolean | undefined;
  /** Pages over tags, and answers all channels of each. */
  byTag?: boolean | undefined;
  /** 0 is the first. */
  page: number;
  pageSize: number;
}>;

export type ChannelPage = Readonly<{
  items: Channel[];
  /** Channels, or by tag: tags. */
  total: number;
  counts: StatusCounts;
  /** By tag: channels of all tags together. */
  tagged?: number | undefined;
}>;

const REFERENCE_STALE_MS = 5 * 60_000;

/** Where lists of channels live in the cache. */
export const CHANNELS_KEY = ["channels"] as const;

export const channelPage = (query: ChannelQuery) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "page", query],
    queryFn: async ({ signal }): Promise<ChannelPage> => {
      const { page, pageSize, idSort, byTag, ...filters } = query;
      const answer = await request<Channel[], Omit<ChannelPage, "items">>("/api/channel/", {
        query: {
          ...filters,
          id_sort: idSort ? "true" : undefined,
          tag_mode: byTag ? "true" : undefined,
          p: page,
          page_size: pageSize,
          stats: "true",
        },
        signal,
      });
      return { items: answer.data, total: answer.total, counts: answer.counts, tagged: answer.tagged };
    },
  });

/** How many channels there are in each status, whatever the list is narrowed to. */
export const channelCounts = queryOptions({
  queryKey: [...CHANNELS_KEY, "counts"],
  queryFn: async ({ signal }) => {
    const query = { p: 0, page_size: 1 };
    return (await request<Channel[], { counts: StatusCounts }>("/api/channel/", { query, signal })).counts;
  },
});

/** In how many days the balances of these channels end, by id. */
export const channelForecast = (ids: readonly number[]) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "forecast", ids],
    queryFn: async ({ signal }) =>
      (await request<Record<number, number>>("/api/channel/forecast", { query: { ids: ids.join(",") }, signal })).data,
    enabled: ids.length > 0,
    staleTime: REFERENCE_STALE_MS,
  });

export const channelById = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "one", id],
    queryFn: async ({ signal }) => (await request<Channel>(`/api/channel/${id}`, { signal })).data,
    // The form is filled from it: what was read minutes ago may have been changed by someone else.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const channelTypes = queryOptions({
  queryKey: ["channel-types"],
  queryFn: async ({ signal }) => (await request<ChannelType[]>("/api/channel_types", { signal })).data,
  staleTime: REFERENCE_STALE_MS,
});

export const channelTags = queryOptions({
  queryKey: [...CHANNELS_KEY, "tags"],
  queryFn: async ({ signal }) => (await request<string[]>("/api/channel/tags", { signal })).data,
});

export const allModels = queryOptions({
  queryKey: ["channel-models"],
  queryFn: async ({ signal }) =>
    (await request<{ id: string }[]>("/api/channel/models", { signal })).data.map(({ id }) => id),
  staleTime: REFERENCE_STALE_MS,
});

/** Which models have a price, and whether calls of others are refused. */
export const pricedModels = queryOptions({
  queryKey: ["priced-models"],
  queryFn: async ({ signal }) => (await request<PricedNames>("/api/channel/models_priced", { signal })).data,
});

/** Names that enabled channels answer to. */
export const enabledModels = queryOptions({
  queryKey: [...CHANNELS_KEY, "models"],
  queryFn: async ({ signal }) => (await request<string[]>("/api/channel/models_enabled", { signal })).data,
});

export const groupNames = queryOptions({
  queryKey: ["groups"],
  queryFn: async ({ signal }) => (await request<string[]>("/api/group/", { signal })).data,
  staleTime: REFERENCE_STALE_MS,
});
