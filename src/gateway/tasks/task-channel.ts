import { type ChannelEntry, storedKeyOf } from "../../domain/channels/entry.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";

/** The channel of an earlier task, and the hash of its key. */
export type TaskOrigin = Readonly<{ channelId: number; keyHash: string }>;

/** The channel of an earlier task, with only its key. Throws GatewayError if it was removed or disabled. */
export function channelOfTask({ services }: GatewayContext, { channelId, keyHash }: TaskOrigin): ChannelEntry {
  const channel = services.channels.get(channelId);
  if (!channel) throw new GatewayError(400, "get_channel_info_failed", "get_channel_info_failed");
  if (channel.status !== 1) throw new GatewayError(400, "channel_disabled", { code: "gateway_task_channel_off" });
  const { vault } = services.tasks;
  const key =
    channel.keys.find((candidate) => vault.keyedHash(storedKeyOf(channel, candidate)) === keyHash) ??
    channel.keys[0] ??
    "";
  return { ...channel, keys: [key], disabledKeys: new Set() };
}
