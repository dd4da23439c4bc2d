import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Tier } from "../../../domain/channels/routing/routing-index.ts";

const membersOf = new WeakMap<readonly Tier[], Map<number, ChannelEntry>>();

/**
 * Finds the channel with that id in the tiers, through a cached index. Tiers are immutable: changes create new ones.
 */
export function findChannel(tiers: readonly Tier[], id: number): ChannelEntry | undefined {
  let members = membersOf.get(tiers);
  if (!members) {
    members = new Map(tiers.flatMap(({ channels }) => channels.map((channel) => [channel.id, channel] as const)));
    membersOf.set(tiers, members);
  }
  return members.get(id);
}
