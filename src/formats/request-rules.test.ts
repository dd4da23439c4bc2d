import { describe, expect, test } from "bun:test";
import { RandomJson, seededRandom } from "../../test/support/lib/random-json.ts";
import { findRepeatedMember } from "../lib/values/json/json-text.ts";
import { countMembers } from "./request-rules.ts";

const SEED = 20_261_122;
const CASES = 5_000;

/** Members of all objects of a parsed value. */
const countOwn = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, inner) => sum + countOwn(inner), own);
};

describe("members of a JSON text", () => {
  test("a text without repeated names has as many members as its value, whatever its names and strings hold", () => {
    const json = new RandomJson(seededRandom(SEED), false);
    for (let at = 0; at < CASES; at += 1) {
      const text = json.object();
      expect([text, countMembers(text), findRepeatedMember(text)]).toEqual([text, countOwn(JSON.parse(text)), null]);
    }
  });

  test("a text has more members than its value exactly where a name is repeated", () => {
    const json = new RandomJson(seededRandom(SEED + 1));
    let repeated = 0;
    for (let at = 0; at < CASES; at += 1) {
      const text = json.object();
      const isRepeated = countMembers(text) > countOwn(JSON.parse(text));
      expect([text, findRepeatedMember(text) !== null]).toEqual([text, isRepeated]);
      if (isRepeated) repeated += 1;
    }
    expect(repeated).toBeGreaterThan(CASES / 10);
    expect(repeated).toBeLessThan(CASES);
  });

  test.each([
    ['{"model":"a","n":1,"model":"b"}', "model"],
    ['{"model":"a","mod\\u0065l":"b"}', "model"],
    ['{"messages":[{"role":"user"},{"role":"user","content":"a","content":"b"}]}', "messages[1].content"],
    ['{"a":[[],[1,{"b":{"c":"}\\"","c":2}}]]}', "a[1][1].b.c"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"a":{"b":1},"c":{"b":1},"d":["a","a"],"e":"\\"a\\":1,\\"a\\":2"}', null],
  ])("%s repeats %p", (text, path) => {
    expect(findRepeatedMember(text)).toBe(path);
  });
});
