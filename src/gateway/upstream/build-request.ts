import { proxyOf } from "../../domain/channels/upstream/proxy-of.ts";
import { userAgentOf } from "../../domain/channels/upstream/user-agent.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import type { EncodedRequest } from "../adapters/adapter.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import type { Route } from "./bind-channel.ts";
import type { Outgoing } from "./upstream.ts";

/** The request as it goes to the route's upstream: address, key, and signature where the provider wants one. */
export async function buildRequest(
  context: GatewayContext,
  call: Call,
  { ask: adapted, body }: Pick<EncodedRequest, "ask" | "body">,
  { channel, key, provider }: Pick<Route, "channel" | "key" | "provider">,
): Promise<Outgoing> {
  const ask = { ...adapted, key, requestedModel: call.summary.model, ...requestedVersionOf(call.request.url) };
  const url = provider.url(channel, ask);
  const headers = provider.authHeaders(channel, key, ask);
  const isForm = typeof body !== "string" && !(body instanceof Uint8Array);
  // A form brings its own boundary.
  headers["user-agent"] ??= userAgentOf(channel);
  if (!isForm) headers["content-type"] = "application/json";
  const { request } = call;
  for (const name of provider.clientHeaders ?? []) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  addSetHeaders(headers, context.conversationSettings.headersOf(ask.model), provider, ask.dialect);
  const webSocket = ask.capability === "chat" && provider.webSocket === true;
  const outgoing = { url, headers, body, webSocket, proxy: proxyOf(channel) };
  if (!provider.sign || isForm) return outgoing;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const added = await provider.sign({ url, headers, body: text }, channel, key, context.signing);
  return { ...outgoing, body: text, ...added, headers: { ...headers, ...added.headers } };
}

const BETAS = "anthropic-beta";

/** The headers that the settings add. Betas stand beside the client's own; clouds that host Claude have got both in the body. */
function addSetHeaders(
  headers: Record<string, string>,
  set: Readonly<Record<string, string>> | null,
  { clientHeaders = [] }: Provider,
  dialect: string,
): void {
  if (!set) return;
  const { [BETAS]: betas, ...others } = set;
  Object.assign(headers, others);
  if (betas === undefined || (dialect === "anthropic" && !clientHeaders.includes(BETAS))) return;
  const names = `${headers[BETAS] ?? ""},${betas}`.split(",").map((name) => name.trim());
  headers[BETAS] = [...new Set(names)].filter((name) => name !== "").join(",");
}

/** The API version that a client's address names; nothing where it names none. */
export function requestedVersionOf(url: string): Readonly<{ askedVersion?: string }> {
  // Most do not: their addresses are not taken apart.
  const version = url.includes("api-version=") ? new URL(url).searchParams.get("api-version") : null;
  return version ? { askedVersion: version } : {};
}
