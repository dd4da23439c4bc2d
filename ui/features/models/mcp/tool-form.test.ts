import { expect, test } from "bun:test";
import { argumentsOf, emptyValues, faultyFields, readArguments, resultText, toolFields } from "./tool-form.ts";

const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string", description: "Where" },
    days: { type: "integer" },
    unit: { enum: ["C", "F"] },
    verbose: { type: "boolean" },
  },
  required: ["city", "days"],
};

test("texts, numbers, choices and switches have fields", () => {
  expect(toolFields(SCHEMA)?.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ["city", "text", true],
    ["days", "number", true],
    ["unit", "select", false],
    ["verbose", "switch", false],
  ]);
  expect(toolFields({ type: "object" })).toEqual([]);
});

test.each([
  { properties: { list: { type: "array" } } },
  { properties: { any: {} } },
  { properties: { level: { enum: [1, 2] } } },
  { properties: { either: { type: ["string", "null"] } } },
  { properties: {}, required: ["missing"] },
])("%j is typed as JSON", (schema) => expect(toolFields(schema)).toBeNull());

test("what is empty and may be left out is left out; numbers are numbers", () => {
  const fields = toolFields(SCHEMA) ?? [];
  const empty = emptyValues(fields);
  expect(faultyFields(fields, empty)).toEqual(["days"]);
  expect(faultyFields(fields, { ...empty, days: "two" })).toEqual(["days"]);
  expect(faultyFields(fields, { ...empty, days: "-2.5" })).toEqual([]);
  expect(argumentsOf(fields, { ...empty, city: "Ghent", days: "3" })).toEqual({ city: "Ghent", days: 3 });
  expect(argumentsOf(fields, { city: "", days: "0", unit: "F", verbose: true })).toEqual({
    ...{ city: "", days: 0, unit: "F", verbose: true },
  });
});

test("arguments in JSON are an object", () => {
  expect(readArguments('{"a": [1]}')).toEqual({ a: [1] });
  expect(readArguments(" ")).toEqual({});
  for (const text of ["[]", "1", "{", "null"]) expect(readArguments(text)).toBeNull();
});

test("a result shows its texts, and of bytes how many there are", () => {
  expect(resultText([{ type: "text", text: "one" }], null)).toBe("one");
  expect(resultText([{ type: "image", mimeType: "image/png", data: "AAAA" }], null)).toContain(
    '"base64_characters": 4',
  );
  expect(resultText([], { degrees: 21 })).toContain('"degrees": 21');
  expect(resultText([{ type: "text", text: "x".repeat(200_000) }], null).length).toBe(100_001);
});
