import { proxyOf, userAgentOf } from "../../../domain/channels/upstream/request-options.ts";
import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import { interactionsCodec } from "../../../formats/gemini-interactions/index.ts";
import { INTERACTIONS } from "../../../formats/gemini-interactions/steps.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { openaiResponsesCodec } from "../../../formats/openai-responses/index.ts";
import { EVENT_STREAM_HEADERS } from "../../../lib/http/sse.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { Uses } from "../../call/services.ts";
import { clientErrorFor } from "../../routing/router.ts";
import { noResponse } from "../../upstream/attempt-failure.ts";
import { passBody } from "../../upstream/exchange.ts";
import type { SendToOwnerContext } from "../objects/request-upstream.ts";
import { keyHashOf, ownerOf, readObject, sendToOwner } from "../objects/request-upstream.ts";

/** What these functions work with. */
export type StoredFormatsContext = SendToOwnerContext & Uses<"channels">;

/** A format whose responses are stored, to be continued and retrieved by their ids. */
export type StoredFormat = Readonly<{
  dialect: ChatDialect;
  /** The kind of its background responses among stored objects. */
  kind: "response" | "interaction";
  /** The member of a request that names the response it continues. */
  previous: "previous_response_id" | "previous_interaction_id";
  /** The member of events that contains the response. */
  member: "response" | "interaction";
  codec: ProviderCodec;
  /** What is stored of a response whose upstream stores the rest. */
  nativeBody: JsonObject;
  /** Whether the first events belong to a background response; the request asked for one. */
  startsBackground(response: JsonObject): boolean;
  /** The event with which the stream of a background response begins. */
  begin(response: JsonObject): string;
}>;

const responses: StoredFormat = {
  dialect: "openai-responses",
  kind: "response",
  previous: "previous_response_id",
  member: "response",
  codec: openaiResponsesCodec,
  nativeBody: {},
  startsBackground: ({ background }) => background === true,
  begin: (response) => eventOf("response.created", { type: "response.created", response, sequence_number: 0 }),
};

const interactions: StoredFormat = {
  dialect: INTERACTIONS,
  kind: "interaction",
  previous: "previous_interaction_id",
  member: "interaction",
  codec: interactionsCodec,
  nativeBody: { object: "interaction" },
  // Interactions do not say whether they run in the background.
  startsBackground: () => true,
  begin: (interaction) => eventOf("interaction.created", { interaction, event_type: "interaction.created" }),
};

const eventOf = (name: string, data: JsonObject): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The stored format that a dialect is; null: its responses are not stored. */
export const storedFormatOf = (dialect: ChatDialect): StoredFormat | null =>
  dialect === responses.dialect ? responses : dialect === interactions.dialect ? interactions : null;

/** The format of background responses of a kind. */
export const formatOfKind = (kind: StoredFormat["kind"]): StoredFormat =>
  kind === "response" ? responses : interactions;

/** The format of a stored response. */
export const formatOfStored = ({ body }: Readonly<{ body: JsonObject }>): StoredFormat =>
  body.object === interactions.nativeBody.object ? interactions : responses;

/** Actions on a response that an upstream stores. */
export type ResponseAction = "retrieve" | "delete" | "cancel" | "input_items";

const METHODS: Readonly<Record<ResponseAction, "GET" | "POST" | "DELETE">> = {
  retrieve: "GET",
  delete: "DELETE",
  cancel: "POST",
  input_items: "GET",
};

/** A response in a stored format and its origin; an empty `keyHash` means the channel's first key. */
type Made = Readonly<{ id: string; channelId: number; keyHash: string; dialect: ChatDialect }>;

/**
 * Requests a response from the channel and key that made it; `search`: the query of the client's URL. Rejects
 * GatewayError with the upstream's error.
 */
export async function requestStoredResponse(
  context: StoredFormatsContext,
  made: Made,
  action: ResponseAction,
  search = "",
): Promise<JsonObject> {
  const { choice, ...answered } = await send(context, made, action, search);
  return readObject(context, choice, answered);
}

/** Streams a response from its upstream, from the beginning or from the position in `search`. Rejects GatewayError. */
export async function followResponse(context: StoredFormatsContext, made: Made, search: string): Promise<Response> {
  const { response, exchange } = await send(context, made, "retrieve", search);
  const body = passBody(response, exchange, context.services.config.streamingTimeoutMs);
  return new Response(body, { headers: { ...EVENT_STREAM_HEADERS, "content-type": "text/event-stream" } });
}

async function send(
  context: StoredFormatsContext,
  { id, channelId, keyHash, dialect }: Made,
  action: ResponseAction,
  search: string,
) {
  const made = context.services.channels.get(channelId);
  const firstHash = made ? keyHashOf(made, made.keys[0] ?? "") : "";
  const choice = ownerOf(context, { channelId, keyHash: keyHash || firstHash });
  const { channel, key } = choice;
  const provider = providerOf(channel.type);
  if (!provider) throw clientErrorFor(context, noResponse(channel, key, "unsupported"));
  const ask = { capability: "chat", dialect, model: "", stream: false, key } as const;
  const [path = "", query] = provider.url(channel, ask).split("?");
  const suffix = action === "retrieve" || action === "delete" ? "" : `/${action}`;
  const wishes = [query, search.slice(1)].filter((part) => part).join("&");
  const outgoing = {
    method: METHODS[action],
    url: `${path}/${encodeURIComponent(id)}${suffix}${wishes && `?${wishes}`}`,
    headers: { "user-agent": userAgentOf(channel), ...provider.authHeaders(channel, key, ask) },
    body: "",
    proxy: proxyOf(channel),
  };
  return { choice, ...(await sendToOwner(context, choice, outgoing)) };
}
