import type { OutgoingForm } from "../../lib/http/multipart/form-stream.ts";
import type { AddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createConnectionLimit, type ReleaseConnection } from "../../lib/outbound/connection-limit.ts";
import { createDialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { frameExchange } from "../../lib/outbound/frame-exchange.ts";
import { FetchTarget, fetchPinned } from "../../lib/outbound/pinned-fetch.ts";
import { checkedProxy } from "../../lib/outbound/proxy/proxy.ts";
import { createResolve, type Lookup } from "../../lib/outbound/resolve.ts";
import { parseHttpUrl } from "../../lib/outbound/url.ts";
import type { DeadlineWheel, HasDeadline } from "../call/deadline-wheel.ts";

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
        return await fetchPinned(target, isPinned ? addresses : null, requestOf(outgoing, signal, proxy));
      } catch (error) {
        exchange.end();
        throw error;
      }
    },
  };
}

/** A form is streamed from disk with its known length. */
function requestOf(outgoing: Outgoing, signal: AbortSignal, proxy: string | undefined) {
  const { method = "POST", headers, body } = outgoing;
  if (method !== "POST") return { method, headers, signal, proxy };
  if (typeof body === "string" || body instanceof Uint8Array) return { method, headers, body, signal, proxy };
  const { contentType, contentLength } = body;
  const formHeaders = { ...headers, "content-type": contentType, "content-length": String(contentLength) };
  return { method, headers: formHeaders, body: () => body.stream(), signal, proxy };
}

/** Why the gateway stopped an exchange with an upstream. */
export type StopReason = "client_left" | "first_byte_timeout" | "idle_timeout" | "shutdown";

/** A response that never ends is cut off after this time, however steadily it arrives. */
const MAX_BODY_MS = 3_600_000;

/**
 * One exchange with an upstream: its abort signal, its deadlines, and the connection it occupies. It never uses the
 * client's own signal.
 */
export class Exchange implements HasDeadline {
  place = -1;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #watch: DeadlineWheel;
  #deadlineMs = Number.POSITIVE_INFINITY;
  /** The longest pause while reading a body; 0: no body is being read. */
  #idleMs = 0;
  /** When a body must be complete. */
  #endMs = Number.POSITIVE_INFINITY;
  #release: ReleaseConnection | null = null;
  stopped: StopReason | null = null;

  readonly #headMs: number;

  /** The first response must begin within `headMs`; 0: no limit. */
  constructor(watch: DeadlineWheel, headMs: number) {
    this.#watch = watch;
    this.#headMs = headMs;
    this.expectHead();
  }

  check(nowMs: number): void {
    if (nowMs >= this.#deadlineMs) this.stop(this.#idleMs > 0 ? "idle_timeout" : "first_byte_timeout");
  }

  cutOff(): void {
    this.stop("shutdown");
  }

  /** Another request follows, with the same time limit for its headers. */
  expectHead(): void {
    this.#idleMs = 0;
    this.#deadlineMs = this.#headMs > 0 ? performance.now() + this.#headMs : Number.POSITIVE_INFINITY;
    this.#watch.add(this);
  }

  /** The headers have arrived: from now on every read must return something within `idleMs`. */
  expectBody(idleMs: number): void {
    const now = performance.now();
    this.#idleMs = idleMs;
    this.#endMs = now + MAX_BODY_MS;
    this.#deadlineMs = now + idleMs;
    this.#watch.add(this);
  }

  /** A part of the body arrived, or its reader took one. */
  progressed(): void {
    if (this.#idleMs > 0) this.#deadlineMs = Math.min(performance.now() + this.#idleMs, this.#endMs);
  }

  /** Ends the time limits: something else observes the rest, or there is none. */
  endTimeouts(): void {
    this.#idleMs = 0;
    this.#deadlineMs = Number.POSITIVE_INFINITY;
    this.#watch.remove(this);
  }

  /** The exchange occupies a connection until it ends. */
  occupy(release: ReleaseConnection): void {
    this.#release?.();
    this.#release = release;
  }

  /** The response was read to its end, or will not be read any further. */
  end(): void {
    this.endTimeouts();
    this.#release?.();
    this.#release = null;
  }

  stop(reason: StopReason): void {
    if (this.stopped) return;
    this.stopped = reason;
    this.abort();
  }

  /** Closes the connection to the upstream; pending reads fail. */
  abort(): void {
    this.end();
    this.#controller.abort();
  }
}
