import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { OutgoingForm } from "../../lib/http/multipart/form-stream.ts";
import type { AddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createConnectionLimit } from "../../lib/outbound/connection-limit.ts";
import type { DialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { createDialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { frameExchange } from "../../lib/outbound/frame-exchange.ts";
import { FetchTarget, fetchPinned } from "../../lib/outbound/pinned-fetch.ts";
import { checkedProxy } from "../../lib/outbound/proxy/proxy.ts";
import { createResolve, type Lookup } from "../../lib/outbound/resolve.ts";
import type { CheckedFetch, SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { parseHttpUrl } from "../../lib/outbound/url.ts";
import type { SigningTools } from "../../providers/contract/provider.ts";
import type { Exchange } from "./exchange.ts";
import type { CoolDown } from "./keys/cool-down.ts";
import type { KeyTraffic } from "./keys/key-traffic.ts";
import type { ChannelLimitations } from "./route.ts";

/** A complete request to a provider. */
export type Outgoing = {
  /** Defaults to POST; the others have no body. */
  method?: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | OutgoingForm;
  /** Empty: direct, or the proxy from the environment. */
  proxy: string;
  /** The body is the only frame sent over a WebSocket; the frames received are events of a stream. */
  webSocket?: boolean;
};

export type Upstream = {
  /**
   * Sends a request once and resolves with the response's headers; the exchange occupies a connection until it ends.
   * Rejects OutboundError for a forbidden address, UpstreamBusyError, EncodingError, or with the network's error.
   */
  send(outgoing: Outgoing, exchange: Exchange): Promise<Response>;
};

/** What reaches upstreams, and what is known of them and their keys. */
export type UpstreamTools = Readonly<{
  upstream: Upstream;
  dialWebSocket: DialWebSocket;
  coolDown: CoolDown;
  traffic: KeyTraffic;
  /** What channels do not support, learned from rejections. */
  limitations: ChannelLimitations;
  /** Channels whose server has no endpoint to count tokens. */
  withoutTokenCount: WeakSet<ChannelEntry>;
  /** Fetches media from the addresses of providers. */
  mediaFetch: SafeFetch;
  /** Fetches media from addresses that clients name. */
  clientMediaFetch: SafeFetch;
  /** Connects to MCP servers that clients name. */
  mcpFetch: CheckedFetch;
  signing: SigningTools;
  /** Headers that the settings add to calls of a model; null: none. */
  conversationSettings: Readonly<{ headersOf(model: string): Readonly<Record<string, string>> | null }>;
}>;

export type UpstreamOptions = Readonly<{
  /** The environment sets proxies: the runtime uses them, and they resolve host names themselves. */
  usesEnvironmentProxy: boolean;
  /** Maximum concurrent connections per origin. */
  maxConnections: number;
  /** Resolves host names; absent: the system's resolver. */
  lookup?: Lookup;
}>;

const MAX_TARGETS = 2_000;
/** How long a call waits for a free connection to an origin before another channel is tried. */
const CONNECTION_WAIT_MS = 10_000;

/**
 * Connects the gateway to its upstreams: the runtime's fetch with the rules for every outgoing request. Host names are
 * resolved first (results are cached for seconds, so that a busy channel does not wait), all addresses are checked, and
 * the connection goes to one of the checked addresses. Redirects are not followed.
 */
export function createUpstream(policy: AddressPolicy, options: UpstreamOptions): Upstream {
  const resolve = createResolve(policy, options.lookup);
  const dial = createDialWebSocket(policy, options.lookup);
  const limit = createConnectionLimit(options.maxConnections, CONNECTION_WAIT_MS);
  const targets = new Map<string, FetchTarget>();

  return {
    async send(outgoing, exchange) {
      const { signal } = exchange;
      let target = targets.get(outgoing.url);
      if (!target) {
        target = new FetchTarget(parseHttpUrl(outgoing.url, "why_the_channels_address"));
        if (targets.size >= MAX_TARGETS) targets.clear();
        targets.set(outgoing.url, target);
      }
      const addresses = policy.allowPrivate ? null : await resolve(target.hostname);
      const proxy = outgoing.proxy === "" ? undefined : await checkedProxy(outgoing.proxy, resolve);
      const origin = outgoing.proxy === "" ? target.origin : `${target.origin} ${outgoing.proxy}`;
      exchange.occupy(limit.tryAcquire(origin) ?? (await limit.acquire(origin, signal)));
      try {
        if (outgoing.webSocket && typeof outgoing.body === "string") {
          return await frameExchange(dial, outgoing, outgoing.body, signal);
        }
        const isPinned = proxy === undefined && !options.usesEnvironmentProxy;
        const { method = "POST", headers, body } = outgoing;
        const isPlain = method === "POST" && (typeof body === "string" || body instanceof Uint8Array);
        const request = isPlain ? { method, headers, body, signal, proxy } : requestOf(outgoing, signal, proxy);
        return await fetchPinned(target, isPinned ? addresses : null, request);
      } catch (error) {
        exchange.end();
        throw error;
      }
    },
  };
}

/** A request without a body, or with a form, which is streamed from disk with its known length. */
function requestOf(outgoing: Outgoing, signal: AbortSignal, proxy: string | undefined) {
  const { method = "POST", headers, body } = outgoing;
  if (method !== "POST" || typeof body === "string" || body instanceof Uint8Array) {
    return { method, headers, signal, proxy };
  }
  const { contentType, contentLength } = body;
  const formHeaders = { ...headers, "content-type": contentType, "content-length": String(contentLength) };
  return { method, headers: formHeaders, body: () => body.stream(), signal, proxy };
}
