import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { broadcastApi } from "../../api/groups.ts";

export const BROADCAST_EVENTS = ["announcement", "price_change", "promotion", "contact"] as const;
export type BroadcastEvent = (typeof BROADCAST_EVENTS)[number];

const ASK_EVERY_MS = 1000;

/** How far the last notice to everybody is; asked again while it is being sent. */
export const broadcastProgress = queryOptions({
  queryKey: ["broadcast"],
  queryFn: ({ signal }) => readData(broadcastApi.get({ fetch: { signal } })),
  refetchInterval: (query) => (query.state.data?.is_running ? ASK_EVERY_MS : false),
});

export const startBroadcast = (notice: Readonly<{ event: BroadcastEvent; title: string; content: string }>) =>
  readData(broadcastApi.post(notice));

export const cancelBroadcast = () => readData(broadcastApi.delete());
