import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { addOwnHeaders, type HeaderFacts } from "../../domain/channels/routing/overrides/own-headers.ts";
import { upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import { proxyOf, userAgentOf } from "../../domain/channels/upstream/request-options.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import { INTERACTIONS } from "../../formats/gemini-interactions/steps.ts";
import { chatServiceOf } from "../../providers/contract/facts.ts";
import type { Limitation, Provider, Rejection } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";
import { onSystemTurnRejected } from "../../providers/shared/system-turns.ts";
import type { Call } from "../call/call.ts";
import type { Choice, Route } from "../call/route.ts";
import type { Uses } from "../call/services.ts";
import { type CallPrices, priceUnder } from "../money/price.ts";
import type { EncodedRequest } from "./adapter.ts";
import { noResponse } from "./attempt-failure.ts";
import type { Outgoing, UpstreamTools } from "./upstream.ts";

/** What all calls by a channel have in common; `provider` null: its type is not known. */
type ChannelFacts = Pick<Route, "service" | "userAgent" | "proxy"> & Readonly<{ provider: Provider | null }>;

/** Read once for each channel: one that is edited is another entry. */
const factsByChannel = new WeakMap<ChannelEntry, ChannelFacts>();

function readFacts(channel: ChannelEntry): ChannelFacts {
  const provider = providerOf(channel.type) ?? null;
  const service = chatServiceOf(provider ?? {});
  const facts = { provider, service, userAgent: userAgentOf(channel), proxy: proxyOf(channel) };
  factsByChannel.set(channel, facts);
  return facts;
}

/** The provider of a channel if it serves this kind of request, or one that the gateway translates it to; else null. */
export function providerFor({ endpoint }: Pick<Call, "endpoint">, channel: ChannelEntry): Provider | null {
  const { provider } = factsByChannel.get(channel) ?? readFacts(channel);
  const { capability, translatesTo = capability } = endpoint;
  const isServed = provider?.capabilities.includes(capability) || provider?.capabilities.includes(translatesTo);
  return isServed ? provider : null;
}

/** Binds the call to a channel that serves it, and a key. Throws AttemptFailure if its type is not known. */
export function bindChannel(call: Call, prices: CallPrices | null, choice: Choice): Route {
  const { channel, key, hasAlternative } = choice;
  const { provider, ...facts } = factsByChannel.get(channel) ?? readFacts(channel);
  if (!provider) throw noResponse(channel, key, "unsupported");
  const upstreamModel = upstreamModelOf(channel, call.summary.model, call.candidates.model);
  return {
    channel,
    key,
    keyIndex: channel.keys.indexOf(key),
    provider,
    ...facts,
    upstreamModel,
    price: prices && priceUnder(prices, channel, upstreamModel),
    dropped: NOTHING,
    ...(hasAlternative && { hasAlternative }),
  };
}

const NOTHING: readonly string[] = [];
const MAX_DROPPED = 32;
const MAX_NAME_LENGTH = 64;

/** The names of dropped fields, bounded to fit a header and a log row, because clients may make names up. */
export const boundedNames = (names: readonly string[]): readonly string[] =>
  names.slice(0, MAX_DROPPED).map((name) => name.slice(0, MAX_NAME_LENGTH));

/**
 * Features that channels do not support, remembered until they are edited or the process ends. A set is immutable: a later
 * limitation creates another one.
 */
export type ChannelLimitations = WeakMap<ChannelEntry, ReadonlySet<Limitation>>;

/** Of a channel of which nothing has been learned, as of most. */
export const NO_LIMITATIONS: ReadonlySet<Limitation> = new Set();

/** The formats that not every server of a provider has, and the limitation of those that lack it. */
const BY_FORMAT: Readonly<Partial<Record<ChatDialect, Limitation>>> = {
  "openai-responses": "responses",
  [INTERACTIONS]: "interactions",
};

/** Whether a channel turned out not to have a format of its provider. */
export function lacksFormat(limitations: ReadonlySet<Limitation>, format: ChatDialect): boolean {
  const limitation = BY_FORMAT[format];
  return limitation !== undefined && limitations.has(limitation);
}

/**
 * Returns true if the call is worth resending to the same upstream once: the rejection revealed a limitation that the
 * request did not respect, or the provider can authenticate again (if `mayRetry`). Remembers the limitation for future calls.
 */
export function adaptAfterRejection(
  limitations: ChannelLimitations,
  { channel, provider }: Pick<Route, "channel" | "provider">,
  rejection: Rejection,
  mayRetry = true,
): boolean {
  const learned = provider.onRejected?.(rejection) ?? onSystemTurnRejected(rejection);
  if (learned === null || learned === "retry") return learned === "retry" && mayRetry;
  if (rejection.params.limitations?.has(learned)) return false;
  const known = limitations.get(channel) ?? NO_LIMITATIONS;
  if (!known.has(learned)) limitations.set(channel, new Set([...known, learned]));
  return true;
}

/** Builds the request for the route's upstream: URL and key; `signRequest` adds a signature if the provider requires one. */
export function buildRequest(
  { services: { settings } }: Uses<"settings">,
  call: Call,
  { ask: adapted, body }: Pick<EncodedRequest, "ask" | "body">,
  { channel, key, provider, userAgent, proxy }: Pick<Route, "channel" | "key" | "provider" | "userAgent" | "proxy">,
): Outgoing {
  const requested = { ...adapted, key, requestedModel: call.summary.model };
  const { request } = call;
  const requestedVersion = request.url.includes(VERSION) ? requestedVersionOf(request.url) : null;
  const ask = requestedVersion === null ? requested : { ...requested, requestedVersion };
  const url = provider.url(channel, ask);
  const headers = provider.authHeaders(channel, key, ask);
  const isForm = typeof body !== "string" && !(body instanceof Uint8Array);
  headers["user-agent"] ??= userAgent;
  headers["accept-encoding"] ??= "identity";
  // A form has its own boundary.
  if (!isForm) headers["content-type"] = "application/json";
  for (const name of provider.chat?.clientHeaders ?? NO_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const set = settings.values["claude.model_headers_settings"].get(ask.model);
  if (set) addSetHeaders(headers, set, provider, ask.dialect);
  if (channel.ownHeaders) addOwnHeaders(headers, channel.ownHeaders, headerFactsOf(call));
  call.trace?.inject(channel.id, headers, url);
  const webSocket = ask.capability === "chat" && provider.chat?.streaming.isWebSocket === true;
  return { url, headers, body, webSocket, proxy };
}

/** What a channel's headers may name of a call; the caller's key is not among it. */
export const headerFactsOf = ({
  caller,
  requestId,
  request,
}: Pick<Call, "caller" | "requestId" | "request">): HeaderFacts => ({
  ...{ keyName: caller.tokenName, userId: caller.user.id, username: caller.user.username },
  ...{ requestId, clientHeaders: request.headers },
});

/** The request as the provider wants it signed; forms are not signed. */
export async function signRequest(
  context: Pick<UpstreamTools, "signing">,
  outgoing: Outgoing,
  { channel, key, provider }: Pick<Route, "channel" | "key" | "provider">,
): Promise<Outgoing> {
  const { url, headers, body } = outgoing;
  const sent = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  if (!provider.sign || (typeof sent !== "string" && sent.json === undefined)) return outgoing;
  const signed = typeof sent === "string" ? { body: sent } : { body: "", parts: sent };
  const added = await provider.sign({ url, headers, ...signed }, channel, key, context.signing);
  return { ...outgoing, body: sent, ...added, headers: { ...headers, ...added.headers } };
}

const NO_HEADERS: readonly string[] = [];
const BETAS = "anthropic-beta";

/** Adds the settings' headers. Betas are merged with the client's; clouds that host Claude receive both in the body. */
function addSetHeaders(
  headers: Record<string, string>,
  set: Readonly<Record<string, string>>,
  { chat }: Provider,
  dialect: string,
): void {
  const { [BETAS]: betas, ...others } = set;
  Object.assign(headers, others);
  if (betas === undefined || (dialect === "anthropic" && !chat?.clientHeaders.includes(BETAS))) return;
  const names = `${headers[BETAS] ?? ""},${betas}`.split(",").map((name) => name.trim());
  headers[BETAS] = [...new Set(names)].filter((name) => name !== "").join(",");
}

/** Without it in a URL that need not be parsed, which is most. */
const VERSION = "api-version=";

/** The API version that a client's URL names; null: none. */
export const requestedVersionOf = (url: string): string | null => new URL(url).searchParams.get("api-version") || null;
