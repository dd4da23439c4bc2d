/** Readers of JSON documents that people write: each checks a value and names the first field that is wrong. */

/** A field has a value that it can't have; `field` is its path. */
export class FieldError extends Error {
  override name = "FieldError";
  constructor(
    readonly field: string,
    /** What the field may hold. */
    readonly expected: string,
  ) {
    super(`${field} must be ${expected}`);
  }
}

/** Returns the checked value. Throws FieldError. */
export type FieldReader<T> = (value: unknown, field: string) => T;

const MAX_LIST_ENTRIES = 50;
const MAX_TEXT_LENGTH = 500;

export const text: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT_LENGTH) return value;
  throw new FieldError(field, `a text of 1 to ${MAX_TEXT_LENGTH} characters`);
};

/** A text that may be empty. */
export const optionalText: FieldReader<string> = (value, field) => (value === "" ? "" : text(value, field));

const MAX_ADDRESS_LENGTH = 2000;

/** A URL of a web server, without a user in it. */
export const httpAddress: FieldReader<string> = (value, field) => {
  const url = typeof value === "string" && value.length <= MAX_ADDRESS_LENGTH ? URL.parse(value) : null;
  if (url && (url.protocol === "https:" || url.protocol === "http:") && url.username === "") return url.href;
  throw new FieldError(field, "an address that begins with https:// or http://");
};

export const flag: FieldReader<boolean> = (value, field) => {
  if (typeof value === "boolean") return value;
  throw new FieldError(field, "true or false");
};

export const integerFrom =
  (min: number, max: number): FieldReader<number> =>
  (value, field) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new FieldError(field, `a whole number from ${min} to ${max}`);
  };

export const oneOf =
  <T extends string>(choices: readonly T[]): FieldReader<T> =>
  (value, field) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new FieldError(field, `one of ${choices.join(", ")}`);
  };

export const listOf =
  <T>(read: FieldReader<T>): FieldReader<readonly T[]> =>
  (value, field) => {
    if (Array.isArray(value) && value.length <= MAX_LIST_ENTRIES)
      return value.map((entry, index) => read(entry, `${field}.${index}`));
    throw new FieldError(field, `a list of at most ${MAX_LIST_ENTRIES} entries`);
  };

export const mapOf =
  <T>(read: FieldReader<T>): FieldReader<Readonly<Record<string, T>>> =>
  (value, field) =>
    Object.fromEntries(
      Object.entries(objectAt(value, field)).map(([name, entry]) => [name, read(entry, `${field}.${name}`)]),
    );

type Readers = Readonly<Record<string, FieldReader<unknown>>>;
export type Fields<R extends Readers> = Readonly<{ [K in keyof R]?: ReturnType<R[K]> }>;

/** An object of these fields and no others; absent fields stay absent. */
export const fieldsOf =
  <R extends Readers>(readers: R): FieldReader<Fields<R>> =>
  (value, field) => {
    const entries = Object.entries(objectAt(value, field)).map(([name, entry]) => {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      const path = field === "" ? name : `${field}.${name}`;
      if (!read) throw new FieldError(path, `one of the known fields: ${Object.keys(readers).join(", ")}`);
      return [name, read(entry, path)] as const;
    });
    // Each entry was read by the reader of its own name.
    return Object.fromEntries(entries) as Fields<R>;
  };

/** The value as an object. Throws FieldError, which names the field. */
export function objectAt(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new FieldError(field || "entry", "an object");
}
