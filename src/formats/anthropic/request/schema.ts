import { type JsonObject, recordOf, recordsOf } from "../../json.ts";

/** JSON Schema keywords that Anthropic's structured output rejects: limits of numbers, lengths and counts. */
const REFUSED: ReadonlySet<string> = new Set(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems".split(" "),
);

/** The JSON Schema in the form that structured output and strict tools require: every object closed, no limits. */
export function closedSchema(schema: JsonObject): JsonObject {
  const closed: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (REFUSED.has(name) || (name === "minItems" && value !== 0 && value !== 1)) continue;
    if (name === "properties" || name === "$defs" || name === "definitions") closed[name] = each(recordOf(value));
    else if (name === "items") closed[name] = closedSchema(recordOf(value) ?? {});
    else if (name === "oneOf") closed.anyOf = recordsOf(value).map(closedSchema);
    else if (name === "anyOf" || name === "allOf") closed[name] = recordsOf(value).map(closedSchema);
    else closed[name] = value;
  }
  return schema.type === "object" || schema.properties ? { ...closed, additionalProperties: false } : closed;
}

const each = (schemas: JsonObject | null): JsonObject =>
  Object.fromEntries(Object.entries(schemas ?? {}).map(([name, inner]) => [name, closedSchema(recordOf(inner) ?? {})]));

/** A function's parameters: an object schema without a union at its top level, which Anthropic rejects. */
export function inputSchema(parameters: JsonObject | null, strict: boolean): JsonObject {
  const { anyOf: _, oneOf: __, allOf: ___, ...plain } = parameters ?? {};
  const schema = { ...plain, type: "object", properties: recordOf(parameters?.properties) ?? {} };
  return strict ? closedSchema(schema) : schema;
}
