import { isIP } from "node:net";
import type { OutgoingForm } from "../lib/multipart/form-stream.ts";
import type { AddressPolicy } from "../lib/outbound/address-policy.ts";
import { createDialWebSocket } from "../lib/outbound/dial-websocket.ts";
import { frameExchange } from "../lib/outbound/frame-exchange.ts";
import { checkedProxy } from "../lib/outbound/proxy.ts";
import { createResolve } from "../lib/outbound/resolve.ts";
import { hostnameOf, parseHttpUrl } from "../lib/outbound/url.ts";

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
  /** Sends and resolves with the answer's head. Rejects OutboundError for a refused address, else fetch's own errors. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Response>;
};

type Target = Readonly<{ url: URL; hostname: string; pinned: boolean }>;

const MAX_TARGETS = 2_000;

/**
 * The relay's own fetch. Addresses are checked like everywhere (names resolved, answers believed for seconds, so that a
 * busy channel waits for none); plain http goes to the very address that was checked, https is held to the name by its
 * certificate. Redirects are not followed. Connections are kept alive and shared by host.
 */
export function createUpstream(policy: AddressPolicy): Upstream {
  const resolve = createResolve(policy);
  const dial = createDialWebSocket(policy);
  const targets = new Map<string, Target>();

  const targetOf = (address: string): Target => {
    const known = targets.get(address);
    if (known) return known;
    const url = parseHttpUrl(address, "the channel's address");
    const hostname = hostnameOf(url);
    const target = { url, hostname, pinned: url.protocol === "http:" && isIP(hostname) === 0 };
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(address, target);
    return target;
  };

  const direct = (outgoing: Outgoing, target: Target, addresses: readonly string[], signal: AbortSignal) => {
    const { headers } = outgoing;
    const address = addresses[0];
    if (!target.pinned || policy.allowPrivate || address === undefined)
      return fetch(outgoing.url, requestOf(outgoing, headers, signal));
    const url = new URL(target.url);
    url.hostname = isIP(address) === 6 ? `[${address}]` : address;
    return fetch(url.href, requestOf(outgoing, { ...headers, host: target.url.host }, signal));
  };

  return {
    send(outgoing, signal) {
      if (outgoing.webSocket && typeof outgoing.body === "string") {
        return frameExchange(dial, outgoing, outgoing.body, signal);
      }
      if (outgoing.proxy !== "") return throughProxy(outgoing, signal);
      if (policy.allowPrivate) return fetch(outgoing.url, requestOf(outgoing, outgoing.headers, signal));
      const target = targetOf(outgoing.url);
      const addresses = resolve(target.hostname);
      if (addresses instanceof Promise) return addresses.then((found) => direct(outgoing, target, found, signal));
      return direct(outgoing, target, addresses, signal);
    },
  };

  async function throughProxy(outgoing: Outgoing, signal: AbortSignal): Promise<Response> {
    const proxy = await checkedProxy(outgoing.proxy, resolve);
    await resolve(targetOf(outgoing.url).hostname);
    return fetch(outgoing.url, { ...requestOf(outgoing, outgoing.headers, signal), proxy: { url: proxy } });
  }
}

/** A form is sent as it is read from the disk, under its known length. */
function requestOf(
  { method = "POST", body }: Outgoing,
  headers: Outgoing["headers"],
  signal: AbortSignal,
): RequestInit {
  const common = { method, signal, redirect: "manual" } as const;
  if (method !== "POST") return { ...common, headers };
  if (typeof body === "string" || body instanceof Uint8Array) return { ...common, headers, body };
  const { contentType, contentLength } = body;
  const formHeaders = { ...headers, "content-type": contentType, "content-length": String(contentLength) };
  return { ...common, headers: formHeaders, body: body.stream() };
}
