import ipaddr from "ipaddr.js";

/** Which network addresses outgoing requests may reach. */
export type AddressPolicy = Readonly<{ allowPrivate: boolean; allows(address: string): boolean }>;

/** Azure's host agent answers on this public-looking address, from inside only. */
const PUBLIC_LOOKING_METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * With `allowPrivate` false only globally routable unicast addresses pass: loopback, private, link-local, carrier-grade,
 * metadata, unspecified, multicast and reserved ones do not, nor does an IPv6 form that embeds an IPv4 address by a
 * translation (6to4, Teredo, NAT64), whose real target the network decides. IPv4-mapped addresses are judged as IPv4.
 */
export function createAddressPolicy(allowPrivate: boolean): AddressPolicy {
  return { allowPrivate, allows: (address) => allowPrivate || isGloballyRoutable(address) };
}

function isGloballyRoutable(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && !PUBLIC_LOOKING_METADATA.has(parsed.toString());
}
