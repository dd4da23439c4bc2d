import type { Reason } from "../reason.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { createDialWebSocket } from "./dial-websocket.ts";
import { frameExchange } from "./frame-exchange.ts";
import { OutboundError } from "./outbound-error.ts";
import { type FetchRequest, FetchTarget, fetchPinned } from "./pinned-fetch.ts";
import { checkedProxy } from "./proxy/proxy.ts";
import { createResolve, type Lookup, type Resolve } from "./resolve.ts";
import { parseHttpUrl } from "./url.ts";

export type SafeRequest = {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** The limit for the complete exchange, including redirects. */
  timeoutMs?: number;
  /** The maximum size of the response body. */
  maxBytes?: number;
  maxRedirects?: number;
  /** Called for each part of the body as it arrives. */
  onPart?: () => void;
  /** `http://` or `https://` proxy; empty: direct. */
  proxy?: string;
  /** Sends the body as the only frame of a WebSocket; the received frames are events of a stream. */
  webSocket?: boolean;
};

export type SafeResponse = { status: number; headers: Headers; url: string; body: Uint8Array; text(): string };

export type SafeFetch = (address: string, request?: SafeRequest) => Promise<SafeResponse>;

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
const DEFAULT_MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Removed from the request when a redirect leads to another origin. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"];

/** Sends one request and returns its response unread, without following redirects. */
export type CheckedFetch = (url: URL, request: Omit<FetchRequest, "proxy">) => Promise<Response>;

/**
 * Creates the fetch for protocols that read their responses as streams and follow redirects themselves: each request, also
 * of a redirect, has its address checked and goes to the checked address. Rejects OutboundError, or the reason of the request's signal.
 */
export function createCheckedFetch(policy: AddressPolicy, lookup?: Lookup): CheckedFetch {
  const resolve = createResolve(policy, lookup);
  return async (url, request) => {
    const target = new FetchTarget(parseHttpUrl(url.href, "why_the_address"));
    const addresses = await resolve(target.hostname);
    try {
      return await fetchPinned(target, addresses, request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw new OutboundError("unreachable", { code: "why_unreachable", params: { host: nameOf(url.href) } });
    }
  };
}

/**
 * Creates the fetch for every outgoing request except calls to upstreams. It resolves the host name, checks the addresses
 * against the policy, connects to a checked address, and does the same for each redirect. Rejects OutboundError.
 */
export function createSafeFetch(policy: AddressPolicy, lookup?: Lookup): SafeFetch {
  const resolve = createResolve(policy, lookup);
  const dial = createDialWebSocket(policy);
  return async (address, request = {}) => {
    const deadline = AbortSignal.timeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    try {
      if (request.webSocket && typeof request.body === "string") {
        const { headers = {}, proxy = "" } = request;
        const response = await frameExchange(dial, { url: address, headers, proxy }, request.body, deadline);
        return await read(response, new URL(address), request);
      }
      return await follow(address, request, resolve, deadline);
    } catch (error) {
      if (error instanceof OutboundError) throw error;
      if (deadline.aborted)
        throw new OutboundError("timeout", { code: "why_timeout", params: { host: nameOf(address) } });
      throw new OutboundError("unreachable", { code: "why_unreachable", params: { host: nameOf(address) } });
    }
  };
}

async function follow(
  address: string,
  request: SafeRequest,
  resolve: Resolve,
  deadline: AbortSignal,
): Promise<SafeResponse> {
  const proxy = request.proxy ? await checkedProxy(request.proxy, resolve) : undefined;
  let url = parseHttpUrl(address, "why_the_address");
  let { method = "GET", body } = request;
  let headers: Record<string, string> = { ...request.headers };
  for (let hop = 0; hop <= (request.maxRedirects ?? DEFAULT_MAX_REDIRECTS); hop += 1) {
    const target = new FetchTarget(url);
    const resolved = await resolve(target.hostname);
    // A proxy resolves the name itself.
    const addresses = proxy === undefined ? resolved : null;
    const response = await fetchPinned(target, addresses, { method, headers, body, proxy, signal: deadline });
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return read(response, url, request);
    await response.body?.cancel();
    const next = parseHttpUrl(URL.parse(location, url.href)?.href ?? "", "why_the_target");
    if (next.origin !== url.origin) headers = withoutCredentials(headers);
    if (response.status === 303 || (response.status < 303 && method === "POST")) {
      method = "GET";
      body = undefined;
    }
    url = next;
  }
  throw new OutboundError("too_many_redirects", { code: "why_redirects", params: { host: nameOf(address) } });
}

async function read(response: Response, url: URL, request: SafeRequest): Promise<SafeResponse> {
  const body = await readBounded(response, request.maxBytes ?? DEFAULT_MAX_BYTES, request.onPart);
  return { status: response.status, headers: response.headers, url: url.href, body, text: () => body.toString("utf8") };
}

/** The body of a response. Rejects OutboundError, and reads no further, where it is larger. */
export async function readBounded(response: Response, maxBytes: number, onPart?: () => void): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new OutboundError("too_large", { code: "why_too_large", params: { bytes: maxBytes } });
    parts.push(part);
    onPart?.();
  }
  return Buffer.concat(parts);
}

const withoutCredentials = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name.toLowerCase())));

const nameOf = (address: string): Reason => URL.parse(address)?.host || { code: "why_the_address" };
