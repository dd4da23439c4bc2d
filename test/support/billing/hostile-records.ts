import { type Bound, ListBound, TextBound, VALUE } from "../../../src/billing/bounds/bounds.ts";
import { RECORD_BOUNDS } from "../../../src/billing/bounds/record-bounds.ts";
import type { UsageRecord } from "../../../src/billing/types.ts";

/** A member of a record that holds text: the names on the way to it. A list is entered by its first item. */
export type FieldPath = readonly string[];

/** Every field of a record that may hold text, by the bounds of its type. */
export const TEXT_FIELDS: readonly FieldPath[] = textFieldsOf(RECORD_BOUNDS);

function textFieldsOf(bound: Bound): FieldPath[] {
  if (bound instanceof TextBound || bound === VALUE) return [[]];
  if (typeof bound === "string") return [];
  if (bound instanceof ListBound) return textFieldsOf(bound.each).map((path) => ["0", ...path]);
  return Object.entries(bound).flatMap(([name, member]) => textFieldsOf(member).map((path) => [name, ...path]));
}

/** The record with another value at a place; members on the way that it lacks are made. */
export const withValue = (record: UsageRecord, path: FieldPath, value: unknown): UsageRecord =>
  put(record, path, value) as UsageRecord;

function put(target: unknown, [name, ...rest]: FieldPath, value: unknown): unknown {
  if (name === undefined) return value;
  const members = typeof target === "object" && target !== null ? Object.entries(target) : [];
  const inner = put(members.find(([key]) => key === name)?.[1], rest, value);
  if (Array.isArray(target) || (name === "0" && target === undefined)) return [inner];
  return { ...Object.fromEntries(members), [name]: inner };
}

/** A generator of numbers from 0 to 1 that repeats itself. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const randomText = (random: () => number, length: number, alphabet = ALPHABET): string => {
  const characters = [...alphabet];
  return Array.from({ length }, () => characters[Math.floor(random() * characters.length)]).join("");
};

/** What breaks indexes, encodings, JSON, statements and the journal's own format. */
const HOSTILE: readonly ((random: () => number) => string)[] = [
  (random) => randomText(random, 3000),
  (random) => randomText(random, 4000, "漢字仮名交文東西南北春夏秋冬"),
  (random) => randomText(random, 2500, "🚰💧🌊🐟🦀"),
  (random) => `x${"🚰".repeat(Math.floor(random() * 400))}`,
  () => "a\0b",
  () => "\0",
  () => "\ud800",
  () => "\udc00\ud800",
  (random) => `${randomText(random, 255)}\ud83d\udeb0`,
  () => "\u001f\u001e\u001d\u001c\n\r\t",
  () => "\u0080\u009f\u007f\u0007\u001b[31m",
  () => "\\u0000",
  () => '\\ud800","tags":["',
  () => '{"tags":["a"]}',
  () => '"},"plan_draws":[{"units":-1}]',
  () => "'; drop table logs; --",
  () => "$1 %s {} :name ?",
  () => "true",
  () => "NULL",
  () => "NaN",
  () => "-1e400",
  () => "../../etc/passwd",
  () => "\ufeff\u202e\u2028\u2029\ufffe\uffff",
  () => "=1+1",
  () => "",
  (random) => "[".repeat(500 + Math.floor(random() * 2000)),
  (random) => randomText(random, 300, "\0\n\r\t\u001f\ud800\udc00a"),
];

/** One of the texts above. */
export const hostileText = (random: () => number): string =>
  (HOSTILE[Math.floor(random() * HOSTILE.length)] as (typeof HOSTILE)[number])(random);
