import { queryOptions } from "@tanstack/react-query";
import type { BroadcastProgress } from "../../../src/domain/notifications/broadcast.ts";
import { request } from "../../api/client.ts";

export const BROADCAST_EVENTS = ["announcement", "price_change", "promotion", "contact"] as const;
export type BroadcastEvent = (typeof BROADCAST_EVENTS)[number];

const ASK_EVERY_MS = 1000;

/** How far the last notice to everybody is; asked again while it is being sent. */
export const broadcastProgress = queryOptions({
  queryKey: ["broadcast"],
  queryFn: async ({ signal }) => (await request<BroadcastProgress>("/api/broadcast/", { signal })).data,
  refetchInterval: (query) => (query.state.data?.is_running ? ASK_EVERY_MS : false),
});

export const startBroadcast = (notice: Readonly<{ event: BroadcastEvent; title: string; content: string }>) =>
  request<BroadcastProgress>("/api/broadcast/", { method: "POST", body: notice });

export const cancelBroadcast = () => request<BroadcastProgress>("/api/broadcast/", { method: "DELETE" });
