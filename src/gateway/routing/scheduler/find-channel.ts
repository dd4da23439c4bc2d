import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Tier } from "../../../domain/channels/routing/routing-index.ts";

const membersOf = new WeakMap<readonly Tier[], Map<number, ChannelEntry>>();

/** The channel with that id among the tiers'; looked up, however many there are. Tiers never change: new ones replace them. */
export function findChannel(tiers: readonly Tier[], id: number): ChannelEntry | undefined {
  let members = membersOf.get(tiers);
  if (!members) {
    members = new Map(tiers.flatMap(({ channels }) => channels.map((channel) => [channel.id, channel] as const)));
    membersOf.set(tiers, members);
  }
  return members.get(id);
}
