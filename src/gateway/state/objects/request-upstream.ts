import { type ChannelEntry, storedKeyOf } from "../../../domain/channels/entry.ts";
import { type ReadRequestText, textsIn } from "../../../domain/channels/status/own-words.ts";
import { proxyOf, userAgentOf } from "../../../domain/channels/upstream/request-options.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { readError } from "../../../formats/openai-chat/errors.ts";
import type { StreamedBody } from "../../../lib/http/streamed-body.ts";
import { hexDigest } from "../../../lib/security/crypto.ts";
import { providerOf } from "../../../providers/registry.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Choice } from "../../call/route.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import type { RoutingMemory } from "../../routing/memory.ts";
import { clientErrorFor } from "../../routing/router.ts";
import { type AttemptFailure, failureKind, noResponse, rejectedByUpstream } from "../../upstream/attempt-failure.ts";
import { Exchange, passBody, readBody, readErrorText } from "../../upstream/exchange.ts";
import { retryAfterIn } from "../../upstream/keys/cool-down.ts";
import type { Outgoing, UpstreamTools } from "../../upstream/upstream.ts";
import type { StoredObject } from "./store.ts";

/** What `sendToOwner` works with. */
export type SendToOwnerContext = Uses<"config" | "settings"> &
  Pick<CallTools, "catalog" | "deadlines"> &
  Pick<UpstreamTools, "upstream">;

/** What `send` works with. */
export type SendContext = SendToOwnerContext & Pick<RoutingMemory, "health">;

export type ObjectRequest = Readonly<{
  method: "GET" | "POST" | "DELETE";
  /** The path after the version, with its query. */
  path: string;
  body?: string | StreamedBody;
}>;

/** For the response headers only: a large file may take longer. */
const HEAD_TIMEOUT_MS = 300_000;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Requests something that a channel's upstream stores, of any size, as a stream. Rejects GatewayError with the
 * upstream's error, or that it did not respond.
 */
export async function requestUpstream(context: SendContext, choice: Choice, ask: ObjectRequest): Promise<Response> {
  const { response, exchange } = await send(context, choice, ask);
  const body = passBody(response, exchange, context.services.config.streamingTimeoutMs);
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The same for a response that is an object. */
export async function requestObject(context: SendContext, choice: Choice, ask: ObjectRequest): Promise<JsonObject> {
  return readObject(context, choice, await send(context, choice, ask));
}

/** Deletes something at a channel's upstream; null if the response has no object. Rejects GatewayError. */
export async function requestDeletion(context: SendContext, choice: Choice, path: string): Promise<JsonObject | null> {
  const { response, exchange } = await send(context, choice, { method: "DELETE", path });
  const bytes = await readBody(response, exchange, context.services.config).catch(() => null);
  return bytes && recordOf(parseJson(Buffer.from(bytes).toString()));
}

/** The object in a response. Rejects GatewayError. */
export async function readObject(
  context: Uses<"config" | "settings"> & Pick<CallTools, "catalog">,
  { channel, key }: Choice,
  { response, exchange }: Answered,
): Promise<JsonObject> {
  const bytes = await readBody(response, exchange, context.services.config).catch((error) => {
    throw clientErrorFor(context, noResponse(channel, key, failureKind(exchange, error), error));
  });
  const answer = recordOf(parseJson(Buffer.from(bytes).toString()));
  if (!answer) throw clientErrorFor(context, noResponse(channel, key, "broken"));
  return answer;
}

/** A successful response, whose exchange goes on. */
type Answered = Readonly<{ response: Response; exchange: Exchange }>;

async function send(context: SendContext, choice: Choice, ask: ObjectRequest): Promise<Answered> {
  const { channel, key } = choice;
  const objects = providerOf(channel.type)?.files;
  if (!objects) throw notOffered();
  const headers: Record<string, string> = {
    "user-agent": userAgentOf(channel),
    ...providerOf(channel.type)?.authHeaders(channel, key),
  };
  if (typeof ask.body === "string") headers["content-type"] = "application/json";
  const outgoing = {
    method: ask.method,
    url: objects.url(channel, ask.path),
    headers,
    body: ask.body ?? "",
    proxy: proxyOf(channel),
  };
  return sendToOwner(context, choice, outgoing, (failure) => context.health.report(channel, key, failure));
}

/** Sends a request about something that a channel's upstream stores. Rejects GatewayError, after `onRejected`. */
export async function sendToOwner(
  context: SendToOwnerContext,
  choice: Choice,
  outgoing: Outgoing,
  onRejected?: (failure: AttemptFailure) => void,
): Promise<Answered> {
  const { channel, key } = choice;
  const { response, exchange } = await follow(context, outgoing, (exchange, error) => {
    throw clientErrorFor(context, noResponse(channel, key, failureKind(exchange, error), error));
  });
  exchange.endTimeouts();
  if (response.ok) return { response, exchange };
  const text = await readErrorText(response, exchange, context.services.config.streamingTimeoutMs).catch(() => "");
  const { status } = response;
  const failure = rejectedByUpstream(choice, {
    status,
    error: readError(status, text),
    retryAfter: retryAfterIn(response.headers, Date.now()),
    requestText: requestTextIn(outgoing, text),
  });
  onRejected?.(failure);
  throw clientErrorFor(context, failure);
}

/** What may be quoted in an answer; of an uploaded file that is everything, since it has been sent and forgotten. */
const requestTextIn =
  ({ url, body }: Outgoing, answer: string): ReadRequestText =>
  () =>
    textsIn([url, typeof body === "string" ? (parseJson(body) ?? body) : answer]);

/** Sends a request; a redirect of a GET is followed, without the key where it leads to another origin. */
async function follow(
  context: Pick<CallTools, "deadlines"> & Pick<UpstreamTools, "upstream">,
  outgoing: Outgoing,
  onError: (exchange: Exchange, error: unknown) => never,
): Promise<Answered> {
  let request = outgoing;
  for (let hop = 0; ; hop += 1) {
    const exchange = new Exchange(context.deadlines, HEAD_TIMEOUT_MS);
    const response = await context.upstream.send(request, exchange).catch((error) => onError(exchange, error));
    const location = request.method === "GET" && REDIRECTS.has(response.status) && response.headers.get("location");
    const next = location && hop < MAX_REDIRECTS ? URL.parse(location, request.url) : null;
    if (!next) return { response, exchange };
    exchange.abort();
    const isSameOrigin = next.origin === new URL(request.url).origin;
    const headers = isSameOrigin ? request.headers : { "user-agent": request.headers["user-agent"] ?? "" };
    request = { ...request, url: next.href, headers };
  }
}

/** The channel and key that made an object. Throws GatewayError if they were removed or disabled. */
export function ownerOf(
  { services }: Uses<"channels">,
  { channelId, keyHash }: Pick<StoredObject, "channelId" | "keyHash">,
): Choice {
  const channel = services.channels.get(channelId);
  const key = channel?.keys.find((each) => keyHashOf(channel, each) === keyHash);
  if (channel?.status !== 1 || key === undefined || channel.disabledKeys.has(key)) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_object_channel_away" });
  }
  return { channel, key };
}

/** Identifies a channel's key without revealing it. */
export const keyHashOf = (channel: ChannelEntry, key: string): string => hexDigest(storedKeyOf(channel, key));

/** Whether the channel supports files, batches and fine-tuning jobs. */
export const keepsObjects = ({ type }: ChannelEntry): boolean => providerOf(type)?.files !== undefined;

/** The error of an API that no channel of the caller offers. */
export const notOffered = (): GatewayError =>
  new GatewayError(501, "api_not_implemented", { code: "gateway_not_offered_here" });
