import type { ChannelEntry } from "../entry.ts";

/** The proxy that a channel's setting names; empty: none. */
export const proxyOf = ({ setting }: Pick<ChannelEntry, "setting">): string =>
  typeof setting.proxy === "string" ? setting.proxy : "";
