import { describe, expect, test } from "bun:test";
import { createClientAddress, limitKeyOf } from "./client-ip.ts";
import { withOrigin } from "./request.ts";

const from = (address: string) => ({ requestIP: () => ({ address }) });
const ask = (headers: Record<string, string> = {}) => new Request("http://gateway.test/api/status", { headers });

describe("client address", () => {
  test.each([
    [
      "a forwarded header from an untrusted address is ignored",
      [],
      "203.0.113.9",
      { "x-forwarded-for": "1.1.1.1" },
      "203.0.113.9",
    ],
    [
      "another proxy than the trusted one is ignored",
      ["10.0.0.1"],
      "10.0.0.2",
      { "x-forwarded-for": "1.1.1.1" },
      "10.0.0.2",
    ],
    ["a trusted proxy is believed", ["10.0.0.0/8"], "10.0.0.2", { "x-forwarded-for": "198.51.100.7" }, "198.51.100.7"],
    [
      "what the client wrote before the proxy's entry is not",
      ["10.0.0.0/8"],
      "10.0.0.2",
      { "x-forwarded-for": "127.0.0.1, 198.51.100.7, 10.9.9.9" },
      "198.51.100.7",
    ],
    ["garbage ends the chain", ["10.0.0.0/8"], "10.0.0.2", { "x-forwarded-for": "evil, 10.1.1.1" }, "10.1.1.1"],
    ["X-Real-IP serves too", ["::1"], "::1", { "x-real-ip": "2001:db8::5" }, "2001:db8::5"],
    [
      "mapped addresses are plain ones",
      ["10.0.0.1"],
      "::ffff:10.0.0.1",
      { "x-forwarded-for": "8.8.8.8:1234" },
      "8.8.8.8",
    ],
    ["bracketed IPv6 with port", ["10.0.0.1"], "10.0.0.1", { "x-forwarded-for": "[2001:db8::1]:443" }, "2001:db8::1"],
  ] as const)("%s", (_, trusted, peer, headers, expected) => {
    expect(createClientAddress(trusted).ip(ask({ ...headers }), from(peer))).toBe(expected);
  });

  test("https is what the process or a trusted proxy says", () => {
    const address = createClientAddress(["10.0.0.1"]);
    const claim = ask({ "x-forwarded-proto": "https" });
    expect(address.isHttps(claim, from("10.0.0.1"))).toBe(true);
    expect(address.isHttps(claim, from("10.0.0.2"))).toBe(false);
    expect(address.isHttps(new Request("https://gateway.test/"), null)).toBe(true);
  });

  test("an entry that is no address is refused", () => {
    expect(() => createClientAddress(["proxy.local"])).toThrow("TRUSTED_PROXIES");
  });

  test("addresses of one IPv6 network share a limit", () => {
    expect(limitKeyOf("2001:db8:1:2:aaaa::1")).toBe(limitKeyOf("2001:db8:1:2:bbbb::9"));
    expect(limitKeyOf("2001:db8:1:3::1")).not.toBe(limitKeyOf("2001:db8:1:2::1"));
    expect(limitKeyOf("::ffff:1.2.3.4")).toBe("1.2.3.4");
  });

  test("a request that another one makes here comes from that one's client", () => {
    const inner = ask({ "x-forwarded-for": "192.0.2.99" });
    const { ip } = createClientAddress(["127.0.0.1"]);
    expect(withOrigin({ ip: "192.0.2.7", requestId: "1" }, () => ip(inner, null))).toBe("192.0.2.7");
    expect(ip(inner, null)).toBe("");
  });
});
