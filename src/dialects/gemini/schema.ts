import { type JsonObject, recordOf, recordsOf, textOf } from "../json.ts";

/** What Gemini's schema language knows (providers.md 4.4). */
const KEPT: ReadonlySet<string> = new Set(
  `title description nullable minItems maxItems minProperties maxProperties minimum maximum minLength maxLength pattern
  propertyOrdering`.split(/\s+/),
);
const FORMATS: ReadonlySet<unknown> = new Set(["enum", "date-time", "int32", "int64", "float", "double"]);
const DEEPEST = 24;

/** A JSON Schema in the subset that Gemini takes: references put in place, unions and constants rewritten, the rest left out. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const definitions = { ...recordOf(schema.definitions), ...recordOf(schema.$defs) };
  return clean(schema, definitions, 0);
}

function clean(given: JsonObject, definitions: JsonObject, depth: number): JsonObject {
  if (depth > DEEPEST) return { type: "object" };
  const reference = textOf(given.$ref);
  if (reference !== null) {
    const { $ref: _, ...beside } = given;
    const target = recordOf(definitions[reference.split("/").at(-1) ?? ""]) ?? {};
    return clean({ ...target, ...beside }, definitions, depth + 1);
  }
  const all = recordsOf(given.allOf);
  if (all.length > 0) {
    const { allOf: _, ...beside } = given;
    return clean(
      all.reduce((merged, part) => merge(merged, resolve(part, definitions)), beside),
      definitions,
      depth + 1,
    );
  }
  const schema: JsonObject = {};
  for (const [name, value] of Object.entries(given)) if (KEPT.has(name)) schema[name] = value;
  writeType(schema, given, definitions, depth);
  if (FORMATS.has(given.format)) schema.format = given.format;
  const values = Array.isArray(given.enum) ? given.enum : given.const === undefined ? null : [given.const];
  if (values && (schema.type === undefined || schema.type === "string")) {
    Object.assign(schema, {
      type: "string",
      enum: values.filter((value) => value !== null && value !== "").map(String),
    });
  }
  const least = given.exclusiveMinimum;
  if (typeof least === "number") schema.minimum = schema.type === "integer" ? least + 1 : least;
  const most = given.exclusiveMaximum;
  if (typeof most === "number") schema.maximum = schema.type === "integer" ? most - 1 : most;
  const properties = recordOf(given.properties);
  if (properties && Object.keys(properties).length > 0) {
    schema.properties = mapValues(properties, (inner) => clean(inner, definitions, depth + 1));
    const required = Array.isArray(given.required) ? given.required.filter((name) => name in properties) : [];
    if (required.length > 0) schema.required = required;
  }
  const items = recordOf(given.items) ?? recordsOf(given.prefixItems)[0];
  if (items) schema.items = clean(items, definitions, depth + 1);
  else if (schema.type === "array") schema.items = { type: "string" };
  return schema;
}

/** `type: [T, "null"]` and unions with null become nullable; other unions `anyOf`. */
function writeType(schema: JsonObject, given: JsonObject, definitions: JsonObject, depth: number): void {
  const types = Array.isArray(given.type)
    ? given.type.map(String)
    : given.type === undefined
      ? []
      : [String(given.type)];
  if (types.includes("null")) schema.nullable = true;
  const named = types.filter((type) => type !== "null");
  if (named.length === 1) schema.type = named[0]?.toLowerCase();
  if (named.length > 1) schema.anyOf = named.map((type) => ({ type }));
  const union = [...recordsOf(given.anyOf), ...recordsOf(given.oneOf)];
  if (union.length === 0) return;
  if (union.some(({ type }) => type === "null")) schema.nullable = true;
  const rest = union.filter(({ type }) => type !== "null").map((part) => clean(part, definitions, depth + 1));
  if (rest.length === 1) Object.assign(schema, { ...rest[0], ...schema });
  else schema.anyOf = rest;
}

const resolve = (part: JsonObject, definitions: JsonObject): JsonObject =>
  recordOf(definitions[textOf(part.$ref)?.split("/").at(-1) ?? ""]) ?? part;

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const required = [
    ...(Array.isArray(one.required) ? one.required : []),
    ...(Array.isArray(other.required) ? other.required : []),
  ];
  return {
    ...one,
    ...other,
    ...(recordOf(one.properties ?? other.properties) && {
      properties: { ...recordOf(one.properties), ...recordOf(other.properties) },
    }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

const mapValues = (record: JsonObject, change: (value: JsonObject) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(recordOf(value) ?? {})]));
