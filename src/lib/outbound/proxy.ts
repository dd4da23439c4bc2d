import { OutboundError } from "./outbound-error.ts";
import type { Resolve } from "./resolve.ts";
import { hostnameOf, parseHttpUrl } from "./url.ts";

/**
 * Checks a proxy address (`http://`, `https://`, with or without user and password) and returns it as fetch takes it.
 * Throws or rejects OutboundError: socks5 is not offered by the runtime, and a proxy must be as reachable as a target.
 */
export async function checkedProxy(proxy: string, resolve: Resolve): Promise<string> {
  if (/^socks/i.test(proxy)) {
    throw new OutboundError("unsupported_proxy", "SOCKS proxies are not supported; use an http:// or https:// proxy");
  }
  const url = parseHttpUrl(proxy, "the proxy address");
  await resolve(hostnameOf(url));
  return url.href;
}
