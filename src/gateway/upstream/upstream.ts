import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { AddressPolicy } from "../../lib/outbound/address-policy.ts";
import type { DialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { createDialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { frameExchange } from "../../lib/outbound/frame-exchange.ts";
import { FetchTarget, fetchPinned } from "../../lib/outbound/pinned-fetch.ts";
import { checkedProxy } from "../../lib/outbound/proxy/proxy.ts";
import { createResolve, type Lookup } from "../../lib/outbound/resolve.ts";
import type { CheckedFetch, SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { parseHttpUrl } from "../../lib/outbound/url.ts";
import type { SigningTools } from "../../providers/contract/provider.ts";
import type { SentBody } from "../call/route.ts";
import { type Exchange, UpstreamBusyError } from "./exchange.ts";
import type { CoolDown } from "./keys/cool-down.ts";
import type { KeyTraffic } from "./keys/key-traffic.ts";
import type { ChannelLimitations } from "./route.ts";

/** A complete request to a provider. */
export type Outgoing = {
  /** Defaults to POST; the others have no body. */
  method?: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: SentBody;
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
      const lent = limit.acquire(origin, signal);
      const release = lent instanceof Promise ? await lent : lent;
      exchange.release?.();
      exchange.release = release;
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

/** Gives back a connection; harmless when called twice. */
type ReleaseConnection = () => void;

type Origin = { inUse: number; readonly waiting: Set<() => void> };

/**
 * Bounds how many connections each origin has in use at a time. `acquire` takes one of them, at once where one is free; else it
 * waits until another caller gives one back, first come first served, and rejects UpstreamBusyError after `waitMs`, or the
 * signal's reason when it aborts.
 */
export function createConnectionLimit(maxPerOrigin: number, waitMs: number) {
  const origins = new Map<string, Origin>();

  /** The release of a connection that is counted already. */
  const lend = (name: string, origin: Origin): ReleaseConnection => {
    let isLent = true;
    return () => {
      if (!isLent) return;
      isLent = false;
      const [next] = origin.waiting;
      // Handed over without being counted as free: a newcomer must not take it first.
      if (next) return next();
      origin.inUse -= 1;
      if (origin.inUse === 0) origins.delete(name);
    };
  };

  return {
    acquire(name: string, signal: AbortSignal): ReleaseConnection | Promise<ReleaseConnection> {
      const known = origins.get(name);
      const origin = known ?? { inUse: 0, waiting: new Set() };
      if (!known) origins.set(name, origin);
      if (origin.inUse >= maxPerOrigin) return waitForTurn(origin, signal, waitMs).then(() => lend(name, origin));
      origin.inUse += 1;
      return lend(name, origin);
    },
  };
}

function waitForTurn({ waiting }: Origin, signal: AbortSignal, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = () => {
    waiting.delete(proceed);
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
  const proceed = () => {
    end();
    resolve();
  };
  const abort = () => {
    end();
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    end();
    reject(new UpstreamBusyError("all connections to this upstream are in use"));
  }, waitMs);
  if (signal.aborted) abort();
  else {
    waiting.add(proceed);
    signal.addEventListener("abort", abort, { once: true });
  }
  return promise;
}
