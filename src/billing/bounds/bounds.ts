import type { Sentence } from "../../lib/messages.ts";

/**
 * A text may have so many UTF-16 units; what is longer is cut and ends with "…". Control characters and halves of surrogate
 * pairs, which Postgres or its JSON refuse, are taken out; line breaks stay only in `prose`.
 */
export class TextBound {
  constructor(
    readonly most: number,
    readonly isProse: boolean,
  ) {}
}

/** A list may have so many items; the first ones stay. */
export class ListBound<Each> {
  constructor(
    readonly most: number,
    readonly each: Each,
  ) {}
}

/** A name or an id: one line. */
export const line = (most: number): TextBound => new TextBound(most, false);
/** A text with line breaks. */
export const prose = (most: number): TextBound => new TextBound(most, true);
export const list = <Each>(most: number, each: Each): ListBound<Each> => new ListBound(most, each);
/** One of a few words that the gateway itself has. */
export const WORD = "word";
export const NUMBER = "number";
/** A whole number from 0 to what a column of 32 bits holds. */
export const COUNT = "count";
/** What is charged: whole quota units from 0 to 10^15. */
export const CHARGE = "charge";
export const FLAG = "flag";
/** A message of the gateway's own with its parameters, or anything else whose members have no bounds of their own. */
export const VALUE = "value";

/** The bounds of a type: one for each of its members, so that a member without one does not compile. */
export type BoundOf<T> = [T] extends [string]
  ? string extends T
    ? TextBound
    : typeof WORD
  : [T] extends [number]
    ? typeof NUMBER | typeof COUNT | typeof CHARGE
    : [T] extends [boolean]
      ? typeof FLAG
      : [T] extends [Sentence]
        ? typeof VALUE
        : [T] extends [readonly (infer Item)[]]
          ? ListBound<BoundOf<Item>>
          : { readonly [Name in keyof T]-?: BoundOf<NonNullable<T[Name]>> };

/** Any bound, whatever it is of. */
export type Bound =
  | TextBound
  | ListBound<Bound>
  | typeof WORD
  | typeof NUMBER
  | typeof COUNT
  | typeof CHARGE
  | typeof FLAG
  | typeof VALUE
  | Readonly<{ [name: string]: Bound }>;

/** Sums of numbers this large stay exact where they are added up. */
const MOST_NUMBER = 1_000_000_000_000_000;
const MOST_INT32 = 2_147_483_647;
/** What a value without bounds of its own may have. */
const VALUE_TEXT = prose(2000);
const VALUE_NAME = line(200);
const VALUE_MEMBERS = 100;
const VALUE_DEPTH = 8;

/** Brings a value within its bound; returns the same object where nothing had to change. */
export type Bounded = (value: unknown) => unknown;

/**
 * The function that brings values within a bound. What is of another type becomes text where text is expected, and is else bounded
 * as a value. Records are bounded once for each call, so the tables are read only here.
 */
export function compileBound(bound: Bound): Bounded {
  if (bound instanceof TextBound) {
    return (value) => {
      if (typeof value === "string")
        return value.length <= bound.most && !ODD.test(value) ? value : boundText(value, bound);
      return value === undefined || value === null ? value : boundText(textOf(value), bound);
    };
  }
  if (bound instanceof ListBound) return compileList(bound);
  if (bound === COUNT) return boundCount;
  if (bound === CHARGE) return boundCharge;
  return typeof bound === "string" ? boundSimple : compileMembers(bound);
}

const boundCount = (value: unknown): number => {
  const count = Number(value);
  return count > 0 ? Math.min(Math.round(count), MOST_INT32) : 0;
};

/** A charge as somebody computed it → whole quota units from 0 to 10^15: far above any balance; nonsense is 0. */
export const boundCharge = (value: unknown): number => {
  const charge = Number(value);
  return charge > 0 ? Math.min(Math.ceil(charge), MOST_NUMBER) : 0;
};

/** Numbers, flags, the gateway's own words, and values. */
function boundSimple(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= VALUE_TEXT.most && !ODD.test(value) ? value : boundText(value, VALUE_TEXT);
  }
  if (typeof value === "number") return Math.abs(value) <= MOST_NUMBER ? value : boundNumber(value);
  return typeof value === "boolean" || value === undefined || value === null ? value : boundValue(value, 0);
}

const textOf = (value: unknown): string => JSON.stringify(boundValue(value, 0));

/** Control characters and units of surrogate pairs, which may be halves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\0-\x1f\x7f-\x9f\ud800-\udfff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same but line breaks and tabs
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const BREAKS = /[\t\n\r]+/g;
const CUT = "…";

/** The text within its bound. */
export function boundText(text: string, { most, isProse }: TextBound): string {
  const short = text.length > most ? text.slice(0, most - CUT.length) : text;
  const end = short === text ? "" : CUT;
  if (!ODD.test(short)) return short + end;
  // A pair that the cut has halved.
  const uncut = end !== "" && isHighHalf(short.charCodeAt(short.length - 1)) ? short.slice(0, -1) : short;
  const clean = uncut.toWellFormed().replace(CONTROL, "");
  return (isProse ? clean : clean.replace(BREAKS, " ")) + end;
}

const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

const boundNumber = (value: number): number =>
  Number.isNaN(value) ? 0 : Math.max(-MOST_NUMBER, Math.min(value, MOST_NUMBER));

function compileList({ most, each }: ListBound<Bound>): Bounded {
  const bounded = compileBound(each);
  return (value) => {
    if (!Array.isArray(value)) return boundSimple(value);
    let changed: unknown[] | null = value.length > most ? value.slice(0, most) : null;
    for (let at = 0; at < value.length && at < most; at += 1) {
      const item: unknown = bounded(value[at]);
      if (item === value[at]) continue;
      changed ??= [...value];
      changed[at] = item;
    }
    return changed ?? value;
  };
}

/** Members that the bounds don't know, as those of another release, are bounded as values, and so are their names. */
function compileMembers(bounds: Readonly<{ [name: string]: Bound }>): Bounded {
  const compiled = Object.entries(bounds).map(([name, bound]) => [name, compileBound(bound)] as const);
  // Names are the record's own: an object without a prototype finds them faster than a map.
  const members: Readonly<Record<string, Bounded | undefined>> = Object.assign(
    Object.create(null),
    Object.fromEntries(compiled),
  );
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return boundSimple(value);
    let changed: Record<string, unknown> | null = null;
    const record = value as Readonly<Record<string, unknown>>;
    for (const name in record) {
      const member = record[name];
      const known = members[name];
      const boundName = known ? name : boundText(name, VALUE_NAME);
      const bounded = (known ?? boundSimple)(member);
      if (bounded === member && boundName === name) continue;
      changed ??= { ...record };
      if (boundName !== name) delete changed[name];
      changed[boundName] = bounded;
    }
    return changed ?? value;
  };
}

/** The value with all texts bounded, down to a depth. Always the same object where nothing had to change. */
function boundValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return boundText(value, VALUE_TEXT);
  if (typeof value === "number") return boundNumber(value);
  if (typeof value !== "object" || value === null) return typeof value === "boolean" ? value : null;
  if (depth === VALUE_DEPTH) return null;
  if (Array.isArray(value)) {
    const bounded = value.slice(0, VALUE_MEMBERS).map((item: unknown) => boundValue(item, depth + 1));
    return bounded.length === value.length && bounded.every((item, at) => item === value[at]) ? value : bounded;
  }
  const entries = Object.entries(value);
  const bounded = entries
    .slice(0, VALUE_MEMBERS)
    .map(([name, item]) => [boundText(name, VALUE_NAME), boundValue(item, depth + 1)] as const);
  const isSame =
    bounded.length === entries.length &&
    bounded.every(([name, item], at) => name === entries[at]?.[0] && item === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(bounded);
}
