import { queryOptions } from "@tanstack/react-query";
import { readData } from "../client.ts";
import { channelApi, groupApi, modelApi } from "../groups.ts";

/** Cache key of channel lists. */
export const CHANNELS_KEY = ["channels"] as const;

const REFERENCE_STALE_MS = 5 * 60_000;

export const channelTypes = queryOptions({
  queryKey: ["channel-types"],
  queryFn: ({ signal }) => readData(modelApi.channel_types.get({ fetch: { signal } })),
  staleTime: REFERENCE_STALE_MS,
});

export const channelTags = queryOptions({
  queryKey: [...CHANNELS_KEY, "tags"],
  queryFn: ({ signal }) => readData(channelApi.tags.get({ fetch: { signal } })),
});

/** Model names that enabled channels serve. */
export const enabledModels = queryOptions({
  queryKey: [...CHANNELS_KEY, "models"],
  queryFn: ({ signal }) => readData(modelApi.channel.models_enabled.get({ fetch: { signal } })),
});

export const groupNames = queryOptions({
  queryKey: ["groups"],
  queryFn: ({ signal }) => readData(groupApi.group.get({ fetch: { signal } })),
  staleTime: REFERENCE_STALE_MS,
});
