import { type JsonObject, recordOf } from "../json.ts";

/** Inclusive limits of a number that affects a call's price or the gateway's load. */
export type NumberLimit = Readonly<{
  /** The path of the member: `n`, `thinking.budget_tokens`, `tools[].max_uses`. */
  path: string;
  min: number;
  max: number;
  isInteger: boolean;
  /** Values that are allowed in addition: "auto", or -1 for "none". */
  orElse: readonly unknown[];
  /** The error code. */
  code: string;
  steps: readonly Step[];
}>;

type Step = Readonly<{ name: string; snakeCase: string; isList: boolean }>;

const limit = (
  path: string,
  min: number,
  max: number,
  isInteger: boolean,
  orElse: readonly unknown[],
): NumberLimit => ({
  ...{ path, min, max, isInteger, orElse, code: "invalid_request" },
  steps: path.split(".").map((step) => {
    const name = step.replace("[]", "");
    return { name, snakeCase: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), isList: name !== step };
  }),
});

export const integer = (path: string, min: number, max: number, ...orElse: readonly unknown[]): NumberLimit =>
  limit(path, min, max, true, orElse);

export const anyNumber = (path: string, min: number, max: number): NumberLimit => limit(path, min, max, false, []);

/**
 * The first limit that a request violates; null if none. A missing or null member is within every limit. In forms,
 * numbers are decimal text.
 */
export function findBrokenLimit(body: JsonObject, limits: readonly NumberLimit[], isForm = false): NumberLimit | null {
  for (const one of limits) {
    const [first] = one.steps;
    // Most requests have few of the members.
    if (first && !Object.hasOwn(body, first.name) && !Object.hasOwn(body, first.snakeCase)) continue;
    if (!isWithinLimit(body, one, 0, isForm)) return one;
  }
  return null;
}

function isWithinLimit(value: unknown, bounds: NumberLimit, at: number, isForm: boolean): boolean {
  const step = bounds.steps[at];
  if (!step) return isWithin(value, bounds, isForm);
  const record = recordOf(value);
  if (!record) return true;
  const inner = Object.hasOwn(record, step.name) ? record[step.name] : record[step.snakeCase];
  if (!step.isList) return isWithinLimit(inner, bounds, at + 1, isForm);
  return !Array.isArray(inner) || inner.every((item) => isWithinLimit(item, bounds, at + 1, isForm));
}

const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

function isWithin(value: unknown, { min, max, isInteger, orElse }: NumberLimit, isForm: boolean): boolean {
  if (value == null || orElse.includes(value)) return true;
  const number = isForm && typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === "number" && number >= min && number <= max && (!isInteger || Number.isInteger(number));
}

/** The largest output limit in tokens that the ledger's arithmetic supports. */
export const MAX_OUTPUT_TOKENS = 1_073_741_823;
/** The largest number of choices per call. */
export const MAX_CHOICES = 128;
/** A reasoning budget; -1 lets the model decide. */
export const thinkingTokens = (path: string): NumberLimit => integer(path, -1, MAX_OUTPUT_TOKENS);
/** -1 means "no limit" to llama.cpp and LM Studio, whose clients send it to every server. */
export const outputTokens = (path: string): NumberLimit => ({
  ...integer(path, 0, MAX_OUTPUT_TOKENS, -1),
  code: "invalid_max_tokens",
});
