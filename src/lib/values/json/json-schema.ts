import type { Ajv2020 } from "ajv/dist/2020";
import { compileCasedPattern } from "../patterns/linear-pattern.ts";
import { canonicalJson } from "./canonical-json.ts";

/** Where a value breaks a schema, as a place in the schema (`#/properties/name/type`); null: it fits. */
export type SchemaCheck = (value: unknown) => string | null;

/** Deeper values, or a schema that goes in a circle. */
const TOO_DEEP = "#";

/**
 * Compiles a JSON Schema (draft 2020-12). Patterns are RE2's, and nothing takes longer than the value is long times the schema.
 * `format` is a note, as the draft has it; a reference must lead to a place in the schema itself. Returns null for what is none.
 */
export function compileSchema(schema: object): SchemaCheck | null {
  try {
    const check = newValidator().compile(schema);
    return (value) => {
      try {
        return check(value) ? null : (check.errors?.[0]?.schemaPath ?? TOO_DEEP);
      } catch {
        return TOO_DEEP;
      }
    };
  } catch {
    return null;
  }
}

function newValidator(): Ajv2020 {
  // Loaded by the first schema: most sites have none.
  const { Ajv2020: Validator }: typeof import("ajv/dist/2020") = require("ajv/dist/2020");
  const regExp = Object.assign(compileCasedPattern, { code: "linearPattern" });
  const validator = new Validator({ strict: false, validateFormats: false, logger: false, code: { regExp } });
  // Its own compares each entry with each other one.
  validator.removeKeyword("uniqueItems");
  return validator.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isOn: boolean, list: readonly unknown[]) =>
      !isOn || new Set(list.map((entry) => canonicalJson(entry))).size === list.length,
  });
}
