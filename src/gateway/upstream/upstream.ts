import { LRUCache } from "lru-cache";
import type { OutgoingForm } from "../../lib/http/multipart/form-stream.ts";
import type { AddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createConnectionLimit } from "../../lib/outbound/connection-limit.ts";
import { createDialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { frameExchange } from "../../lib/outbound/frame-exchange.ts";
import { FetchTarget, fetchPinned } from "../../lib/outbound/pinned-fetch.ts";
import { checkedProxy } from "../../lib/outbound/proxy/proxy.ts";
import { createResolve, type Lookup } from "../../lib/outbound/resolve.ts";
import { parseHttpUrl } from "../../lib/outbound/url.ts";
import type { Exchange } from "./exchange.ts";

/** A request to a provider, ready to go. */
export type Outgoing = {
  /** POST where nothing is said; the others have no body. */
  method?: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | OutgoingForm;
  /** Empty: direct (or as the environment says). */
  proxy: string;
  /** The body is the one frame of a WebSocket; the answer's frames are events of a stream. */
  webSocket?: boolean;
};

export type Upstream = {
  /**
   * Sends a request once and resolves with the response's head; the exchange occupies a connection until it ends. Rejects
   * OutboundError for a refused address, UpstreamBusyError, EncodingError, or what the network says.
   */
  send(outgoing: Outgoing, exchange: Exchange): Promise<Response>;
};

export type UpstreamOptions = Readonly<{
  /** The environment names proxies: the runtime follows them, and proxies resolve names themselves. */
  usesEnvironmentProxy: boolean;
  /** Connections in use at a time, for each origin. */
  maxConnections: number;
  /** How names are resolved; absent: by the system. */
  lookup?: Lookup;
}>;

const MAX_TARGETS = 2_000;
/** How long a call waits for one of an origin's connections before another channel is tried. */
const CONNECTION_WAIT_MS = 10_000;

/**
 * The relay's way to its upstreams: the runtime's fetch under the rules of every outgoing request. Names are resolved
 * first (answers stay fresh for seconds, so that a busy channel waits for none), all addresses are checked, and the
 * connection goes to one of the very addresses that were checked. Redirects are not followed.
 */
export function createUpstream(policy: AddressPolicy, options: UpstreamOptions): Upstream {
  const resolve = createResolve(policy, options.lookup);
  const dial = createDialWebSocket(policy, options.lookup);
  const limit = createConnectionLimit(options.maxConnections, CONNECTION_WAIT_MS);
  const targets = new LRUCache<string, FetchTarget>({ max: MAX_TARGETS });

  const targetOf = (address: string): FetchTarget => {
    let target = targets.get(address);
    if (!target) {
      target = new FetchTarget(parseHttpUrl(address, "why_the_channels_address"));
      targets.set(address, target);
    }
    return target;
  };

  return {
    async send(outgoing, exchange) {
      const { signal } = exchange;
      const target = targetOf(outgoing.url);
      const addresses = policy.allowPrivate ? null : await resolve(target.hostname);
      const proxy = outgoing.proxy === "" ? undefined : await checkedProxy(outgoing.proxy, resolve);
      exchange.occupy(await limit.acquire(`${target.url.origin} ${outgoing.proxy}`, signal));
      try {
        if (outgoing.webSocket && typeof outgoing.body === "string") {
          return await frameExchange(dial, outgoing, outgoing.body, signal);
        }
        const isPinned = proxy === undefined && !options.usesEnvironmentProxy;
        return await fetchPinned(target, isPinned ? addresses : null, requestOf(outgoing, signal, proxy));
      } catch (error) {
        exchange.end();
        throw error;
      }
    },
  };
}

/** A form is sent as it is read from the disk, under its known length. */
function requestOf(outgoing: Outgoing, signal: AbortSignal, proxy: string | undefined) {
  const { method = "POST", headers, body } = outgoing;
  if (method !== "POST") return { method, headers, signal, proxy };
  if (typeof body === "string" || body instanceof Uint8Array) return { method, headers, body, signal, proxy };
  const { contentType, contentLength } = body;
  const formHeaders = { ...headers, "content-type": contentType, "content-length": String(contentLength) };
  return { method, headers: formHeaders, body: () => body.stream(), signal, proxy };
}
