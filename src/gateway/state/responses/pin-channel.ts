import { CHANNEL_STATUS, type ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import { keyHashOf } from "../objects/request-upstream.ts";
import type { StoredResponse } from "./store.ts";

/** The call limited to one channel, and to its key with that hash; empty: any key. */
export function pinChannel(call: Call, channel: ChannelEntry, keyHash: string): Call {
  const tiers = [{ priority: channel.priority, channels: [channel] }];
  const others = channel.keys.filter((key) => keyHash !== "" && keyHashOf(channel, key) !== keyHash);
  const excluded = { channels: new Set<ChannelEntry>(), keys: new Map([[channel.id, new Set(others)]]) };
  return { ...call, excluded, candidates: { model: call.candidates.model, tiers } };
}

/**
 * The call limited to the channel and key that made what it continues. Throws GatewayError if it may not use them now.
 */
export function pinOwner(
  { services }: Uses<"channels">,
  call: Call,
  { channelId, keyHash }: Pick<StoredResponse, "channelId" | "keyHash">,
): Call {
  const channel = services.channels.get(channelId);
  // Another key of the same user may belong to other groups.
  const isOpen = call.candidates.tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));
  if (channel?.status !== CHANNEL_STATUS.enabled || !isOpen) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_previous_channel_away" });
  }
  return pinChannel(call, channel, keyHash);
}

/** The call with only the channels that `fits` accepts; null if none does. */
export function narrowChannels(call: Call, fits: (channel: ChannelEntry) => boolean): Call | null {
  const { candidates } = call;
  if (candidates.tiers.every(({ channels }) => channels.every(fits))) return candidates.tiers.length > 0 ? call : null;
  const tiers = candidates.tiers
    .map(({ priority, channels }) => ({ priority, channels: channels.filter(fits) }))
    .filter(({ channels }) => channels.length > 0);
  return tiers.length === 0 ? null : { ...call, candidates: { ...candidates, tiers } };
}
