import { parseLongText } from "../lib/values/json/parse-long.ts";

export type JsonObject = Record<string, unknown>;

/** The value as an object; null when it is none. */
export const recordOf = (value: unknown): JsonObject | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;

/** A count: a whole number of at least 0; null for everything else. An explicit 0 is a count. */
export const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : null;

/** The value as text; null when it is none. */
export const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Objects and lists inside of each other; no API comes near it, and what walks through values can go as deep. */
export const MOST_DEPTH = 512;

/** Texts from this length on are looked through for long strings. */
const LONG_TEXT = 262_144;

/** Parses JSON text; undefined when it is not valid, or nested deeper than MOST_DEPTH. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = text.length > LONG_TEXT ? parseLongText(text) : JSON.parse(text);
    // A level takes two characters at least.
    return text.length > 2 * MOST_DEPTH && isDeeperThan(value, MOST_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether objects and lists are nested deeper than `levels`. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  const members = value as JsonObject;
  for (const name in members) if (isDeeperThan(members[name], levels - 1)) return true;
  return false;
}

/** A finite number; null for everything else. */
export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** The objects of a list; none when it is no list. */
export function recordsOf(value: unknown): JsonObject[] {
  const records: JsonObject[] = [];
  if (!Array.isArray(value)) return records;
  for (const item of value) {
    const record = recordOf(item);
    if (record) records.push(record);
  }
  return records;
}

/** The texts of a list; none when it is no list. */
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** The object as a list of one; an empty list for null. */
export const listOf = (value: JsonObject | null): JsonObject[] => (value ? [value] : []);

/** The object without members that are null or undefined. */
export const compact = (body: JsonObject): JsonObject => {
  const result: JsonObject = {};
  for (const name in body) if (body[name] != null) result[name] = body[name];
  return result;
};
