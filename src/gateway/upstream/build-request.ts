import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { proxyOf } from "../../domain/channels/proxy-of.ts";
import { userAgentOf } from "../../domain/channels/user-agent.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import type { EncodedRequest } from "../adapters/adapter.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import type { Outgoing } from "./upstream.ts";

/** The request as it goes to this channel's upstream: address, key, and signature where the provider wants one. */
export function encode(
  context: RelayContext,
  call: Call,
  { ask: asked, body }: EncodedRequest,
  channel: ChannelEntry,
  key: string,
  provider: Provider,
): Outgoing | Promise<Outgoing> {
  const ask = {
    ...asked,
    key,
    requestedModel: call.admitted.summary.model,
    ...askedVersionOf(call.admitted.request.url),
  };
  const url = provider.url(channel, ask);
  const headers = provider.authHeaders(channel, key, ask);
  const isForm = typeof body !== "string" && !(body instanceof Uint8Array);
  // A form brings its own boundary.
  headers["user-agent"] ??= userAgentOf(channel);
  if (!isForm) headers["content-type"] = "application/json";
  const { request } = call.admitted;
  for (const name of provider.clientHeaders ?? []) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  addSetHeaders(headers, context.conversationSettings.headersOf(ask.model), provider, ask.dialect);
  const webSocket = ask.capability === "chat" && provider.webSocket === true;
  const outgoing = { url, headers, body, webSocket, proxy: proxyOf(channel) };
  if (!provider.sign || isForm) return outgoing;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return signed(
    { ...outgoing, body: text },
    provider.sign({ url, headers, body: text }, channel, key, context.signing),
  );
}

async function signed(outgoing: Outgoing, signing: ReturnType<NonNullable<Provider["sign"]>>): Promise<Outgoing> {
  const added = await signing;
  return { ...outgoing, ...added, headers: { ...outgoing.headers, ...added.headers } };
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
export function askedVersionOf(url: string): Readonly<{ askedVersion?: string }> {
  // Most do not: their addresses are not taken apart.
  const version = url.includes("api-version=") ? new URL(url).searchParams.get("api-version") : null;
  return version ? { askedVersion: version } : {};
}
