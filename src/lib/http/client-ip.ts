import ipaddr from "ipaddr.js";
import { requestOrigin } from "./request.ts";

/** Knows the address of a request's connection, as `Bun.Server` does. */
export type PeerSource = { requestIP(request: Request): { address: string } | null } | null | undefined;

/** Determines the client of a request behind trusted proxies. */
export type ClientAddress = {
  /** The client's address; of a request that another one makes here, that one's client. Empty if the connection is unknown. */
  ip(request: Request, peers: PeerSource): string;
  /** Whether the client uses HTTPS, with this process or with a trusted proxy (X-Forwarded-Proto). */
  isHttps(request: Request, peers: PeerSource): boolean;
  /** The host that the client requested; a trusted proxy may name it (X-Forwarded-Host). Callers choose it: build nothing from it. */
  host(request: Request, peers: PeerSource): string;
  /** `host`, and the same with the port that a trusted proxy names (X-Forwarded-Port). */
  hosts(request: Request, peers: PeerSource): readonly string[];
  /** Whether forwarded headers of this connection count. */
  isTrusted(request: Request, peers: PeerSource): boolean;
};

/**
 * Reads forwarded headers, but only on connections from `trustedProxies` (addresses or CIDR ranges), because anybody can write
 * such headers. In a chain, the last address that is not trusted is the client. Throws RangeError if an entry is neither an
 * address nor a range.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const ranges = trustedProxies.map(parseRange);
  const isTrusted = (address: string): boolean => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range));
  };
  /** IPv4 mapped into IPv6 (::ffff:1.2.3.4) is the IPv4 address. */
  const peerOf = (request: Request, peers: PeerSource): string => {
    const address = peers?.requestIP(request)?.address ?? "";
    return address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
  };
  /** The last entry of a header, which the nearest trusted proxy wrote; null without a trusted proxy. */
  const forwarded = (request: Request, peers: PeerSource, name: string): string | null => {
    if (ranges.length === 0 || !isTrusted(peerOf(request, peers))) return null;
    return request.headers.get(name)?.split(",").at(-1)?.trim() || null;
  };

  const host = (request: Request, peers: PeerSource): string =>
    forwarded(request, peers, "x-forwarded-host") ?? request.headers.get("host") ?? new URL(request.url).host;
  const isHttps = (request: Request, peers: PeerSource): boolean =>
    new URL(request.url).protocol === "https:" || forwarded(request, peers, "x-forwarded-proto") === "https";

  return {
    ip(request, peers) {
      const peer = peerOf(request, peers);
      if (peer === "") return requestOrigin()?.ip ?? "";
      if (ranges.length === 0 || !isTrusted(peer)) return peer;
      const chain = request.headers.get("x-forwarded-for") ?? request.headers.get("x-real-ip") ?? "";
      let caller = peer;
      for (const hop of chain
        .split(",")
        .map((entry) => withoutPort(entry.trim()))
        .reverse()) {
        if (!ipaddr.isValid(hop)) break;
        caller = ipaddr.process(hop).toString();
        if (!isTrusted(caller)) break;
      }
      return caller;
    },
    isHttps,
    host,
    hosts(request, peers) {
      const named = host(request, peers);
      const port = forwarded(request, peers, "x-forwarded-port") ?? "";
      if (!/^\d{1,5}$/.test(port) || /:\d+$/.test(named)) return [named];
      // A scheme's own port is not written.
      const url = URL.parse(`${isHttps(request, peers) ? "https" : "http"}://${named}:${port}`);
      return url && url.host !== named ? [named, url.host] : [named];
    },
    isTrusted: (request, peers) => ranges.length > 0 && isTrusted(peerOf(request, peers)),
  };
}

/** What the nearest proxy calls the host, whether it is trusted or not: only to say what is wrong with it. */
export const forwardedHost = (request: Request): string | null =>
  request.headers.get("x-forwarded-host")?.split(",").at(-1)?.trim() || null;

/** The key under which an address is rate-limited: an IPv4 address, or the /64 network of an IPv6 address. */
export function limitKeyOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/** The network of an address, which a household, an office or a provider's customer has: its /24, or /48 of IPv6; "": none. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return `${address.toString().split(".").slice(0, 3).join(".")}.0/24`;
  const [first = 0, second = 0, third = 0] = (address as ipaddr.IPv6).parts;
  return `${[first, second, third].map((part) => part.toString(16)).join(":")}::/48`;
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    throw new RangeError(`TRUSTED_PROXIES: “${text}” is neither an address nor a CIDR range`);
  }
}

const withoutPort = (hop: string): string =>
  /^\[.*\](:\d+)?$/.test(hop)
    ? hop.slice(1, hop.indexOf("]"))
    : /^[\d.]+:\d+$/.test(hop)
      ? hop.slice(0, hop.indexOf(":"))
      : hop;
