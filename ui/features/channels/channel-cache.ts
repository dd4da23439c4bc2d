import type { QueryClient } from "@tanstack/react-query";
import type { Channel } from "./channel.ts";
import { CHANNELS_KEY, type ChannelPage } from "./channel-queries.ts";

const PAGES_KEY = [...CHANNELS_KEY, "page"] as const;

/** Changes a channel in every list on screen before the server has answered; returns what puts it back. */
export function patchChannel(client: QueryClient, id: number, patch: Partial<Channel>): () => void {
  let before: Channel | undefined;
  const replace = (change: (channel: Channel) => Channel) =>
    client.setQueriesData<ChannelPage>(
      { queryKey: PAGES_KEY },
      (page) =>
        page && { ...page, items: page.items.map((channel) => (channel.id === id ? change(channel) : channel)) },
    );
  replace((channel) => {
    before ??= channel;
    return { ...channel, ...patch };
  });
  return () => {
    if (!before) return;
    const old: Partial<Channel> = Object.fromEntries(
      Object.keys(patch).map((field) => [field, before?.[field as keyof Channel]]),
    );
    replace((channel) => ({ ...channel, ...old }));
  };
}
