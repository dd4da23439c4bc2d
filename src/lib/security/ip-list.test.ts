import { describe, expect, test } from "bun:test";
import { compileIpList, invalidIpEntries } from "./ip-list.ts";

describe("the list of allowed addresses", () => {
  test("an empty list lets everybody in", () => expect(compileIpList(" \n ")).toBeNull());

  test.each([
    ["10.0.0.1", "10.0.0.1", true],
    ["10.0.0.1", "10.0.0.2", false],
    ["10.0.0.0/8\n192.168.1.5", "10.9.8.7", true],
    ["10.0.0.0/8\n192.168.1.5", "192.168.1.5", true],
    ["10.0.0.0/8", "::ffff:10.1.1.1", true],
    ["2001:db8::/32", "2001:db8::7", true],
    ["2001:db8::/32", "10.0.0.1", false],
    ["10.0.0.1", "not an address", false],
  ])("%p: %s → %p", (list, ip, allowed) => expect(compileIpList(list)?.matches(ip)).toBe(allowed));

  test("a list of nothing but rubbish lets nobody in", () =>
    expect(compileIpList("rubbish")?.matches("10.0.0.1")).toBe(false));

  test("names what is no address", () =>
    expect(invalidIpEntries("10.0.0.1, 10.0.0.0/33, host, 10\n::1")).toEqual(["10.0.0.0/33", "host", "10"]));
});
