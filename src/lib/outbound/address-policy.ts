import ipaddr from "ipaddr.js";

/** Which network addresses outgoing requests may reach. */
export type AddressPolicy = Readonly<{
  allowPrivate: boolean;
  /** The variable by which the operator allows private addresses. */
  variable: string;
  allows(address: string): boolean;
}>;

/** All of IPv6 that IANA allocates as global unicast: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST_IPV6 = ipaddr.parseCIDR("2000::/3");
/** Azure's host agent answers on this public-looking address, from inside only. */
const PUBLIC_LOOKING_METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * With `allowPrivate` false only globally routable unicast addresses pass: loopback, private, link-local, carrier-grade,
 * metadata, unspecified, multicast and reserved ones do not, nor does an IPv6 form that embeds an IPv4 address by a
 * translation (6to4, Teredo, NAT64) or as "IPv4-compatible" (`::/96`, RFC 4291 2.5.5.1), whose real target the network
 * decides. IPv4-mapped addresses are judged as IPv4.
 */
export function createAddressPolicy(allowPrivate: boolean, variable = "ALLOW_PRIVATE_UPSTREAMS"): AddressPolicy {
  return { allowPrivate, variable, allows: (address) => allowPrivate || isGloballyRoutable(address) };
}

/** The policy for addresses that any user may name: what channels may reach is no measure for them. */
export const createUserAddressPolicy = (allowPrivate: boolean): AddressPolicy =>
  createAddressPolicy(allowPrivate, "ALLOW_PRIVATE_WEBHOOKS");

function isGloballyRoutable(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(hexadecimalOf(address));
  if (parsed.kind() === "ipv6" && !parsed.match(GLOBAL_UNICAST_IPV6)) return false;
  return parsed.range() === "unicast" && !PUBLIC_LOOKING_METADATA.has(parsed.toString());
}

/** `::1.2.3.4` as `::102:304`: the parser takes the dotted form of any prefix for IPv4-mapped. */
const hexadecimalOf = (address: string): string =>
  address.includes(":") && address.includes(".")
    ? (URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? address)
    : address;
