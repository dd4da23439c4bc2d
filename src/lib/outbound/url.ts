import { OutboundError } from "./outbound-error.ts";

/** What an address is for, by the message that says it. */
type Purpose = "why_the_address" | "why_the_target" | "why_the_channels_address" | "why_the_proxy";

/** Parses an http(s) address. Throws OutboundError naming `what` the address is for. */
export function parseHttpUrl(text: string, what: Purpose): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || !url.hostname) {
    throw new OutboundError("bad_address", { code: "why_bad_address", params: { what: { code: what } } });
  }
  return url;
}

/** Host name or address of a URL, IPv6 without its brackets. */
export const hostnameOf = (url: URL): string =>
  url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
