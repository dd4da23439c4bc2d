import { type JsonObject, recordOf, textOf, textsOf } from "../../../../formats/json.ts";

/** What cannot be offered as a tool: a part that is missing, elsewhere, or larger than a model should read. */
export class UnusableError extends Error {
  override name = "UnusableError";
}

/** References to references; the values of one operation's schemas. */
const [MOST_HOPS, MOST_VALUES] = [16, 5_000];

/** Annotations of OpenAPI that say nothing to a model, and what JSON Schema says otherwise. */
const DROPPED: ReadonlySet<string> = new Set([
  ...["xml", "externalDocs", "discriminator", "example", "examples", "nullable", "$id", "$schema", "$anchor"],
]);
const BY_NAME: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Their values are data, in which nothing is a schema. */
const AS_THEY_ARE: ReadonlySet<string> = new Set(["enum", "const", "default", "required"]);

/** Resolves references of one operation within its document. Throws UnusableError. */
export class References {
  /** Values of schemas that were read. */
  read = 0;

  constructor(private readonly document: JsonObject) {}

  /** The object, or the one to which its reference leads. */
  follow(value: unknown): JsonObject | null {
    let found = recordOf(value);
    for (let hops = 0; found && textOf(found.$ref) !== null; hops += 1) {
      if (hops >= MOST_HOPS) throw new UnusableError("references lead to references");
      found = this.#target(textOf(found.$ref) ?? "");
    }
    return found;
  }

  /**
   * A schema as JSON Schema with all references resolved. One that contains itself ends there with a schema that accepts everything;
   * what only responses have is left out.
   */
  schema(value: unknown, within: readonly string[] = []): JsonObject | boolean {
    if (typeof value === "boolean") return value;
    const source = recordOf(value);
    if (!source) return {};
    const reference = textOf(source.$ref);
    if (reference !== null) {
      if (within.includes(reference)) return {};
      if (within.length >= MOST_HOPS * 2) throw new UnusableError("schemas within schemas");
      const { $ref: _, ...siblings } = source;
      const target = this.schema(this.#target(reference), [...within, reference]);
      return typeof target === "boolean" ? target : { ...target, ...this.#members(siblings, within) };
    }
    return this.#members(source, within);
  }

  #members(source: JsonObject, within: readonly string[]): JsonObject {
    const result: JsonObject = {};
    for (const [name, value] of Object.entries(source)) {
      if (DROPPED.has(name) || name.startsWith("x-")) continue;
      this.#count();
      if (AS_THEY_ARE.has(name)) result[name] = value;
      else if (BY_NAME.has(name)) result[name] = this.#named(recordOf(value) ?? {}, within);
      else if (Array.isArray(value))
        result[name] = value.map((item) => (recordOf(item) ? this.schema(item, within) : item));
      else result[name] = recordOf(value) ? this.schema(value, within) : value;
    }
    const properties = recordOf(result.properties);
    if (properties && Array.isArray(result.required))
      result.required = textsOf(result.required).filter((name) => Object.hasOwn(properties, name));
    if (source.nullable === true && typeof result.type === "string") result.type = [result.type, "null"];
    limitExclusively(result, "exclusiveMinimum", "minimum");
    limitExclusively(result, "exclusiveMaximum", "maximum");
    return result;
  }

  #named(schemas: JsonObject, within: readonly string[]): JsonObject {
    const entries = Object.entries(schemas).flatMap(([name, value]) => {
      this.#count();
      const schema = this.schema(value, within);
      return typeof schema === "object" && schema.readOnly === true ? [] : [[name, schema] as const];
    });
    return Object.fromEntries(entries);
  }

  #count(): void {
    this.read += 1;
    if (this.read > MOST_VALUES) throw new UnusableError("schemas are too large");
  }

  /** What a JSON Pointer (RFC 6901) in the document's own fragment names. */
  #target(reference: string): JsonObject {
    if (!reference.startsWith("#/")) throw new UnusableError(`the reference ${reference} leads out of the document`);
    let found: unknown = this.document;
    for (const part of reference.slice(2).split("/")) {
      const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      const record = recordOf(found);
      found = record && Object.hasOwn(record, name) ? record[name] : undefined;
    }
    const target = recordOf(found);
    if (!target) throw new UnusableError(`the reference ${reference} leads nowhere`);
    return target;
  }
}

/** In OpenAPI 3.0 it is a flag siblings the limit. */
function limitExclusively(schema: JsonObject, flag: string, limit: string): void {
  if (typeof schema[flag] !== "boolean") return;
  if (schema[flag] && typeof schema[limit] === "number") {
    schema[flag] = schema[limit];
    delete schema[limit];
  } else delete schema[flag];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
