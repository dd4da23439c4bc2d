import { createHash } from "node:crypto";
import { canonicalJson } from "../../../lib/values/json/canonical-json.ts";
import type { KindName } from "./document.ts";
import type { Entry, Kind, SecretPath, Stored } from "./kind.ts";

/** A field that differs; secrets are not shown. */
export type FieldChange = Readonly<{ field: string; before?: unknown; after?: unknown }>;

/** What becomes of a resource. `release`: it stays, and files manage it no more. */
export type PlannedChange = Readonly<{
  section: KindName;
  name: string;
  action: "create" | "update" | "delete" | "release";
  fields: readonly FieldChange[];
}>;

const SECRET = "(secret)";
const NEW_SECRET = "(new secret)";

/** The names of entries with those of namesakes distinguished: `main`, `main #2`. */
export function tellApart<T extends Readonly<{ name: string }>>(entries: readonly T[]): Map<string, T> {
  const counts = new Map<string, number>();
  const named = new Map<string, T>();
  for (const entry of entries) {
    const count = (counts.get(entry.name) ?? 0) + 1;
    counts.set(entry.name, count);
    named.set(count === 1 ? entry.name : `${entry.name} #${count}`, entry);
  }
  return named;
}

/** What a kind's resources were and are, as changes by name. */
export function compare<E>(kind: Kind<E>, before: readonly Stored[], after: readonly Stored[]): PlannedChange[] {
  const [old, present] = [tellApart(before), tellApart(after)];
  const keyOf = (name: string, { id }: Stored) => (id > 0 ? id : name);
  const was = new Map([...old].map(([name, stored]) => [keyOf(name, stored), stored]));
  const is = new Set([...present].map(([name, stored]) => keyOf(name, stored)));
  const changed = [...present].flatMap(([name, stored]): PlannedChange[] => {
    const earlier = was.get(keyOf(name, stored));
    // What a new site has by itself is changed, never made.
    const isNew = earlier === undefined;
    const fields = differences(kind, stored.name, earlier?.entry ?? {}, stored.entry, isNew ? kind.defaults : {});
    if (fields.length === 0 && !isNew) return [];
    return [{ section: kind.section, name, action: isNew ? "create" : "update", fields }];
  });
  const removed = [...old].filter(([name, stored]) => !is.has(keyOf(name, stored)));
  return [
    ...changed,
    ...removed.map(([name]): PlannedChange => ({ section: kind.section, name, action: "delete", fields: [] })),
  ];
}

function differences<E>(kind: Kind<E>, name: string, before: Entry, after: Entry, defaults: Entry): FieldChange[] {
  const secrets = [...kind.secretsOf(before, name), ...kind.secretsOf(after, name)];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field): FieldChange[] => {
    const [was, is] = [before[field], after[field]];
    if (isSame(was, is) || (was === undefined && isSame(is, defaults[field]))) return [];
    const own = secrets.filter(([first]) => first === field);
    const isNewSecret = own.some((path) => !isSame(valueAt(before, path), valueAt(after, path)));
    const [shownBefore, shownAfter] = [
      hide(before, own, SECRET)[field],
      hide(after, own, isNewSecret ? NEW_SECRET : SECRET)[field],
    ];
    return [
      {
        field,
        ...(shownBefore !== undefined && { before: shownBefore }),
        ...(shownAfter !== undefined && { after: shownAfter }),
      },
    ];
  });
}

/** Whether two values are the same JSON, in whichever order objects have their members. */
export const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** The value at a path. */
export function valueAt(entry: Entry, path: SecretPath): unknown {
  let value: unknown = entry;
  for (const name of path) value = isRecord(value) ? value[name] : undefined;
  return value;
}

/** The entry with other values at these paths, where it has any. */
export function replaceAt(entry: Entry, paths: readonly SecretPath[], replace: (path: SecretPath) => unknown): Entry {
  return paths.reduce((shown, path) => {
    const value = valueAt(shown, path);
    return value === undefined || value === "" ? shown : withValue(shown, path, replace(path));
  }, entry);
}

const hide = (entry: Entry, paths: readonly SecretPath[], text: string): Entry => replaceAt(entry, paths, () => text);

function withValue(entry: Entry, [first = "", ...rest]: SecretPath, value: unknown): Entry {
  const inner = entry[first];
  return { ...entry, [first]: rest.length > 0 && isRecord(inner) ? withValue(inner, rest, value) : value };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names a plan: another one has another digest. */
export const digestOf = (changes: readonly PlannedChange[]): string =>
  createHash("sha256").update(JSON.stringify(changes)).digest("hex");
