import { queryOptions } from "@tanstack/react-query";
import { readData } from "../client.ts";
import { channelApi } from "../groups.ts";
import { CHANNELS_KEY } from "./channel-lists.ts";

const ENABLED = 1;

/** Whether calls may go to a channel. */
export const channelStatus = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "status", id],
    queryFn: async ({ signal }) => {
      const { status } = await readData(channelApi({ id }).get({ fetch: { signal } }));
      return { isOn: status === ENABLED };
    },
    retry: false,
  });

/** Lets calls go to a channel again. */
export const enableChannel = (id: number) => readData(channelApi.batch.status.post({ ids: [id], status: ENABLED }));
