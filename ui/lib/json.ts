/** Whether a value is an object, so that its members can be read. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Parses JSON text of an object; null if it is something else. */
export function readRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The object's values by name, if all are of one type; null if one is not, or it is no object. */
export function mapOf<Value>(object: unknown, isValue: (value: unknown) => value is Value) {
  if (!isRecord(object) || Array.isArray(object)) return null;
  const map: Record<string, Value> = {};
  for (const [name, value] of Object.entries(object)) {
    if (!isValue(value)) return null;
    map[name] = value;
  }
  return map;
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number => typeof value === "number";
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

type Check<Value> = (value: unknown) => value is Value;
/** A check for each member of an object. */
export type Checks<Shape> = { readonly [Name in keyof Shape]-?: Check<Shape[Name]> };

/** A check that accepts lists whose items all pass. */
export const isListOf =
  <Item>(isItem: Check<Item>): Check<Item[]> =>
  (value): value is Item[] =>
    Array.isArray(value) && value.every(isItem);

/** A check that accepts one of these texts. */
export const isOneOf =
  <Text extends string>(texts: readonly Text[]): Check<Text> =>
  (value): value is Text =>
    texts.some((text) => text === value);

/** A check that also accepts a member that is missing. */
export const isOptional =
  <Value>(isValue: Check<Value>): Check<Value | undefined> =>
  (value): value is Value | undefined =>
    value === undefined || isValue(value);

/** A check that also accepts null. */
export const isNullable =
  <Value>(isValue: Check<Value>): Check<Value | null> =>
  (value): value is Value | null =>
    value === null || isValue(value);

/** A check that accepts objects whose members all pass theirs. */
export const isShape =
  <Shape extends object>(checks: Checks<Shape>): Check<Shape> =>
  (value): value is Shape =>
    isRecord(value) && namesOf(checks).every((name) => checks[name](value[name]));

/** The members of an object that pass their checks; the others are left out. */
export function readMembers<Shape extends object>(value: unknown, checks: Checks<Shape>): Partial<Shape> {
  const members: Partial<Shape> = {};
  if (!isRecord(value)) return members;
  for (const name of namesOf(checks)) {
    const member = value[name];
    if (member !== undefined && checks[name](member)) members[name] = member;
  }
  return members;
}

/** The names of an object's members, as its type has them. */
export const namesOf = <Shape extends object>(object: Shape) => Object.keys(object) as (keyof Shape & string)[];
