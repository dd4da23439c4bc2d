import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Call } from "../../call/call.ts";
import { hashOf } from "../files/ask-upstream.ts";

/** Binds a call to the channel, and to the key of it with that hash, that keep what the call goes on with; empty: any key. */
export function pinChannel(call: Call, channel: ChannelEntry, keyHash: string): void {
  const { admitted } = call;
  const tiers = [{ priority: channel.priority, channels: [channel] }];
  const others = channel.keys.filter((key) => keyHash !== "" && hashOf(key) !== keyHash);
  call.tried = { channels: new Set(), keys: new Map([[channel.id, new Set(others)]]) };
  call.admitted = { ...admitted, candidates: { model: admitted.candidates.model, tiers } };
}

/** Leaves a call only those of its channels that fit; false, and nothing changed, where none does. */
export function narrowChannels(call: Call, fits: (channel: ChannelEntry) => boolean): boolean {
  const { candidates } = call.admitted;
  if (candidates.tiers.every(({ channels }) => channels.every(fits))) return candidates.tiers.length > 0;
  const tiers = candidates.tiers
    .map(({ priority, channels }) => ({ priority, channels: channels.filter(fits) }))
    .filter(({ channels }) => channels.length > 0);
  if (tiers.length === 0) return false;
  call.admitted = { ...call.admitted, candidates: { ...candidates, tiers } };
  return true;
}
