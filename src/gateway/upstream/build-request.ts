import { proxyOf, userAgentOf } from "../../domain/channels/upstream/request-options.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import type { EncodedRequest } from "../adapters/adapter.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import type { Route } from "./route.ts";
import type { Outgoing } from "./upstream.ts";

/** Builds the request for the route's upstream: URL and key; `signRequest` adds a signature if the provider requires one. */
export function buildRequest(
  context: GatewayContext,
  call: Call,
  { ask: adapted, body }: Pick<EncodedRequest, "ask" | "body">,
  { channel, key, provider }: Pick<Route, "channel" | "key" | "provider">,
): Outgoing {
  const requested = { ...adapted, key, requestedModel: call.summary.model };
  const requestedVersion = requestedVersionOf(call.request.url);
  const ask = requestedVersion === null ? requested : { ...requested, requestedVersion };
  const url = provider.url(channel, ask);
  const headers = provider.authHeaders(channel, key, ask);
  const isForm = typeof body !== "string" && !(body instanceof Uint8Array);
  // A form has its own boundary.
  headers["user-agent"] ??= userAgentOf(channel);
  headers["accept-encoding"] ??= "identity";
  if (!isForm) headers["content-type"] = "application/json";
  const { request } = call;
  for (const name of provider.chat?.clientHeaders ?? NO_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const set = context.conversationSettings.headersOf(ask.model);
  if (set) addSetHeaders(headers, set, provider, ask.dialect);
  call.trace?.inject(headers);
  const webSocket = ask.capability === "chat" && provider.chat?.streaming.isWebSocket === true;
  return { url, headers, body, webSocket, proxy: proxyOf(channel) };
}

/** The request as the provider wants it signed; forms are not signed. */
export async function signRequest(
  context: GatewayContext,
  outgoing: Outgoing,
  { channel, key, provider }: Pick<Route, "channel" | "key" | "provider">,
): Promise<Outgoing> {
  const { url, headers, body } = outgoing;
  if (!provider.sign || (typeof body !== "string" && !(body instanceof Uint8Array))) return outgoing;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const added = await provider.sign({ url, headers, body: text }, channel, key, context.signing);
  return { ...outgoing, body: text, ...added, headers: { ...headers, ...added.headers } };
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

/** The API version that a client's URL names; null: none. */
export function requestedVersionOf(url: string): string | null {
  // Most URLs have none and need not be parsed.
  return url.includes("api-version=") ? new URL(url).searchParams.get("api-version") || null : null;
}
