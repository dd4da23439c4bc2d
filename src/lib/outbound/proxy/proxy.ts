import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import type { SocksProxy } from "socks";
import { OutboundError } from "../outbound-error.ts";
import type { Resolve } from "../resolve.ts";
import { hostnameOf, parseHttpUrl } from "../url.ts";
import { openSocksBridge, type SocksBridge } from "./socks-bridge.ts";

const SOCKS = /^socks([45]?)[ah]?:\/\//i;
const SOCKS_PORT = 1080;
/** Bridges that are kept open; addresses of proxies change seldom. */
const MAX_BRIDGES = 200;

/**
 * Checks a proxy address (`http://`, `https://`, `socks5://`, `socks4://`, with or without user and password) and returns
 * it as fetch takes it. Throws or rejects OutboundError: a proxy must be as reachable as a target.
 */
export async function checkedProxy(proxy: string, resolve: Resolve): Promise<string> {
  const version = SOCKS.exec(proxy)?.[1];
  const url = parseHttpUrl(version === undefined ? proxy : proxy.replace(SOCKS, "http://"), "why_the_proxy");
  const [address] = await resolve(hostnameOf(url));
  if (version === undefined) {
    // The connection goes to the very address that was checked; an https proxy is held to its name by its certificate.
    if (address !== undefined && url.protocol === "http:")
      url.hostname = isIP(address) === 6 ? `[${address}]` : address;
    return url.href;
  }
  return (await bridgeTo(proxy, socksProxy(url, version === "4" ? 4 : 5, resolve))).address;
}

const bridges = new LRUCache<string, Promise<SocksBridge>>({
  max: MAX_BRIDGES,
  dispose(unused) {
    unused.then(
      ({ close }) => close(),
      () => {},
    );
  },
});

/** One bridge for each address of a proxy. */
function bridgeTo(proxy: string, target: () => Promise<SocksProxy>): Promise<SocksBridge> {
  const known = bridges.get(proxy);
  if (known) return known;
  const opened = openSocksBridge(target);
  bridges.set(proxy, opened);
  opened.catch(() => bridges.delete(proxy));
  return opened;
}

/** The proxy at one of its checked addresses, looked up again for each connection. */
const socksProxy = (url: URL, type: 4 | 5, resolve: Resolve) => async (): Promise<SocksProxy> => {
  const [host] = await resolve(hostnameOf(url));
  if (host === undefined) {
    throw new OutboundError("unresolved", { code: "why_no_host_address", params: { host: url.host } });
  }
  return {
    host,
    port: Number(url.port) || SOCKS_PORT,
    type,
    ...(url.username !== "" && { userId: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { password: decodeURIComponent(url.password) }),
  };
};
