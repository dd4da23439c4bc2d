type JsonObject = Readonly<Record<string, unknown>>;

/** A field for an argument of a tool. */
export type ToolField = Readonly<{
  name: string;
  kind: "text" | "number" | "switch" | "select";
  /** Of a select. */
  options: readonly string[];
  isRequired: boolean;
  description: string;
}>;

/** What is typed, by argument: digits for numbers, empty for what is left out. */
export type ToolValues = Readonly<Record<string, string | boolean>>;

const MOST_FIELDS = 20;
const KINDS = { string: "text", number: "number", integer: "number", boolean: "switch" } as const;

const objectOf = (value: unknown): JsonObject | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;

const kindOf = (type: unknown): ToolField["kind"] | null =>
  type === "string" || type === "number" || type === "integer" || type === "boolean" ? KINDS[type] : null;

/** The fields for the arguments of a tool; null: its schema has others than texts, numbers, choices and switches. */
export function toolFields(schema: JsonObject): readonly ToolField[] | null {
  const entries = Object.entries(objectOf(schema.properties) ?? {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (entries.length > MOST_FIELDS || required.some((name) => !entries.some(([known]) => known === name))) return null;
  const fields = entries.map(([name, value]): ToolField | null => {
    const { type, enum: values, description } = objectOf(value) ?? {};
    const options = Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
    const kind = options.length > 0 ? "select" : values === undefined ? kindOf(type) : null;
    if (kind === null || (Array.isArray(values) && options.length < values.length)) return null;
    return {
      ...{ name, kind, options, isRequired: required.includes(name) },
      description: typeof description === "string" ? description : "",
    };
  });
  return fields.every((field) => field !== null) ? fields : null;
}

/** What the fields hold before anything is typed. */
export const emptyValues = (fields: readonly ToolField[]): ToolValues =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, kind === "switch" ? false : ""]));

const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));

/** The names of the fields that lack a value, or have one of another kind. */
export const faultyFields = (fields: readonly ToolField[], values: ToolValues): readonly string[] =>
  fields
    .filter(({ name, kind, isRequired }) => {
      const value = values[name];
      if (typeof value !== "string") return false;
      return value === "" ? isRequired && kind !== "text" : kind === "number" && !isNumber(value);
    })
    .map(({ name }) => name);

/** The arguments of a call; what may be left out and is empty is left out. */
export function argumentsOf(fields: readonly ToolField[], values: ToolValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired }) => {
      const value = values[name] ?? "";
      if (kind === "switch") return value === true || isRequired ? [[name, value === true] as const] : [];
      if (value === "" && !isRequired) return [];
      return [[name, kind === "number" ? Number(value) : value] as const];
    }),
  );
}

/** The arguments in JSON text; null: it is no object. */
export function readArguments(text: string): Record<string, unknown> | null {
  try {
    const value = objectOf(JSON.parse(text.trim() === "" ? "{}" : text));
    return value && { ...value };
  } catch {
    return null;
  }
}

const MOST_CHARACTERS = 100_000;

type Block = Readonly<Record<string, unknown>>;

/** A result to read: texts as they are, other content as JSON without its bytes. */
export function resultText(content: readonly object[], structured: object | null): string {
  const blocks = content.map((block): string => {
    const { type, text, data, ...rest }: Block = { ...block };
    if (type === "text" && typeof text === "string") return text;
    const bytes = typeof data === "string" ? { base64_characters: data.length } : {};
    return JSON.stringify({ type, ...rest, ...bytes }, null, 2);
  });
  const all = blocks.length === 0 && structured ? [JSON.stringify(structured, null, 2)] : blocks;
  const text = all.join("\n\n");
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
