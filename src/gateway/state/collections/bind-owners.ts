import { CHANNEL_STATUS } from "../../../domain/channels/entry.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { invalidRequest } from "../../http/client-body.ts";
import { keyHashOf } from "../files/request-upstream.ts";
import type { StoredObject } from "../files/store.ts";
import { pinChannel } from "../responses/pin-channel.ts";
import { findOwners, findReferences, objectsApart } from "./references.ts";

/**
 * Routes a request that names conversations, vector stores, containers or files to the channel and key that store them. The
 * channel of a file is only preferred, because the provider may know the file in another way. Objects that the gateway does
 * not know are left to the provider. Rejects GatewayError: 404 for objects of other users, 503 or 400 if the channel cannot
 * take the call.
 */
export async function bindOwners(context: GatewayContext, call: Call): Promise<Call> {
  const { input, tools, conversation, prompt, messages } = call.body.json;
  const references = findReferences([input, tools, { conversation }, prompt, messages]);
  if (!references) return call;
  const { objects, files } = await findOwners(context, call.caller, references, false);
  if (objects) return pinTo(context, call, objects);
  if (!files || !isCandidate(call, files) || isExcluded(context, call, files)) return call;
  return pinTo(context, call, files);
}

function pinTo(context: GatewayContext, call: Call, object: StoredObject): Call {
  const channel = context.services.channels.get(object.channelId);
  const hasKey = channel?.keys.some((key) => keyHashOf(channel, key) === object.keyHash);
  if (channel?.status !== CHANNEL_STATUS.enabled || !hasKey) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_object_channel_away" });
  }
  if (!isCandidate(call, object)) {
    // An earlier response may have been routed elsewhere already.
    if (call.excluded) throw objectsApart();
    const params = { id: object.id, model: call.summary.model };
    throw invalidRequest({ code: "gateway_object_model", params });
  }
  if (isExcluded(context, call, object)) throw objectsApart();
  return pinChannel(call, channel, object.keyHash);
}

/** Whether the call may go to the channel that stores the object. */
const isCandidate = ({ candidates }: Call, { channelId }: StoredObject): boolean =>
  candidates.tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));

/** Whether something else has bound the call to another key of the same channel. */
function isExcluded({ services }: GatewayContext, { excluded }: Call, { channelId, keyHash }: StoredObject): boolean {
  const channel = services.channels.get(channelId);
  const keys = excluded?.keys.get(channelId) ?? [];
  return channel !== undefined && [...keys].some((key) => keyHashOf(channel, key) === keyHash);
}
