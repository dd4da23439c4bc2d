import { describe, expect, test } from "bun:test";
import { checkJsonObject, formatJson } from "./json-text.ts";

describe("checkJsonObject", () => {
  test.each(["", "  ", "{}", '{"a": [1, {"b": null}], "c": "d\\n"}'])("%p is fine", (text) =>
    expect(checkJsonObject(text)).toBeNull(),
  );

  test.each(["[]", '"text"', "1", "null"])("%p is JSON, but no object", (text) =>
    expect(checkJsonObject(text)).toBe("not-object"),
  );

  test.each<[string, number, number]>([
    ['{"a": 1,}', 1, 9],
    ['{"a" 1}', 1, 6],
    ["{a: 1}", 1, 2],
    ['{\n  "a": tru\n}', 2, 8],
    ['{"a": 1', 1, 8],
    ['{"a": [1, 2}', 1, 12],
    ['{"a": 1} x', 1, 10],
    ["{'a': 1}", 1, 2],
  ])("%p breaks at line %d, column %d", (text, line, column) =>
    expect(checkJsonObject(text)).toEqual({ line, column }),
  );
});

test("formats what is JSON and leaves the rest alone", () => {
  expect(formatJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(formatJson("{a")).toBe("{a");
});
