import type { Conversation } from "../../../formats/conversation/conversation.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { promptAsChat } from "../../../formats/openai-chat/index.ts";
import { boundPrompt } from "../../../formats/openai-chat/request/summary.ts";
import { continueTurns } from "../../../formats/openai-responses/instructions.ts";
import { placeOfItem } from "../../../formats/openai-responses/items.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../../call/call.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Uses } from "../../call/services.ts";
import type { UsesStores } from "../stores.ts";
import { pinOwner } from "./pin-channel.ts";
import { isTooLong, type ResponseStore, type StoredResponse } from "./store.ts";
import { formatOfStored, storedFormatOf } from "./stored-formats.ts";

/**
 * The response that a request's `previous_response_id` refers to; null without one. Throws GatewayError if it does not
 * exist (any more).
 */
async function previousResponse(
  { services }: UsesStores<"responses">,
  caller: Caller,
  conversation: Conversation,
): Promise<StoredResponse | null> {
  const format = storedFormatOf(conversation.extra.dialect);
  const id = format && textOf(conversation.extra.members[format.previous]);
  if (!id) return null;
  const stored = await services.responses.find(id, caller.user.id, nowSeconds());
  const found = stored && formatOfStored(stored) === format ? stored : null;
  if (found && isTooLong(found)) {
    throw new GatewayError(
      400,
      "previous_response_too_long",
      { code: "gateway_previous_too_long", params: { id } },
      { type: "invalid_request_error", param: format.previous },
    );
  }
  if (found) return found;
  throw new GatewayError(
    400,
    "previous_response_not_found",
    { code: format.member === "response" ? "gateway_previous_unknown" : "gateway_interaction_unknown", params: { id } },
    {
      type: "invalid_request_error",
      param: format.previous,
    },
  );
}

/** The request with the earlier turns in place of its reference, for upstreams that have not stored it. */
function withPreviousTurns(conversation: Conversation, { turns }: StoredResponse): Conversation {
  const { previous_response_id: _, previous_interaction_id: __, ...members } = conversation.extra.members;
  return { ...continueTurns(conversation, turns), extra: { ...conversation.extra, members } };
}

/**
 * The call as it continues an earlier response: with the channel that stores it, or with the earlier turns inserted;
 * resolves item references. Rejects GatewayError.
 */
export async function resume(context: Uses<"channels"> & UsesStores<"responses">, call: Call): Promise<Call> {
  const complete = await withReferences(context, call);
  const conversation = complete.fullConversation?.();
  const previous = conversation && (await previousResponse(context, call.caller, conversation));
  if (!conversation || !previous) return complete;
  const resumed = { ...complete, resumedMasked: previous.masked ?? null };
  if (!previous.isNative) return withConversation(resumed, withPreviousTurns(conversation, previous));
  return pinOwner(context, resumed, previous);
}

/** Resolves item references to responses that the gateway stores. */
async function withReferences({ services }: UsesStores<"responses">, call: Call): Promise<Call> {
  const { body, caller, endpoint } = call;
  const input = await followReferences(services.responses, body.json.input, caller.user.id, nowSeconds());
  return input ? withConversation(call, endpoint.codec.decodeRequest({ ...body.json, input })) : call;
}

/** The call with another conversation. */
function withConversation(call: Call, conversation: Conversation): Call {
  const prompt = promptAsChat(conversation);
  const bound = boundPrompt(prompt, JSON.stringify(prompt).length);
  return { ...call, prompt, ...bound, fullConversation: () => conversation, isResumed: true };
}

/** Replaces item references with the items of stored responses; null if nothing was replaced. */
async function followReferences(
  store: Pick<ResponseStore, "bodies">,
  input: unknown,
  userId: number,
  nowSeconds: number,
): Promise<readonly JsonObject[] | null> {
  const items = recordsOf(input);
  const places = items.map(placeReferredTo);
  const ids = new Set(places.flatMap((place) => place?.responseId ?? []));
  if (ids.size === 0) return null;
  const bodies = await store.bodies([...ids], userId, nowSeconds);
  let hasStored = false;
  const resolved = items.map((item, at) => {
    const place = places[at];
    const output = place && bodies.get(place.responseId)?.output;
    const stored = Array.isArray(output) ? recordOf(output[place?.outputIndex ?? -1]) : null;
    if (!stored || stored.id !== item.id) return item;
    hasStored = true;
    return stored;
  });
  return hasStored ? resolved : null;
}

/** The position of the item that a reference names; null for other items, and for items made elsewhere. */
function placeReferredTo(item: JsonObject): ReturnType<typeof placeOfItem> {
  const id = textOf(item.id);
  const isReference = item.type === "item_reference" || (item.type == null && item.role === undefined);
  return isReference && id !== null ? placeOfItem(id) : null;
}
