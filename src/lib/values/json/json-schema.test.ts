import { expect, test } from "bun:test";
import { compileSchema } from "./json-schema.ts";

test.each([
  [{ type: "object", required: ["a"] }, { a: 1 }, { b: 1 }, "#/required"],
  [{ properties: { a: { type: "string" } } }, { a: "x" }, { a: 1 }, "#/properties/a/type"],
  [{ type: "object", properties: {}, additionalProperties: false }, {}, { x: 1 }, "#/additionalProperties"],
  [{ items: { enum: ["a", "b"] } }, ["a"], ["c"], "#/items/enum"],
  [{ pattern: "^A\\d+$" }, "A12", "a12", "#/pattern"],
  [{ patternProperties: { "^x": { type: "number" } } }, { x: 1 }, { x: "" }, "#/patternProperties/%5Ex/type"],
  [
    { uniqueItems: true },
    [{ a: 1, b: 2 }, { a: 1 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    "#/uniqueItems",
  ],
  [{ $defs: { n: { type: "number" } }, items: { $ref: "#/$defs/n" } }, [1], ["1"], "#/$defs/n/type"],
  [{ oneOf: [{ const: 1 }, { const: 2 }] }, 1, 3, "#/oneOf/0/const"],
  [{ type: "string", format: "date" }, "no date", 1, "#/type"],
])("%o", (schema, good, bad, place) => {
  const check = compileSchema(schema);
  expect(check?.(good)).toBeNull();
  expect(check?.(bad)).toBe(place);
});

test.each([
  [{ type: "nothing" }],
  [{ pattern: "(?=a)" }],
  [{ $ref: "https://example.com/schema.json" }],
  [{ properties: [] }],
])("%o is no schema", (schema) => {
  expect(compileSchema(schema)).toBeNull();
});

test("a value that is deeper than the stack fits no recursive schema", () => {
  const check = compileSchema({ type: "array", items: { $ref: "#" } });
  let value: unknown = [];
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  expect(check?.([[[]]])).toBeNull();
  expect(check?.(value)).toBe("#");
});

test("patterns and lists of any length are checked in linear time", () => {
  const check = compileSchema({ items: { pattern: "^(a+)+$" }, uniqueItems: true });
  const list = Array.from({ length: 20_000 }, (_, at) => "a".repeat(at % 50) + at);
  expect(check?.([`${"a".repeat(50_000)}!`])).toBe("#/items/pattern");
  expect(compileSchema({ uniqueItems: true })?.(list)).toBeNull();
});
