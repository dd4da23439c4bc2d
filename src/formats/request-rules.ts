import { endOfString, findRepeatedMember } from "../lib/values/json/json-text.ts";
import { type JsonObject, recordOf } from "./json.ts";

/**
 * The members, at any depth, by which the gateway admits, prices, filters, limits or translates a client format's
 * requests. Providers parse the same bytes with other parsers: some ignore case, some take the first of two equal
 * names, some the last. So the gateway rejects a name that merely resembles one of these, and any duplicate name in an
 * object.
 */
export type RequestMembers = Readonly<{
  /** Whether the member's value is user data (JSON Schemas, arguments) that may contain any names. */
  isFreeByName: ReadonlyMap<string, boolean>;
  nameByFolded: ReadonlyMap<string, string>;
  /** Whether names may be in camelCase or snake_case, as in Google's formats. */
  hasTwoSpellings: boolean;
}>;

/** An ambiguous member; `likeName` is null if its object has the name twice. */
export type UnclearMember = Readonly<{ path: string; likeName: string | null }>;

/**
 * Builds the members of a format from names separated by spaces. `free`: those whose values contain user-defined names.
 */
export function requestMembers(
  names: string,
  { free = "", hasTwoSpellings = false }: Readonly<{ free?: string; hasTwoSpellings?: boolean }> = {},
): RequestMembers {
  const isFreeByName = new Map<string, boolean>();
  const nameByFolded = new Map<string, string>();
  const add = (list: string, isFree: boolean) => {
    for (const name of list.split(/\s+/).filter(Boolean)) {
      isFreeByName.set(name, isFree);
      if (hasTwoSpellings) isFreeByName.set(snakeCaseOf(name), isFree);
      nameByFolded.set(fold(name, hasTwoSpellings), name);
    }
  };
  add(names, false);
  add(free, true);
  return { isFreeByName, nameByFolded, hasTwoSpellings };
}

/**
 * The first member of a request that another parser may read differently; null if there is none. `body` is the parsed
 * `text`.
 */
export function findUnclearMember(text: string, body: JsonObject, members: RequestMembers): UnclearMember | null {
  const { isFreeByName, hasTwoSpellings } = members;
  const checked: object[] = [body];
  const free: object[] = [];
  let count = 0;
  for (let node = checked.pop(); node !== undefined; node = checked.pop()) {
    if (Array.isArray(node)) {
      for (const item of node) if (typeof item === "object" && item !== null) checked.push(item);
      continue;
    }
    for (const name in node) {
      const value: unknown = (node as JsonObject)[name];
      count += 1;
      const isFree = isFreeByName.get(name);
      if (isFree === undefined) {
        const likeName = findLikeName(name, members);
        if (likeName !== null) return { path: name, likeName };
      } else if (hasTwoSpellings && name.includes("_") && Object.hasOwn(node, camelCaseOf(name))) {
        return { path: name, likeName: camelCaseOf(name) };
      }
      if (typeof value === "object" && value !== null) (isFree === false ? checked : free).push(value);
    }
  }
  if (free.length > 0) count += countOwnMembers(free);
  if (count === countMembers(text)) return null;
  const path = findRepeatedMember(text);
  return path === null ? null : { path, likeName: null };
}

const BACKSLASH = 92;
const COLON = 58;

/**
 * Number of members of all objects in a JSON text, however deep, repeated ones included. The parsed value has fewer when a name
 * is repeated in an object.
 */
export function countMembers(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const close = text.indexOf('"', at + 1);
    at = text.charCodeAt(close - 1) === BACKSLASH ? endOfString(text, at) : close + 1;
    while (text.charCodeAt(at) <= 32) at += 1;
    if (text.charCodeAt(at) === COLON) count += 1;
  }
  return count;
}

/**
 * The listed member that a name resembles without being equal: by case, or by compatible or ignorable characters; null
 * if none.
 */
export function findLikeName(
  name: string,
  { isFreeByName, nameByFolded, hasTwoSpellings }: RequestMembers,
): string | null {
  if (isFreeByName.has(name)) return null;
  return nameByFolded.get(fold(name, hasTwoSpellings)) ?? null;
}

const ASCII = /^[\x20-\x7e]*$/;
const IGNORED = /[\p{M}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The name in the form that lenient parsers compare. Beyond Unicode's compatibility case folding (UAX #15,
 * NFKC_Casefold) it removes accents and maps the dotless ı via upper case, which Java treats as an i.
 */
function fold(name: string, hasTwoSpellings: boolean): string {
  const folded = ASCII.test(name)
    ? name.toLowerCase()
    : name.normalize("NFKD").replace(IGNORED, "").toUpperCase().toLowerCase();
  return hasTwoSpellings ? folded.replaceAll("_", "") : folded;
}

const snakeCaseOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCaseOf = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Counts the members of all objects in these values, at any depth; empties the list. */
function countOwnMembers(open: object[]): number {
  let count = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (const item of node) if (typeof item === "object" && item !== null) open.push(item);
      continue;
    }
    for (const name in node) {
      count += 1;
      const value: unknown = (node as JsonObject)[name];
      if (typeof value === "object" && value !== null) open.push(value);
    }
  }
  return count;
}

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

/** A limit of whole numbers, both bounds included; `orElse`: other values that are allowed. */
export const integer = (path: string, min: number, max: number, ...orElse: readonly unknown[]): NumberLimit =>
  limit(path, min, max, true, orElse);

/** A limit of numbers, both bounds included. */
export const anyNumber = (path: string, min: number, max: number): NumberLimit => limit(path, min, max, false, []);

/**
 * The first limit that a request violates; null if none. A missing or null member is within every limit. In forms,
 * numbers are decimal text.
 */
export function findBrokenLimit(body: JsonObject, limits: readonly NumberLimit[], isForm = false): NumberLimit | null {
  for (const one of limits) {
    const [first] = one.steps;
    // Most requests have few of the members.
    if (first && !Object.hasOwn(body, first.name)) {
      if (first.snakeCase === first.name || !Object.hasOwn(body, first.snakeCase)) continue;
    }
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

/** What a client format's requests must satisfy before the gateway reads them. */
export type RequestRules = Readonly<{
  members: RequestMembers;
  numbers: readonly NumberLimit[];
  /** Top-level members that are true, false or null: lenient parsers read "true" and 1 as true. */
  switches: readonly string[];
}>;

/** Rules for bodies of other servers: only duplicate names are rejected. */
export const noRules: RequestRules = { members: requestMembers(""), numbers: [], switches: [] };
