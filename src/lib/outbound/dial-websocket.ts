import { isIP } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";
import { OutboundError } from "./outbound-error.ts";
import { checkedProxy } from "./proxy/proxy.ts";
import { createResolve, type Lookup } from "./resolve.ts";
import { hostnameOf, parseHttpUrl } from "./url.ts";

/** Where a WebSocket is opened and how; `url` begins with http:// or https://. */
export type Dial = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  /** `http://` or `https://` proxy; empty: direct. */
  proxy: string;
}>;

/** The server refused the handshake with this status. */
export class HandshakeRefused extends Error {
  override name = "HandshakeRefused";

  constructor(readonly status: number) {
    super(`the upstream refused the connection with status ${status}`);
  }
}

/** Opens a WebSocket; nothing of it has been read yet. Rejects OutboundError or HandshakeRefused. */
export type DialWebSocket = (dial: Dial, signal: AbortSignal) => Promise<Bun.WebSocket>;

/**
 * WebSockets to other servers under the rules of every outgoing request: the name is resolved first, its addresses are
 * checked, and the connection goes to the very address that was checked.
 */
export function createDialWebSocket(policy: AddressPolicy, lookup?: Lookup): DialWebSocket {
  const resolve = createResolve(policy, lookup);
  return async (dial, signal) => {
    const url = parseHttpUrl(dial.url, "why_the_channels_address");
    const hostname = hostnameOf(url);
    const proxy = dial.proxy === "" ? null : await checkedProxy(dial.proxy, resolve);
    const [address = hostname] = await resolve(hostname);
    const target = new URL(url);
    target.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    // A proxy resolves the name itself.
    if (!proxy) target.hostname = isIP(address) === 6 ? `[${address}]` : address;
    const socket = new RuntimeWebSocket(target, {
      headers: { ...dial.headers, ...(!proxy && { host: url.host }) },
      ...(proxy && { proxy }),
      ...(!isIP(hostname) && { tls: { serverName: hostname } }),
    });
    return opened(socket, url.host, signal);
  };
}

/** The DOM's types know none of the runtime's options. */
const RuntimeWebSocket = WebSocket as unknown as new (url: URL, options: Bun.WebSocketOptions) => Bun.WebSocket;

const REFUSAL = /101 status code: (\d{3})/;

function opened(socket: Bun.WebSocket, host: string, signal: AbortSignal): Promise<Bun.WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<Bun.WebSocket>();
  const abort = () => {
    reject(new OutboundError("timeout", { code: "why_timeout", params: { host } }));
    socket.terminate();
  };
  socket.onopen = () => {
    signal.removeEventListener("abort", abort);
    // Whoever waits for the socket takes over in its own time: what comes before stays in the connection.
    socket.pause();
    resolve(socket);
  };
  socket.onerror = (event) => {
    const status = Number(REFUSAL.exec("message" in event ? String(event.message) : "")?.[1]);
    const unreachable = { code: "why_unreachable", params: { host } } as const;
    reject(status > 0 ? new HandshakeRefused(status) : new OutboundError("unreachable", unreachable));
  };
  socket.onclose = () => reject(new OutboundError("unreachable", { code: "why_closed_at_once", params: { host } }));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return promise;
}
