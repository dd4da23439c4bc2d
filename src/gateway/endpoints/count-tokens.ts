import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { type JsonObject, parseJson, recordOf } from "../../formats/json.ts";
import { isUnknownEndpoint } from "../../formats/openai-chat/errors.ts";
import { promptAsChat } from "../../formats/openai-chat/index.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";
import type { AdaptContext } from "../adapters/adapt.ts";
import { selectAdapter } from "../adapters/adapt.ts";
import { authorize } from "../auth/authorize.ts";
import { type Call, newCall } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { ClientBody, ParsedRequest } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import { UNSUPPORTED } from "../call/guardrails/refusals.ts";
import { refuseForbidden } from "../call/guardrails/request/refuse-forbidden.ts";
import { CallTiming } from "../call/progress.ts";
import { type Choice, valueOfBody } from "../call/route.ts";
import type { CallTools } from "../call/services.ts";
import { countPrompt } from "../money/count-tokens.ts";
import type { Arrival, GatewayServer } from "../request/arrival.ts";
import { type ReadBodyContext, readBody } from "../request/client-body.ts";
import { generateContent, messages, responses } from "../request/endpoints/conversations.ts";
import { parseRequest } from "../request/parse-request.ts";
import type { RoutingMemory } from "../routing/memory.ts";
import { clientErrorFor } from "../routing/router.ts";
import { choose } from "../routing/scheduler/choose.ts";
import type { ProviderStateContext } from "../state/provider-state.ts";
import { bindOwners, bindState } from "../state/provider-state.ts";
import { rejectedByUpstream } from "../upstream/attempt-failure.ts";
import { Exchange, readBody as readResponseBody } from "../upstream/exchange.ts";
import { requestTextOf } from "../upstream/request-text.ts";
import { bindChannel, buildRequest, signRequest } from "../upstream/route.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import type { RespondToKeyContext } from "./lookup/models.ts";
import { respondToKey } from "./lookup/models.ts";

/** What these functions work with. */
export type CountTokensContext = AdaptContext &
  RespondToKeyContext &
  ProviderStateContext &
  Pick<CallTools, "deadlines"> &
  ReadBodyContext &
  Pick<UpstreamTools, "upstream" | "withoutTokenCount"> &
  Pick<RoutingMemory, "keys">;

/** POST /v1/messages/count_tokens */
export const countMessageTokens = (context: CountTokensContext, request: Request, server: GatewayServer | null) =>
  countTokens(context, { request, server, endpoint: messages }, (tokens) => ({ input_tokens: tokens }));

/** POST …/models/{model}:countTokens */
export const countGeminiTokens = (
  context: CountTokensContext,
  request: Request,
  server: GatewayServer | null,
  model: string,
) =>
  countTokens(context, { request, server, endpoint: generateContent, path: { model } }, (tokens) => ({
    totalTokens: tokens,
  }));

/** POST /v1/responses/input_tokens */
export const countResponseTokens = (context: CountTokensContext, request: Request, server: GatewayServer | null) =>
  countTokens(context, { request, server, endpoint: responses }, (tokens) => ({
    object: "response.input_tokens",
    input_tokens: tokens,
  }));

/** Reports who counted: `provider` (exact), or `local` (a tokenizer that may differ from the model's own). */
const COUNTED_BY = "x-sluice-token-count";
const TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 2;

/**
 * Counts the tokens of a chat, free of charge: by the provider if a channel for the model has an endpoint for it, else
 * by the tokenizer that also bills unreported usage.
 */
function countTokens(
  context: CountTokensContext,
  arrival: Arrival,
  answer: (tokens: number) => JsonObject,
): Promise<Response> {
  const { request, server, endpoint } = arrival;
  return respondToKey(context, request, server, endpoint.codec, async (caller) => {
    const body = unwrapRequest(await readBody(context, request, endpoint.rules));
    const parsed = parseRequest(arrival, body);
    const call = await admitCount(context, arrival, caller, parsed);
    const counted = call && (await countByProvider(context, call));
    const { summary, prompt } = parsed;
    const resumed = call?.isResumed ? call.fullConversation?.() : null;
    const tokens = counted ?? (await countPrompt(summary.model, resumed ? promptAsChat(resumed) : prompt));
    return Response.json(answer(tokens), { headers: { [COUNTED_BY]: counted === null ? "local" : "provider" } });
  });
}

/** Gemini's clients may wrap the request to count. */
function unwrapRequest(body: ClientBody): ClientBody {
  const json = recordOf(body.json.generateContentRequest);
  return json ? { text: JSON.stringify(json), size: body.size, json } : body;
}

/** Null: no channel of the call can count, or none responded. Rejects GatewayError for an invalid request. */
async function countByProvider(context: CountTokensContext, call: Call): Promise<number | null> {
  const endMs = performance.now() + TIMEOUT_MS;
  const tried = new Set<ChannelEntry>();
  for (let attempts = 0; attempts < MAX_ATTEMPTS && performance.now() < endMs; attempts += 1) {
    const suits = (channel: ChannelEntry) => mayCount(context, channel) && !tried.has(channel);
    const choice = choose(call.candidates.tiers, null, context.keys, suits);
    if (!choice) return null;
    tried.add(choice.channel);
    const tokens = await requestCount(context, call, choice, endMs - performance.now());
    if (tokens !== null) return tokens;
  }
  return null;
}

const NOT_SERVED: ReadonlySet<number> = new Set([403, 404, 503]);

/**
 * The call as it would be admitted, with the earlier turns that it refers to; null if the caller could not make it, or a guardrail
 * lets nobody see its texts: then its tokens are counted locally. Rejects GatewayError for an invalid request.
 */
async function admitCount(
  context: CountTokensContext,
  { request, server, endpoint, only }: Arrival,
  caller: Caller,
  parsed: ParsedRequest,
): Promise<Call | null> {
  const ip = context.services.clientAddress.ip(request, server);
  let authorized: ReturnType<typeof authorize>;
  try {
    authorized = authorize(context, { only, request, endpoint }, caller, parsed);
    refuseForbidden(context, authorized.caller, parsed.summary.model, parsed.prompt);
  } catch (error) {
    if (error instanceof GatewayError && (NOT_SERVED.has(error.status) || error.code === UNSUPPORTED)) return null;
    throw error;
  }
  const call = newCall({ request, endpoint, ip, ...authorized }, parsed, new CallTiming(performance.now()));
  return endpoint === responses ? await bindState(context, call) : await bindOwners(context, call);
}

const mayCount = ({ withoutTokenCount }: Pick<UpstreamTools, "withoutTokenCount">, channel: ChannelEntry): boolean =>
  providerOf(channel.type)?.chat?.tokenCount != null && !withoutTokenCount.has(channel);

/** The provider with the only format in which it counts, if there is one. */
function asCounted(provider: Provider): Provider {
  const { chat } = provider;
  const format = chat?.countFormat ?? null;
  return chat && format ? { ...provider, chat: { ...chat, formatOf: () => format } } : provider;
}

/** Null: this channel did not count. Rejects GatewayError if it rejects a request in its own format. */
async function requestCount(
  context: CountTokensContext,
  call: Call,
  choice: Choice,
  timeoutMs: number,
): Promise<number | null> {
  const { channel, key } = choice;
  const bound = bindChannel(call, null, choice);
  const provider = asCounted(bound.provider);
  const route = { ...bound, provider };
  const adapter = selectAdapter(context, call, route);
  const { ask, body } = await adapter.encode();
  const count = provider.chat?.tokenCount?.(ask.dialect);
  const chat = recordOf(valueOfBody(body));
  if (!count || !chat) return null;
  const counting = { ask, body: JSON.stringify(count.encode(chat, ask)) };
  try {
    const counter = { ...bound, provider: { ...provider, url: count.url } };
    const outgoing = await signRequest(context, buildRequest(context, call, counting, counter), counter);
    const exchange = new Exchange(context.deadlines, timeoutMs);
    const response = await context.upstream.send(outgoing, exchange);
    const limits = { ...context.services.config, streamingTimeoutMs: timeoutMs };
    const answer = textOfBytes(await readResponseBody(response, exchange, limits));
    if (response.ok) return count.decode(recordOf(parseJson(answer)) ?? {});
    const error = adapter.readError(response.status, answer);
    if (isUnknownEndpoint(response.status, error)) context.withoutTokenCount.add(channel);
    const isCallersFault = response.status === 400 && ask.dialect === call.endpoint.codec.dialect;
    if (isCallersFault)
      throw clientErrorFor(
        context,
        rejectedByUpstream({ channel, key }, { status: 400, error, requestText: requestTextOf(call) }),
      );
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    context.services.log.debug({ error, channelId: channel.id }, "a channel could not count tokens");
  }
  return null;
}
