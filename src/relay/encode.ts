import type { ChannelEntry } from "../channels/entry.ts";
import type { Provider } from "../providers/provider.ts";
import type { RelayContext } from "./context.ts";
import type { EncodedRequest } from "./passages/passage.ts";
import type { Outgoing } from "./upstream.ts";

/** The request as it goes to this channel's upstream: address, key, and signature where the provider wants one. */
export function encode(
  context: RelayContext,
  { ask, body }: EncodedRequest,
  channel: ChannelEntry,
  key: string,
  provider: Provider,
): Outgoing | Promise<Outgoing> {
  const url = provider.url(channel, ask);
  const headers = provider.authHeaders(channel, key, ask);
  headers["content-type"] = "application/json";
  const { proxy } = channel.setting;
  const outgoing = { url, headers, body, proxy: typeof proxy === "string" ? proxy : "" };
  if (!provider.sign) return outgoing;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return provider
    .sign({ url, headers, body: text }, channel, key, context.signing)
    .then((signed) => ({ ...outgoing, headers: { ...headers, ...signed }, body: text }));
}
