import { OutboundError } from "./outbound-error.ts";

/** Parses an http(s) address. Throws OutboundError naming `what` the address is for. */
export function parseHttpUrl(text: string, what: string): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || !url.hostname) {
    throw new OutboundError("bad_address", `${what} must begin with http:// or https:// and name a host`);
  }
  return url;
}

/** Host name or address of a URL, IPv6 without its brackets. */
export const hostnameOf = (url: URL): string =>
  url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
