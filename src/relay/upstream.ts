import { isIP } from "node:net";
import type { OutgoingForm } from "../lib/multipart/form-stream.ts";
import type { AddressPolicy } from "../lib/outbound/address-policy.ts";
import { createDialWebSocket } from "../lib/outbound/dial-websocket.ts";
import { frameExchange } from "../lib/outbound/frame-exchange.ts";
import { type ByteReader, DirectAnswer } from "../lib/outbound/http/direct-answer.ts";
import { createDirectHttp } from "../lib/outbound/http/direct-http.ts";
import { type Origin, originOf } from "../lib/outbound/http/origin.ts";
import type { HttpAnswer } from "../lib/outbound/http/unpacked.ts";
import { checkedProxy } from "../lib/outbound/proxy.ts";
import { createResolve } from "../lib/outbound/resolve.ts";
import type { Stopper } from "../lib/outbound/stopper.ts";
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

/** What an upstream answered: its head is here, its body may still be coming. */
export type UpstreamAnswer = HttpAnswer;

export type Upstream = {
  /** Sends and resolves with the answer's head. Rejects OutboundError for a refused address, else what the network says. */
  send(outgoing: Outgoing, stopper: Stopper): Promise<UpstreamAnswer>;
};

/** Reads an answer's body as it comes; null: it has none. */
export const readerOf = (answer: UpstreamAnswer): ByteReader | null =>
  answer instanceof DirectAnswer ? answer : (answer.body?.getReader() ?? null);

type Target = {
  url: URL;
  hostname: string;
  /** Host and port as they stand in the address. */
  host: string;
  path: string;
  port: number;
  /** https to a name: its certificate must bear it. */
  tlsName: string | null;
  /** What only fetch can: https to a bare address, or a user and password in the address. */
  needsFetch: boolean;
  /** Where its connections went last: to another address once the name leads there. */
  origin: Origin | null;
};

const MAX_TARGETS = 2_000;

/**
 * The relay's way to its upstreams. Addresses are checked like everywhere (names resolved, answers believed for seconds,
 * so that a busy channel waits for none); plain http goes to the very address that was checked, https is held to the name
 * by its certificate. Where the environment has rules of its own (`hasNetworkRules`), fetch follows these. Redirects are
 * not followed. Connections are kept alive and shared by origin.
 */
export function createUpstream(policy: AddressPolicy, hasNetworkRules: boolean): Upstream {
  const resolve = createResolve(policy);
  const dial = createDialWebSocket(policy);
  const http = createDirectHttp();
  const targets = new Map<string, Target>();

  const targetOf = (address: string): Target => {
    const known = targets.get(address);
    if (known) return known;
    const url = parseHttpUrl(address, "why_the_channels_address");
    const hostname = hostnameOf(url);
    const isTls = url.protocol === "https:";
    const target = {
      url,
      hostname,
      host: url.host,
      path: `${url.pathname}${url.search}`,
      port: Number(url.port) || (isTls ? 443 : 80),
      tlsName: isTls ? hostname : null,
      needsFetch: (isTls && isIP(hostname) !== 0) || url.username !== "" || url.password !== "",
      origin: null,
    };
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(address, target);
    return target;
  };

  /** Plain http goes to the very address that was checked; https is held to the name by its certificate. */
  const direct = (outgoing: Outgoing, target: Target, address: string, stopper: Stopper) => {
    const { url, method = "POST", headers, body } = outgoing;
    const isForm = typeof body !== "string" && !(body instanceof Uint8Array);
    if (isForm || target.needsFetch || hasNetworkRules) return fetch(url, requestOf(outgoing, headers, stopper.signal));
    const { host, path, port, tlsName } = target;
    const request = { method, host, path, headers, body: method === "POST" ? body : null };
    const hostname = tlsName ?? address;
    if (target.origin?.hostname !== hostname) target.origin = originOf(hostname, port, tlsName);
    return http.send(target.origin, request, stopper);
  };

  return {
    send(outgoing, stopper) {
      if (outgoing.webSocket && typeof outgoing.body === "string") {
        return frameExchange(dial, outgoing, outgoing.body, stopper.signal);
      }
      if (outgoing.proxy !== "") return throughProxy(outgoing, stopper.signal);
      const target = targetOf(outgoing.url);
      if (policy.allowPrivate) return direct(outgoing, target, target.hostname, stopper);
      const addresses = resolve(target.hostname);
      if (addresses instanceof Promise) {
        return addresses.then(([address]) => direct(outgoing, target, address ?? target.hostname, stopper));
      }
      return direct(outgoing, target, addresses[0] ?? target.hostname, stopper);
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
