import { describe, expect, test } from "bun:test";
import { createAddressPolicy } from "./address-policy.ts";

const PUBLIC = ["1.1.1.1", "8.8.8.8", "2606:4700::1111", "2001:4860:4860::8888", "::ffff:8.8.8.8", "2a00:1450::1"];

/** By class: https://www.iana.org/assignments/iana-ipv6-special-registry and …/iana-ipv4-special-registry. */
const REFUSED = [
  ["loopback", "127.0.0.1", "127.8.9.1", "::1"],
  ["unspecified", "0.0.0.0", "0.1.2.3", "::"],
  ["private and unique local", "10.0.0.1", "172.16.0.1", "192.168.1.1", "fc00::1", "fd12::1"],
  ["link-local", "169.254.169.254", "fe80::1", "fe80::a9fe:a9fe"],
  ["carrier-grade", "100.64.0.1", "100.127.255.254"],
  ["cloud metadata", "168.63.129.16", "fd00:ec2::254"],
  ["IPv4-mapped", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:a00:1", "::ffff:169.254.169.254"],
  ["IPv4-compatible", "::127.0.0.1", "::7f00:1", "::a00:1", "::a9fe:a9fe", "::2", "::8.8.8.8", "0:0:0:0:0:0:c0a8:101"],
  ["IPv4-translated", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:1::"],
  ["site-local, retired", "fec0::1", "feff::1"],
  ["multicast and broadcast", "224.0.0.1", "239.1.2.3", "255.255.255.255", "ff02::1"],
  ["documentation and tests", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"],
  ["reserved or never allocated", "240.0.0.1", "100::1", "5f00::1", "4000::1", "8000::1", "1::1"],
  ["not an address", "", "example.com", "127.0.0.1:80", "[::1]", "1.2.3.4.5"],
];

describe("address policy", () => {
  test.each(PUBLIC)("%s is public", (address) => {
    expect(createAddressPolicy(false).allows(address)).toBe(true);
  });

  test.each(REFUSED)("%s addresses are refused", (_class, ...addresses) => {
    const policy = createAddressPolicy(false);
    expect(addresses.filter(policy.allows)).toEqual([]);
  });

  test("private addresses pass where the operator allows them", () => {
    expect(createAddressPolicy(true).allows("::7f00:1")).toBe(true);
  });
});
