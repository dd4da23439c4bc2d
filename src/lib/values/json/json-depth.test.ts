import { describe, expect, test } from "bun:test";
import { JsonDepth } from "./json-depth.ts";

/** In pieces of each size. */
const exceeds = (text: string, isEvents: boolean) =>
  [1, 3, 1_000].map((size) => {
    const depth = new JsonDepth(3, isEvents);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) if (depth.exceeds(bytes.subarray(at, at + size))) return true;
    return false;
  });
const [YES, NO] = [Array(3).fill(true), Array(3).fill(false)];

describe("the depth of JSON", () => {
  test.each([
    ['[{"a":[1]}]', NO],
    ['[{"a":[{}]}]', YES],
    ["[[[]],[[]],[[]]]", NO],
    ['["[[[[[[", "\\"[[[[", "\\\\"]', NO],
    ['["\\\\",[[[]]]]', YES],
    ['{"a":"ä","b":{"c":{"d":{}}}}', YES],
    ["[\n\n[\n\n[\n\n[", YES],
  ])("of %s", (text, expected) => expect(exceeds(text, false)).toEqual(expected));

  test.each([
    ['data: [[["a"]]]\n\ndata: [[[1]]]\n\n', NO],
    ["data: [\ndata: [\ndata: [\ndata: [\n\n", YES],
    ["data: [\r\ndata: [\r\ndata: [\r\ndata: [\r\n\r\n", YES],
    ["data: [[[\r\rdata: [[[\r\r", NO],
    ["data: [[[\r\n\r\ndata: [[[\r\n\r\n", NO],
    ['data: ["cut\n\ndata: [[["a"]]]\n\n', NO],
  ])("of events %j", (text, expected) => expect(exceeds(text, true)).toEqual(expected));
});
