import { FieldError } from "../../lib/field-readers.ts";
import type { Sentence } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { messageOf } from "../../lib/runtime/error-message.ts";
import { type Decimal, decimal, isNegative } from "../../lib/values/decimal.ts";
import { type Option, option, type Traits } from "./option.ts";

/** Reads one JSON value of an option; answers undefined when it has the wrong shape. */
export type Shape<T> = Readonly<{
  /** What it must be: an example, or a sentence. */
  name: string | Sentence;
  read(value: unknown): T | undefined;
}>;

/** An option whose text is JSON; what is stored is what the operator wrote. */
export const json = <T>(initial: unknown, shape: Shape<T>, traits: Traits = {}): Option<T> =>
  option(JSON.stringify(initial, null, 2), traits, (raw, key) => {
    const value = shape.read(parse(raw, key));
    if (value === undefined) throw new OperationError("option_json_shape", { key, shape: shape.name });
    return value;
  });

/** A JSON object whose values all have one shape; the message names the entry that has not. */
export const jsonMap = <T>(
  initial: Readonly<Record<string, unknown>>,
  shape: Shape<T>,
  traits: Traits = {},
): Option<ReadonlyMap<string, T>> =>
  option(JSON.stringify(initial, null, 2), traits, (raw, key) => {
    const parsed = parse(raw, key);
    if (!isObject(parsed)) throw new OperationError("option_json_shape", { key, shape: "{…}" });
    const map = new Map<string, T>();
    for (const [entry, value] of Object.entries(parsed)) {
      const read = shape.read(value);
      if (read === undefined) throw new OperationError("option_json_entry", { key, entry, shape: shape.name });
      map.set(entry, read);
    }
    return map;
  });

/** Characters of a document's text: some thousand models. */
const MAX_DOCUMENT_LENGTH = 4_000_000;

/** A JSON object, empty by default, whose reader names the field that is wrong (FieldError). */
export const jsonDocument = <T>(traits: Traits, read: (value: unknown, key: string) => T): Option<T> => ({
  initial: "{}",
  traits,
  read(text, key) {
    if (text.length > MAX_DOCUMENT_LENGTH)
      throw new OperationError("option_too_long", { key, max: MAX_DOCUMENT_LENGTH });
    const value = parse(text, key);
    try {
      return { value: read(value, key), text };
    } catch (error) {
      throw error instanceof FieldError ? fieldRefusal(error) : error;
    }
  },
});

/** What an operation says of a field that is wrong. */
const fieldRefusal = ({ field, expected }: FieldError): OperationError =>
  new OperationError("field_invalid", { field, expected });

function parse(raw: string, key: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    throw new OperationError("option_json", { key, detail: messageOf(error) });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const ratioShape: Shape<Decimal> = {
  name: { code: "shape_number" },
  read(value) {
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    const ratio = decimal(value);
    return isNegative(ratio) ? undefined : ratio;
  },
};

/** Names, each with a ratio. */
export const ratiosShape: Shape<ReadonlyMap<string, Decimal>> = {
  name: '{"…": 0.8}',
  read(value) {
    if (!isObject(value)) return undefined;
    const ratios = Object.entries(value).map(([name, entry]) => [name, ratioShape.read(entry)] as const);
    return ratios.every(([, ratio]) => ratio !== undefined) ? new Map(ratios as [string, Decimal][]) : undefined;
  },
};

/** Country (two letters) → percent, as thousandths of a percent. */
export const taxRatesShape: Shape<ReadonlyMap<string, number>> = {
  name: '{"DE": 19, "CH": 8.1}',
  read(value) {
    if (!isObject(value)) return undefined;
    const rates = new Map<string, number>();
    for (const [country, rate] of Object.entries(value)) {
      const thousandths = typeof rate === "number" ? Math.round(rate * 1000) : Number.NaN;
      const isExact = Math.abs(thousandths / 1000 - Number(rate)) < 1e-9;
      if (!/^[A-Z]{2}$/.test(country) || !isExact || thousandths < 0 || thousandths > 100_000) return undefined;
      rates.set(country, thousandths);
    }
    return rates;
  },
};

export const textShape: Shape<string> = {
  name: { code: "shape_text" },
  read: (value) => (typeof value === "string" ? value : undefined),
};

export const positiveIntegerShape: Shape<number> = {
  name: { code: "shape_count" },
  read: (value) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined),
};

export const textsShape: Shape<readonly string[]> = {
  name: '["…", "…"]',
  read: (value) => (Array.isArray(value) && value.every((entry) => typeof entry === "string") ? value : undefined),
};

const MAX_MODEL_NAMES = 8;

/** A list of models, each once. */
export const modelNamesShape: Shape<readonly string[]> = {
  name: { code: "shape_models", params: { count: MAX_MODEL_NAMES } },
  read(value) {
    const names = textsShape.read(value);
    const isValid = names && names.length > 0 && names.length <= MAX_MODEL_NAMES && !names.includes("");
    return isValid && new Set(names).size === names.length ? names : undefined;
  },
};

/** Headers by their names in lower case, as they are sent: of several values or of one that stands alone. */
export const headersShape: Shape<Readonly<Record<string, string>>> = {
  name: '{"header": ["value"]}',
  read(value) {
    if (!isObject(value)) return undefined;
    const headers: [name: string, value: string][] = [];
    for (const [name, headerValue] of Object.entries(value)) {
      const values = textsShape.read(typeof headerValue === "string" ? [headerValue] : headerValue);
      if (!values || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return undefined;
      headers.push([name.toLowerCase(), values.join(", ")]);
    }
    return Object.fromEntries(headers);
  },
};

/** Chat presets: `[{"name": "link with {key} and {address}"}]`. */
export const chatLinksShape: Shape<readonly Readonly<Record<string, string>>[]> = {
  name: '[{"name": "link"}]',
  read(value) {
    if (!Array.isArray(value)) return undefined;
    const links: Record<string, string>[] = [];
    for (const entry of value) {
      if (!isObject(entry)) return undefined;
      const [pair, ...others] = Object.entries(entry);
      if (!pair || others.length > 0 || typeof pair[1] !== "string") return undefined;
      links.push({ [pair[0]]: pair[1] });
    }
    return links;
  },
};
