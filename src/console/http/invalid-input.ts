import { type Language, type MessageCode, type MessageParams, say } from "../../lib/messages.ts";

/** What the framework says of an input that does not fit its schema. */
export type InvalidInput = { all?: readonly { path?: string; value?: unknown; schema?: Schema }[] };

type Schema = {
  type?: string;
  const?: unknown;
  anyOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
};

/** Says in the caller's language which field is wrong and what it must be; the value itself is not repeated. */
export function describeInvalidInput(error: InvalidInput, language: Language): string {
  const first = error.all?.[0];
  const field = first?.path?.replace(/^\//, "").replaceAll("/", ".") ?? "";
  const [code, params] = expectation(first?.value, first?.schema ?? {});
  return say(code, language, { field: field || (language === "zh" ? "参数" : "a parameter"), ...params });
}

function expectation(value: unknown, schema: Schema): [MessageCode, MessageParams?] {
  if (value === undefined) return ["field_required"];
  const kinds = kindsOf(schema);
  if (kinds.size > 0 && [...kinds].every((kind) => kind.startsWith("="))) {
    return ["field_choice", { choices: [...kinds].map((kind) => kind.slice(1)).join(", ") }];
  }
  const { minimum, maximum } = schema;
  if (kinds.has("integer") || kinds.has("number")) {
    if (minimum === undefined && maximum === undefined) {
      return [kinds.has("integer") ? "field_integer" : "field_number"];
    }
    const range = { min: minimum ?? "-∞", max: maximum ?? "∞" };
    return [kinds.has("integer") ? "field_integer_range" : "field_number_range", range];
  }
  // Before text: the framework also takes lists and numbers written as text.
  if (kinds.has("array")) {
    const isLength = Array.isArray(value) && schema.maxItems !== undefined;
    return isLength ? ["field_list_length", { max: schema.maxItems ?? 0 }] : ["field_list"];
  }
  if (kinds.has("string")) {
    const isLength = typeof value === "string" && (schema.maxLength !== undefined || schema.minLength !== undefined);
    return isLength ? ["field_length", { min: schema.minLength ?? 0, max: schema.maxLength ?? "∞" }] : ["field_text"];
  }
  if (kinds.has("boolean")) return ["field_bool"];
  return kinds.has("object") ? ["field_object"] : ["field_invalid"];
}

/** The kinds a schema takes; fixed values as `=value`. */
function kindsOf(schema: Schema): ReadonlySet<string> {
  if (schema.anyOf) return new Set(schema.anyOf.flatMap((choice) => [...kindsOf(choice)]));
  if (schema.const !== undefined) return new Set([`=${schema.const}`]);
  return new Set(schema.type && schema.type !== "null" ? [schema.type] : []);
}
