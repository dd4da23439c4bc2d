import ipaddr from "ipaddr.js";

export type IpList = Readonly<{
  matches(ip: string): boolean;
  /** What it was made of. */
  text: string;
}>;

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Lines (or comma- or space-separated entries) of addresses and CIDR ranges → what they let in; null: an empty list. */
export function compileIpList(text: string): IpList | null {
  const ranges = entriesOf(text).flatMap((entry) => parseRange(entry) ?? []);
  if (ranges.length === 0) return entriesOf(text).length === 0 ? null : { matches: () => false, text };
  return {
    text,
    matches(ip) {
      if (!ipaddr.isValid(ip)) return false;
      // An IPv4 caller on a dual-stack socket arrives as ::ffff:a.b.c.d.
      const address = ipaddr.process(ip);
      return ranges.some(([base, bits]) => address.kind() === base.kind() && address.match([base, bits] as never));
    },
  };
}

/** The entries that are neither an address nor a CIDR range. */
export const invalidIpEntries = (text: string): string[] =>
  entriesOf(text).filter((entry) => parseRange(entry) === null);

const entriesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

function parseRange(entry: string): [Range] | null {
  try {
    if (entry.includes("/")) return [ipaddr.parseCIDR(entry)];
    const address = ipaddr.process(entry);
    // "10" would be read as 0.0.0.10: only whole addresses count.
    if (address.kind() === "ipv4" && entry.split(".").length !== 4) return null;
    return [[address, address.kind() === "ipv4" ? 32 : 128]];
  } catch {
    return null;
  }
}
