import { type ChannelEntry, storedKeyOf } from "../../../domain/channels/entry.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../pipeline/authenticate-in-turn.ts";
import type { GatewayServer } from "../../request/arrival.ts";

/** What these functions work with. */
export type TaskChannelContext = AuthenticateInTurnContext & Uses<"clientAddress">;

/** The channel of an earlier task, and the hash of its key. */
export type TaskOrigin = Readonly<{ channelId: number; keyHash: string }>;

/** The channel of an earlier task, with only its key. Throws GatewayError if it was removed or disabled. */
export function channelOfTask(
  { services }: Uses<"channels" | "tasks">,
  { channelId, keyHash }: TaskOrigin,
): ChannelEntry {
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

/** The caller of a free request about tasks. Rejects GatewayError, also if the site has disabled tasks. */
export async function callerOf(
  context: TaskChannelContext,
  request: Request,
  server: GatewayServer | null,
  option: "DrawingEnabled" | "TaskEnabled",
): Promise<Caller> {
  const { services } = context;
  const caller = await authenticateInTurn(context, request, services.clientAddress.ip(request, server));
  if (services.settings.values[option]) return caller;
  throw new GatewayError(403, "endpoint_disabled", { code: "gateway_tasks_off" });
}
