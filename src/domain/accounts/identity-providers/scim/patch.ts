import { type Filter, matches, parseFilter } from "./filter.ts";
import { type Attributes, isAttributes, keyOf, ScimError, withoutSchema } from "./protocol.ts";

/** One operation of a PATCH (RFC 7644, 3.5.2). */
export type PatchOperation = Readonly<{ op: string; path?: string | undefined; value?: unknown }>;

type Target = Readonly<{ attribute: string; filter: Filter | null; part: string | null }>;

/** The resource after all operations; the input is not changed. Throws ScimError. */
export function applyPatch(resource: Attributes, operations: readonly PatchOperation[]): Attributes {
  let changed = resource;
  for (const { op, path, value } of operations) {
    const name = op.toLowerCase();
    if (!["add", "replace", "remove"].includes(name))
      throw new ScimError(400, `unknown operation ${op.slice(0, 20)}`, "invalidSyntax");
    if (path === undefined || path === "") {
      if (name === "remove") throw new ScimError(400, "remove needs a path", "noTarget");
      if (!isAttributes(value))
        throw new ScimError(400, "the value must be an object where there is no path", "invalidValue");
      // Some providers send paths as names: `name.familyName`, `emails[type eq "work"].value`.
      for (const [key, part] of Object.entries(value)) changed = applyAt(changed, name, targetOf(key), part);
    } else changed = applyAt(changed, name, targetOf(path), value);
  }
  return changed;
}

function targetOf(path: string): Target {
  const [, attribute, filter, part] = /^([^.[\]\s]+)(?:\[(.+)\])?(?:\.([\w$-]+))?$/.exec(withoutSchema(path)) ?? [];
  // The rest of an extension's path begins with a colon, and its attributes are not stored.
  if (path.toLowerCase().startsWith("urn:") && withoutSchema(path) === path)
    return { attribute: path, filter: null, part: null };
  if (attribute === undefined) throw new ScimError(400, `${path.slice(0, 80)} is no path`, "invalidPath");
  return { attribute, filter: filter === undefined ? null : parseFilter(filter), part: part ?? null };
}

function applyAt(resource: Attributes, op: string, { attribute, filter, part }: Target, value: unknown): Attributes {
  const key = keyOf(resource, attribute) ?? attribute;
  const before = resource[key];
  if (filter) return withValue(resource, key, changeSome(before, op, { filter, part }, value));
  if (part !== null) {
    const object = isAttributes(before) ? before : {};
    return withValue(resource, key, changePart(object, op, part, value));
  }
  if (op === "remove") return withValue(resource, key, removeValues(before, value));
  if (op === "add" && Array.isArray(before)) return withValue(resource, key, addValues(before, value));
  if (op === "add" && isAttributes(before) && isAttributes(value))
    return withValue(resource, key, { ...before, ...value });
  return withValue(resource, key, value);
}

/** Changes the elements of a list that fit; a value for none of them becomes a new element where the filter says which. */
function changeSome(
  before: unknown,
  op: string,
  { filter, part }: Readonly<{ filter: Filter; part: string | null }>,
  value: unknown,
): unknown {
  const list = Array.isArray(before) ? before : [];
  const fits = list.map((element) => matches(filter, element));
  if (!fits.includes(true)) {
    if (op === "remove") return before;
    const isNamed = filter.kind === "compare" && filter.operator === "eq" && filter.path.length === 1;
    if (!isNamed) throw new ScimError(400, "nothing fits the path's filter", "noTarget");
    const element = { [String(filter.path[0])]: filter.value };
    return [
      ...list,
      part === null ? { ...element, ...(isAttributes(value) ? value : {}) } : { ...element, [part]: value },
    ];
  }
  if (op === "remove" && part === null) return list.filter((_, index) => !fits[index]);
  return list.map((element, index) => {
    if (!fits[index]) return element;
    const object = isAttributes(element) ? element : {};
    if (part !== null) return changePart(object, op, part, value);
    return isAttributes(value) ? { ...object, ...value } : value;
  });
}

const changePart = (object: Attributes, op: string, part: string, value: unknown): Attributes =>
  withValue(object, keyOf(object, part) ?? part, op === "remove" ? undefined : value);

/** Adds elements to a list, those apart that it has already. */
function addValues(list: readonly unknown[], value: unknown): unknown[] {
  const added = Array.isArray(value) ? value : [value];
  return [...list, ...added.filter((element) => !list.some((present) => isSame(present, element)))];
}

/** Removes an attribute, or of a list the elements that are named. */
function removeValues(before: unknown, value: unknown): unknown {
  if (value === undefined || !Array.isArray(before)) return undefined;
  const removed = Array.isArray(value) ? value : [value];
  return before.filter((element) => !removed.some((other) => isSame(element, other)));
}

const isSame = (one: unknown, other: unknown): boolean =>
  isAttributes(one) && isAttributes(other) && one.value !== undefined
    ? one.value === other.value
    : JSON.stringify(one) === JSON.stringify(other);

/** The object with an attribute, or without it where the value is undefined. */
function withValue(object: Attributes, key: string, value: unknown): Attributes {
  const { [key]: _, ...rest } = object;
  return value === undefined ? rest : { ...object, [key]: value };
}
