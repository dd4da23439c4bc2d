import { queryOptions } from "@tanstack/react-query";
import type { LiveView } from "../../../src/domain/channels/channel-view.ts";
import type { KeyView } from "../../../src/domain/channels/list-keys.ts";
import type { LogView } from "../../../src/domain/logs/log-view.ts";
import { request } from "../../api/client.ts";
import type { TestOutcome } from "./channel-calls.ts";
import { CHANNELS_KEY } from "./channel-queries.ts";

export type ChannelKey = KeyView;
export type ChannelHealthView = LiveView & Readonly<{ keys: ChannelKey[] }>;

const REFRESH_MS = 5_000;
const WEEK_S = 7 * 86_400;
const ERRORS_SHOWN = 20;

/** How a channel and its keys do, asked again and again while somebody looks. */
export const channelHealth = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "health", id],
    queryFn: async ({ signal }) => (await request<ChannelHealthView>(`/api/channel/${id}/health`, { signal })).data,
    refetchInterval: REFRESH_MS,
  });

/** The newest calls of the last week that failed on a channel, also those that another answered in the end. */
export const channelErrors = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "errors", id],
    queryFn: async ({ signal }) => {
      const start = Math.floor(Date.now() / 1000) - WEEK_S;
      const query = { channel: id, failed: "true", type: 2, start_timestamp: start, p: 1, page_size: ERRORS_SHOWN };
      const [lost, rescued] = await Promise.all([
        request<{ items: LogView[] }>("/api/log/", { query, signal }),
        request<LogView[]>("/api/log/rescued", { query: { channel: id }, signal }),
      ]);
      const all = [...lost.data.items, ...rescued.data].toSorted((a, b) => b.created_at - a.created_at);
      return all.slice(0, ERRORS_SHOWN);
    },
  });

export const switchKey = (channelId: number, key: string, enabled: boolean) =>
  request<boolean>(`/api/channel/${channelId}/keys/status`, { method: "POST", body: { key, enabled } });

/** Sends a short request with one key; a refusal by the upstream is an outcome, not an error. */
export async function testKey(channelId: number, key: string): Promise<TestOutcome> {
  const { success, message, time } = await request<unknown, { time: number }>(`/api/channel/${channelId}/keys/test`, {
    method: "POST",
    body: { key },
    acceptFailure: true,
  });
  return { success, message, time: time ?? 0 };
}
