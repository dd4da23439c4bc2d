import type { ChannelEntry } from "../entry.ts";

/** The key that a channel's upstream is asked with beside calls: the first that is not switched off, else the first. */
export const firstKey = ({ keys, disabledKeys }: Pick<ChannelEntry, "keys" | "disabledKeys">): string =>
  keys.find((key) => !disabledKeys.has(key)) ?? keys[0] ?? "";
