import { describe, expect, test } from "bun:test";
import { HOSTILE_NAMES, RandomJson, seededRandom } from "../../../../test/support/lib/random-json.ts";
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

  test("a key that occurs twice is replaced once", () => {
    expect(spliceTopLevel('{"model":"a","n":1,"model":"b"}', { model: "c" })).toBe('{"model":"c","n":1}');
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("%s is a name like any other", (name) => {
    const member = `${JSON.stringify(name)}:1`;
    expect(spliceTopLevel(`{"model":"alias",${member}}`, { model: "real" })).toBe(`{"model":"real",${member}}`);
    const change = Object.fromEntries([[name, 2]]);
    expect(spliceTopLevel(`{"model":"alias",${member}}`, change)).toBe(`{"model":"alias",${JSON.stringify(name)}:2}`);
    expect(spliceTopLevel('{"model":"alias"}', change)).toBe(`{${JSON.stringify(name)}:2,"model":"alias"}`);
  });

  test("random changes to random texts: the result is valid and has the value with the changes", () => {
    const random = seededRandom(SEED);
    const json = new RandomJson(random);
    for (let at = 0; at < CASES; at += 1) {
      const text = json.object();
      const names = Array.from({ length: Math.floor(random() * 4) }, () => json.pick(HOSTILE_NAMES));
      const changes = Object.fromEntries(
        names.map((name) => [name, random() < 0.3 ? undefined : JSON.parse(json.value())]),
      );
      const expected = new Map(Object.entries({ ...JSON.parse(text), ...changes }));
      for (const [name, value] of expected) if (value === undefined) expected.delete(name);
      const reported = [text, changes, canonical(JSON.parse(spliceTopLevel(text, changes)))];
      expect(reported).toEqual([text, changes, canonical(Object.fromEntries(expected))]);
    }
  });
});

const SEED = 20_261_122;
const CASES = 5_000;

/** The value as text with members in order of their names: own members alone count, those named as a prototype's too. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`);
  return `{${members.sort().join()}}`;
}
