import { type JsonObject, recordOf, recordsOf, textOf } from "../../json.ts";

/** Keywords that Gemini's schema language supports. Source: https://ai.google.dev/api/caching#Schema */
const SUPPORTED_KEYWORDS: ReadonlySet<string> = new Set(
  `title description nullable minItems maxItems minProperties maxProperties minimum maximum minLength maxLength pattern
  propertyOrdering`.split(/\s+/),
);
const FORMATS: ReadonlySet<unknown> = new Set(["enum", "date-time", "int32", "int64", "float", "double"]);
const DEEPEST = 24;
/** Limits expansion: references that contain each other several times would grow exponentially. */
const MAX_NODES = 5000;

/**
 * Rewrites a JSON Schema in the subset that Gemini accepts: resolves references, rewrites unions and constants, leaves
 * out the rest.
 */
export function cleanSchema(schema: JsonObject): JsonObject {
  const definitions = { ...recordOf(schema.definitions), ...recordOf(schema.$defs) };
  return cleanNode(schema, { definitions, budget: { nodes: MAX_NODES }, within: [] });
}

type Place = Readonly<{
  definitions: JsonObject;
  budget: { nodes: number };
  /** The references being resolved: one that leads back to itself is cut off. */
  within: readonly string[];
}>;

function cleanNode(source: JsonObject, place: Place, depth = 0): JsonObject {
  place.budget.nodes -= 1;
  if (depth > DEEPEST || place.budget.nodes < 0) return { type: "object" };
  const reference = textOf(source.$ref);
  if (reference !== null) {
    if (place.within.includes(reference)) return { type: "object" };
    const { $ref: _, ...siblings } = source;
    const within = [...place.within, reference];
    return cleanNode({ ...resolve(reference, place), ...siblings }, { ...place, within }, depth + 1);
  }
  if (recordsOf(source.allOf).length > 0) return cleanNode(...mergeAllOf(source, place), depth + 1);
  const schema: JsonObject = {};
  for (const [name, value] of Object.entries(source)) if (SUPPORTED_KEYWORDS.has(name)) schema[name] = value;
  const inner = (part: JsonObject) => cleanNode(part, place, depth + 1);
  writeType(schema, source, inner);
  writeValues(schema, source);
  const properties = recordOf(source.properties);
  if (properties && Object.keys(properties).length > 0) {
    schema.type ??= "object";
    schema.properties = mapValues(properties, inner);
    const required = Array.isArray(source.required)
      ? source.required.filter((name) => Object.hasOwn(properties, name))
      : [];
    if (required.length > 0) schema.required = required;
  }
  const items = recordOf(source.items) ?? recordsOf(source.prefixItems)[0];
  if (items) Object.assign(schema, { type: schema.type ?? "array", items: inner(items) });
  else if (schema.type === "array") schema.items = { type: "string" };
  return schema;
}

/** Writes constants, limits and formats. */
function writeValues(schema: JsonObject, source: JsonObject): void {
  if (FORMATS.has(source.format)) schema.format = source.format;
  const values = Array.isArray(source.enum) ? source.enum : source.const === undefined ? null : [source.const];
  // Gemini supports enums of strings only.
  if (values && (schema.type === undefined || schema.type === "string")) {
    const texts = values.filter((value) => value !== null && value !== "").map(String);
    Object.assign(schema, { type: "string", enum: texts });
  }
  const step = schema.type === "integer" ? 1 : 0;
  if (typeof source.exclusiveMinimum === "number") schema.minimum = source.exclusiveMinimum + step;
  if (typeof source.exclusiveMaximum === "number") schema.maximum = source.exclusiveMaximum - step;
}

/** `type: [T, "null"]` and unions with null become nullable; other unions `anyOf`. */
function writeType(schema: JsonObject, source: JsonObject, inner: (part: JsonObject) => JsonObject): void {
  const types = Array.isArray(source.type)
    ? source.type.map(String)
    : source.type === undefined
      ? []
      : [String(source.type)];
  if (types.includes("null")) schema.nullable = true;
  const named = types.filter((type) => type !== "null");
  if (named.length === 1) schema.type = named[0]?.toLowerCase();
  if (named.length > 1) schema.anyOf = named.map((type) => ({ type }));
  const union = [...recordsOf(source.anyOf), ...recordsOf(source.oneOf)];
  if (union.length === 0) return;
  if (union.some(({ type }) => type === "null")) schema.nullable = true;
  const rest = union.filter(({ type }) => type !== "null").map(inner);
  if (rest.length === 1) Object.assign(schema, { ...rest[0], ...schema });
  else schema.anyOf = rest;
}

const resolve = (reference: string, { definitions }: Place): JsonObject =>
  recordOf(definitions[reference.split("/").at(-1) ?? ""]) ?? {};

/** Merges the schemas of `allOf` into one; returns it with the references it resolved. */
function mergeAllOf(source: JsonObject, place: Place): [JsonObject, Place] {
  const { allOf, ...siblings } = source;
  const within = [...place.within];
  const combined = recordsOf(allOf).reduce((sum: JsonObject, part) => {
    const reference = textOf(part.$ref);
    if (reference === null) return merge(sum, part);
    if (within.includes(reference)) return sum;
    within.push(reference);
    return merge(sum, resolve(reference, place));
  }, siblings);
  return [combined, { ...place, within }];
}

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
