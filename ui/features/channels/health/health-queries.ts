import { queryOptions } from "@tanstack/react-query";
import type { KeyView } from "../../../../src/domain/channels/keys/manage-keys.ts";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { channelKeyApi, logApi } from "../../../api/groups.ts";
import type { TestOutcome } from "../channel-calls.ts";

export type ChannelKey = KeyView;

const REFRESH_MS = 5_000;
const WEEK_S = 7 * 86_400;
const ERRORS_SHOWN = 20;

/** The health of a channel and its keys, polled while it is shown. */
export const channelHealth = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "health", id],
    queryFn: ({ signal }) => readData(channelKeyApi({ id }).health.get({ fetch: { signal } })),
    refetchInterval: REFRESH_MS,
  });

/** The latest calls of the last week that failed on a channel, including those that succeeded on another channel. */
export const channelErrors = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "errors", id],
    queryFn: async ({ signal }) => {
      const start = Math.floor(Date.now() / 1000) - WEEK_S;
      const query = { channel: id, failed: "true", type: 2, start_timestamp: start, p: 1, page_size: ERRORS_SHOWN };
      const [lost, rescued] = await Promise.all([
        readData(logApi.get({ query, fetch: { signal } })),
        readData(logApi.rescued.get({ query: { channel: id }, fetch: { signal } })),
      ]);
      const all = [...lost.items, ...rescued].toSorted((a, b) => b.created_at - a.created_at);
      return all.slice(0, ERRORS_SHOWN);
    },
  });

export const switchKey = (channelId: number, key: string, enabled: boolean) =>
  readData(channelKeyApi({ id: channelId }).keys.status.post({ key, enabled }));

/** Sends a short request with one key; a rejection by the upstream is a result, not an error. */
export async function testKey(channelId: number, key: string): Promise<TestOutcome> {
  const { success, message, time } = await readEnvelope(channelKeyApi({ id: channelId }).keys.test.post({ key }), {
    acceptFailure: true,
  });
  return { success, message, time: time ?? 0 };
}
