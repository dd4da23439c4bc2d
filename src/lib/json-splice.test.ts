import { describe, expect, test } from "bun:test";
import { spliceTopLevel as splice, type TopLevelChanges } from "./json-splice.ts";

const spliceTopLevel = (text: string, changes: TopLevelChanges) => splice(text, changes, JSON.parse(text));

describe("changing the top level of a JSON text", () => {
  const text =
    '{ "seed": 12345678901234567890, "model" : "a\\"b\\\\", "t":1.0,"messages":[{"model":"x","c":"}],\\""}] }';

  test("replaces a value and leaves every other character", () => {
    expect(spliceTopLevel(text, { model: "new" })).toBe(text.replace('"a\\"b\\\\"', '"new"'));
  });

  test("adds what is not there and removes what shall not be", () => {
    const changed = spliceTopLevel(text, { seed: undefined, stream_options: { include_usage: true }, t: undefined });
    expect(JSON.parse(changed)).toEqual({
      model: 'a"b\\',
      messages: [{ model: "x", c: '}],"' }],
      stream_options: { include_usage: true },
    });
  });

  test.each(["{}", " {\n} ", '{"a":1}', '{"a":{"b":[1,{"c":"}"}]},"d":null}', '{"x":true , "a" : -1e3 }\n'])(
    "agrees with doing it on the value: %s",
    (source) => {
      for (const changes of [
        { a: 2 },
        { a: undefined },
        { z: "é" },
        { a: undefined, x: undefined, d: undefined },
        { q: 1 },
        { y: undefined },
        { a: [], z: {} },
      ]) {
        const expected = Object.fromEntries(
          Object.entries({ ...JSON.parse(source), ...changes }).filter(([, value]) => value !== undefined),
        );
        expect(JSON.parse(spliceTopLevel(source, changes))).toEqual(expected);
      }
    },
  );

  test("a key given twice is replaced once", () => {
    expect(spliceTopLevel('{"model":"a","n":1,"model":"b"}', { model: "c" })).toBe('{"model":"c","n":1}');
  });
});
