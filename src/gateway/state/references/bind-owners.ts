import { CHANNEL_STATUS } from "../../../domain/channels/entry.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import { invalidRequest } from "../../request/client-body.ts";
import { keyHashOf } from "../objects/request-upstream.ts";
import { pinChannel } from "../responses/pin-channel.ts";
import type { UsesStores } from "../stores.ts";
import { findOwners, objectsApart, type Place } from "./may-refer.ts";
import { findReferences, isFreeIn, type References } from "./members.ts";

/**
 * Routes a request, of any format, that names something stored to the channel and key that store it. The channel of files and
 * of parts of earlier answers is only preferred, because the provider may know them in another way. What the gateway does not
 * know is left to the provider. Rejects GatewayError: 404 for what is other users', 503 or 400 if the channel cannot take the
 * call.
 */
export function bindOwners(
  context: Uses<"channels"> & UsesStores<"objects" | "responses">,
  call: Call,
): Call | Promise<Call> {
  const references = findReferences([call.body.json], isFreeIn(call.endpoint.rules));
  return references ? bindTo(context, call, references) : call;
}

async function bindTo(
  context: Uses<"channels"> & UsesStores<"objects" | "responses">,
  call: Call,
  references: References,
): Promise<Call> {
  const { objects, files, parts } = await findOwners(context, call.caller, references, false);
  if (objects) return pinTo(context, call, objects, objects.id);
  const preferred = files ?? parts;
  if (!preferred || !isCandidate(call, preferred) || isExcluded(context, call, preferred)) return call;
  return pinTo(context, call, preferred, "");
}

function pinTo(context: Uses<"channels">, call: Call, object: Place, id: string): Call {
  const channel = context.services.channels.get(object.channelId);
  const hasKey = channel?.keys.some((key) => keyHashOf(channel, key) === object.keyHash);
  if (channel?.status !== CHANNEL_STATUS.enabled || !hasKey) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_object_channel_away" });
  }
  if (!isCandidate(call, object)) {
    // An earlier response may have been routed elsewhere already.
    if (call.excluded) throw objectsApart();
    const params = { id, model: call.summary.model };
    throw invalidRequest({ code: "gateway_object_model", params });
  }
  if (isExcluded(context, call, object)) throw objectsApart();
  return pinChannel(call, channel, object.keyHash);
}

/** Whether the call may go to the channel that stores the object. */
const isCandidate = ({ candidates }: Call, { channelId }: Place): boolean =>
  candidates.tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));

/** Whether something else has bound the call to another key of the same channel. */
function isExcluded({ services }: Uses<"channels">, { excluded }: Call, { channelId, keyHash }: Place): boolean {
  const channel = services.channels.get(channelId);
  const keys = excluded?.keys.get(channelId) ?? [];
  return channel !== undefined && [...keys].some((key) => keyHashOf(channel, key) === keyHash);
}
