import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ChannelSort, ChannelSums, StatusCounts } from "../../../src/domain/channels/manage/list-channels.ts";
import type { ChannelHealth } from "../../../src/domain/channels/status/channel-health.ts";
import { CHANNELS_KEY } from "../../api/channels/channel-lists.ts";
import { readData, readEnvelope } from "../../api/client.ts";
import { channelApi, channelUpstreamApi, modelApi } from "../../api/groups.ts";
import { changePages } from "../../api/replace-data.ts";
import { namesOf } from "../../lib/json.ts";
import type { Channel } from "./channel.ts";

/** Values of the filter by health, in the order in which they are offered. */
export const CHANNEL_HEALTHS: readonly ChannelHealth[] = ["healthy", "cooling", "failing", "disabled"];

/** What the list can be sorted by. */
export const CHANNEL_SORTS: readonly ChannelSort[] = [
  "id",
  "name",
  "priority",
  "weight",
  "balance",
  "used_quota",
  "response_time",
];

/** Filters and sort order of the list; absent: everything, highest priority first. */
export type ChannelQuery = Readonly<{
  keyword?: string | undefined;
  model?: string | undefined;
  group?: string | undefined;
  type?: number | undefined;
  status?: number | undefined;
  tag?: string | undefined;
  health?: ChannelHealth | undefined;
  sort?: ChannelSort | undefined;
  order?: "asc" | "desc" | undefined;
  idSort?: boolean | undefined;
  /** Pages over tags and returns all channels of each. */
  byTag?: boolean | undefined;
  /** Zero-based. */
  page: number;
  pageSize: number;
}>;

type ChannelPage = Readonly<{
  items: Channel[];
  /** Channels; in tag mode, tags. */
  total: number;
  counts: StatusCounts;
  /** In tag mode: channels of all tags together. */
  tagged?: number | undefined;
  sums?: ChannelSums | undefined;
}>;

const REFERENCE_STALE_MS = 5 * 60_000;

export const channelPage = (query: ChannelQuery) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "page", query],
    queryFn: async ({ signal }): Promise<ChannelPage> => {
      const { page, pageSize, idSort, byTag, ...filters } = query;
      const answer = await readEnvelope(
        channelApi.get({
          query: {
            ...filters,
            id_sort: idSort ? "true" : undefined,
            tag_mode: byTag ? "true" : undefined,
            p: page,
            page_size: pageSize,
            stats: "true",
          },
          fetch: { signal },
        }),
      );
      return {
        items: answer.data,
        total: answer.total,
        counts: answer.counts,
        tagged: answer.tagged,
        sums: answer.sums,
      };
    },
  });

/** Number of channels in each status, regardless of filters. */
export const channelCounts = queryOptions({
  queryKey: [...CHANNELS_KEY, "counts"],
  queryFn: async ({ signal }) => {
    const query = { p: 0, page_size: 1 };
    return (await readEnvelope(channelApi.get({ query, fetch: { signal } }))).counts;
  },
});

/** Days until the balances of these channels run out, by id. */
export const channelForecast = (ids: readonly number[]) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "forecast", ids],
    queryFn: ({ signal }) =>
      readData(channelUpstreamApi.forecast.get({ query: { ids: ids.join(",") }, fetch: { signal } })),
    enabled: ids.length > 0,
    staleTime: REFERENCE_STALE_MS,
  });

/** What a form says about where its channel's calls go. */
export type CallUrlForm = Readonly<{
  type: number;
  base_url: string;
  other: string;
  /** Empty: one that the provider is known for. */
  model: string;
  /** Empty: the stored one. */
  key: string;
  /** Of a stored channel. */
  id?: number | undefined;
}>;

/** The URL that a form's channel would call; null: not known yet. */
export const callUrl = ({ base_url, ...form }: CallUrlForm) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "call-url", base_url, form],
    queryFn: ({ signal }) => readData(channelUpstreamApi.call_url.post({ ...form, base_url }, { fetch: { signal } })),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

export const channelById = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "one", id],
    queryFn: ({ signal }) => readData(channelApi({ id }).get({ fetch: { signal } })),
    // Always reloaded, because the form is filled from it and somebody else may have edited the channel.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const allModels = queryOptions({
  queryKey: ["channel-models"],
  queryFn: async ({ signal }) =>
    (await readData(modelApi.channel.models.get({ fetch: { signal } }))).map(({ id }) => id),
  staleTime: REFERENCE_STALE_MS,
});

/** The models with a price, and whether calls to others are rejected. */
export const pricedModels = queryOptions({
  queryKey: ["priced-models"],
  queryFn: ({ signal }) => readData(modelApi.channel.models_priced.get({ fetch: { signal } })),
});

const PAGES_KEY = [...CHANNELS_KEY, "page"] as const;

/** Updates a channel optimistically in every cached list; resolves with a function that rolls back. */
export async function patchChannel(
  client: QueryClient,
  id: number,
  patch: Partial<Channel>,
): Promise<() => Promise<void>> {
  let before: Channel | undefined;
  const replace = (change: (channel: Channel) => Channel) =>
    changePages<ChannelPage>(client, PAGES_KEY, (page) => ({
      ...page,
      items: page.items.map((channel) => (channel.id === id ? change(channel) : channel)),
    }));
  await replace((channel) => {
    before ??= channel;
    return { ...channel, ...patch };
  });
  return async () => {
    if (!before) return;
    const old: Partial<Channel> = Object.fromEntries(namesOf(patch).map((field) => [field, before?.[field]]));
    await replace((channel) => ({ ...channel, ...old }));
  };
}
