import { queryOptions } from "@tanstack/react-query";
import type { ChannelCheckView } from "../../../../src/domain/channels/authenticity/check-channel.ts";
import { readData } from "../../../api/client.ts";
import { channelCheckApi } from "../../../api/groups.ts";

export type { ChannelCheckView };

export const channelChecks = queryOptions({
  queryKey: ["channel-checks"],
  queryFn: ({ signal }): Promise<readonly ChannelCheckView[]> => readData(channelCheckApi.get({ fetch: { signal } })),
});

export const runCheck = (channelId: number, model: string) =>
  readData(channelCheckApi.post({ channel_id: channelId, model }));
