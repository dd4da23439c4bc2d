import { expect, test } from "bun:test";
import { cleanSchema } from "./schema.ts";

test("JSON Schema keywords outside Gemini's subset", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    properties: {
      count: { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10, default: 3, examples: [1] },
      share: { type: "number", exclusiveMinimum: 0 },
      kind: { const: "circle" },
      when: { type: ["string", "null"], format: "date-time" },
      mail: { type: "string", format: "email", patternProperties: {} },
      place: { $ref: "#/$defs/place" },
      list: { type: "array" },
      level: { type: "integer", enum: [1, 2] },
    },
    required: ["count", "gone"],
    $defs: { place: { type: "object", properties: { city: { type: "string", minLength: 1 } } } },
  };
  expect(cleanSchema(schema)).toEqual({
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1, maximum: 9 },
      share: { type: "number", minimum: 0 },
      kind: { type: "string", enum: ["circle"] },
      when: { type: "string", nullable: true, format: "date-time" },
      mail: { type: "string" },
      place: { type: "object", properties: { city: { type: "string", minLength: 1 } } },
      list: { type: "array", items: { type: "string" } },
      level: { type: "integer" },
    },
    required: ["count"],
  });
});

test("excessive cleaning: anyOf and const stay, oneOf and allOf are rewritten", () => {
  const shape = { oneOf: [{ type: "string" }, { properties: { a: { const: "x" } } }, { type: "null" }] };
  expect(cleanSchema({ type: "object", properties: { shape } })).toEqual({
    type: "object",
    properties: {
      shape: {
        nullable: true,
        anyOf: [{ type: "string" }, { type: "object", properties: { a: { type: "string", enum: ["x"] } } }],
      },
    },
  });
  const both = {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "number" } }, required: ["b"] },
    ],
  };
  expect(cleanSchema(both)).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "number" } },
    required: ["a", "b"],
  });
});

test("a recursive schema is cut where it would repeat", () => {
  const node = { type: "object", properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } } };
  expect(cleanSchema({ $ref: "#/$defs/node", $defs: { node } })).toEqual({
    type: "object",
    properties: { left: { type: "object" }, right: { type: "object" } },
  });
  const merging = { $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" };
  expect(cleanSchema(merging)).toEqual({});
});

test("references that double at every level stay within limits", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { type: "object", properties: { a: next, b: next } }];
    }),
  );
  expect(JSON.stringify(cleanSchema({ $ref: "#/$defs/d0", $defs })).length).toBeLessThan(500_000);
});
