import { type Language, type MessageCode, type MessageParams, say } from "../../lib/messages.ts";

/** A validation error of the framework. */
export type InvalidInput = { all?: readonly { path?: string; value?: unknown; schema?: Schema }[] };

type Schema = {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
};

/** Describes in the caller's language which field is invalid and what it must be; never repeats the value. */
export function describeInvalidInput(error: InvalidInput, language: Language): string {
  const first = error.all?.[0];
  const field = first?.path?.replace(/^\//, "").replaceAll("/", ".") ?? "";
  const [code, params] = expectation(first?.value, first?.schema ?? {});
  return say(code, language, { field: field || say("a_parameter", language), ...params });
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
  // Checked before text, because the framework also accepts lists and numbers written as text.
  if (kinds.has("array")) {
    const isLength = Array.isArray(value) && schema.maxItems !== undefined;
    return isLength ? ["field_list_length", { max: schema.maxItems ?? 0 }] : ["field_list"];
  }
  if (kinds.has("string")) {
    const isLength = typeof value === "string" && (schema.maxLength !== undefined || schema.minLength !== undefined);
    if (isLength) return ["field_length", { min: schema.minLength ?? 0, max: schema.maxLength ?? "∞" }];
    // Text that does not fit a pattern.
    return [typeof value === "string" ? "field_malformed" : "field_text"];
  }
  if (kinds.has("boolean")) return ["field_bool"];
  return kinds.has("object") ? ["field_object"] : ["field_malformed"];
}

/** The types a schema accepts; constants as `=value`. */
function kindsOf(schema: Schema): ReadonlySet<string> {
  if (schema.anyOf) return new Set(schema.anyOf.flatMap((choice) => [...kindsOf(choice)]));
  if (schema.enum) return new Set(schema.enum.map((choice) => `=${choice}`));
  if (schema.const !== undefined) return new Set([`=${schema.const}`]);
  return new Set(schema.type && schema.type !== "null" ? [schema.type] : []);
}
