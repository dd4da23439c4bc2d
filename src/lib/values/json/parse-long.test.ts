import { describe, expect, test } from "bun:test";
import { parseLongText } from "./parse-long.ts";

const LONG = "AAAA".repeat(20_000);

describe("a text with long strings", () => {
  test.each<[string, unknown]>([
    ["in members and lists", { a: LONG, list: [LONG, { b: LONG, c: "short" }], d: 1 }],
    ["as the whole text", LONG],
    ["with escapes in it", { a: `${LONG}"\\\n\u0001${LONG}`, b: LONG }],
    ["that end in escaped slashes", { a: `${LONG}\\`, b: `${LONG}\\\\`, c: LONG }],
    ["of any script", { a: LONG + "水门".repeat(40_000), b: "🚪" }],
    ["as a name", { [LONG]: LONG, " ": { [LONG]: 1 } }],
    ["like names that objects inherit", { __proto__x: LONG, constructor: LONG, toString: { valueOf: LONG } }],
    ["none", { a: "b", c: [null, true, 1.5] }],
  ])("%s", (_, value) => {
    expect(parseLongText(JSON.stringify(value))).toEqual(value);
    expect(parseLongText(JSON.stringify(value, null, 2))).toEqual(value);
  });

  test("a member called __proto__ stays a member", () => {
    const text = `{"__proto__":"${LONG}","a":{"__proto__":{"b":"${LONG}"}}}`;
    expect(JSON.stringify(parseLongText(text))).toBe(text);
    expect(Object.hasOwn(parseLongText(text) as object, "__proto__")).toBe(true);
  });

  test("repeated members: the last one counts, as everywhere", () => {
    expect(parseLongText(`{"a":"${LONG}","a":"x"}`)).toEqual({ a: "x" });
    expect(parseLongText(`{"a":"x","a":"${LONG}"}`)).toEqual({ a: LONG });
  });

  test.each([
    `{"a":"${LONG}}`,
    `{"a":"${LONG}\n"}`,
    `{"a":"${LONG}\\x"}`,
    `{"a":"${LONG}\\"}`,
    `{"a" "${LONG}"}`,
    `{"a":"${LONG}"`,
    `{"a":"${LONG}"}x"`,
    `{a:"${LONG}"}`,
  ])("that is none is refused %#", (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => parseLongText(text)).toThrow(SyntaxError);
  });

  test("agrees with JSON.parse on texts that were changed at random", () => {
    let seed = 11;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const valid = JSON.stringify({ a: LONG, b: [`x${LONG}\\"y`, "s"], c: { d: "\\", e: LONG } });
    const spots = [0, 1, 5, 80_000, 80_006, 80_011, 160_020, 160_030, valid.length - 2];
    const bits = ['"', "\\", "{", "}", ":", ",", "\n", "a", ""];
    const read = (parse: (text: string) => unknown, text: string) => {
      try {
        return JSON.stringify(parse(text));
      } catch {
        return "refused";
      }
    };
    let refused = 0;
    for (let turn = 0; turn < 300; turn += 1) {
      const at = (spots[random(spots.length)] ?? 0) + random(6);
      const text = valid.slice(0, at) + bits[random(bits.length)] + valid.slice(at + random(3));
      const expected = read(JSON.parse, text);
      if (expected === "refused") refused += 1;
      expect(read(parseLongText, text) === expected).toBe(true);
    }
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(290);
  });
});
