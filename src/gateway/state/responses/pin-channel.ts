import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Call } from "../../call/call.ts";
import { hashOf } from "../files/ask-upstream.ts";

/** The call bound to the channel, and to the key of it with that hash, that keep what it goes on with; empty: any key. */
export function pinChannel(call: Call, channel: ChannelEntry, keyHash: string): Call {
  const tiers = [{ priority: channel.priority, channels: [channel] }];
  const others = channel.keys.filter((key) => keyHash !== "" && hashOf(key) !== keyHash);
  const excluded = { channels: new Set<ChannelEntry>(), keys: new Map([[channel.id, new Set(others)]]) };
  return { ...call, excluded, candidates: { model: call.candidates.model, tiers } };
}

/** The call with only those of its channels that fit; null where none does. */
export function narrowChannels(call: Call, fits: (channel: ChannelEntry) => boolean): Call | null {
  const { candidates } = call;
  if (candidates.tiers.every(({ channels }) => channels.every(fits))) return candidates.tiers.length > 0 ? call : null;
  const tiers = candidates.tiers
    .map(({ priority, channels }) => ({ priority, channels: channels.filter(fits) }))
    .filter(({ channels }) => channels.length > 0);
  return tiers.length === 0 ? null : { ...call, candidates: { ...candidates, tiers } };
}
