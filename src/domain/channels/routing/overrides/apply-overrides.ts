import { type JsonObject, recordOf } from "../../../../formats/json.ts";
import type { JsonPath, OverrideCondition, OverrideRule } from "./read-overrides.ts";

/** What conditions may look at besides the body. */
type OverrideFacts = Readonly<{
  /** The model as the upstream names it, and as the client does. */
  model: string;
  requestedModel: string;
  requestPath: string;
  headers: Headers;
}>;

/**
 * The top-level members of a body that rules change: their new values, undefined for those that go. The body itself stays as it
 * is. An operation that fits no value at its path changes nothing.
 */
export function overrideChanges(
  rules: readonly OverrideRule[],
  body: Readonly<JsonObject>,
  facts: OverrideFacts,
): Readonly<Record<string, unknown>> {
  const draft: Record<string, unknown> = { ...body };
  const changed = new Set<string>();
  /** Members are copied before they change, each once. */
  const open = (name: string) => {
    if (changed.has(name)) return;
    changed.add(name);
    if (Object.hasOwn(draft, name)) draft[name] = structuredClone(draft[name]);
  };
  for (const rule of rules) if (applies(rule, draft, facts)) apply(rule, draft, open);
  return Object.fromEntries([...changed].map((name) => [name, draft[name]]));
}

function applies({ conditions, needsAll }: OverrideRule, body: JsonObject, facts: OverrideFacts): boolean {
  if (conditions.length === 0) return true;
  const passes = (condition: OverrideCondition) => holdsFor(condition, body, facts);
  return needsAll ? conditions.every(passes) : conditions.some(passes);
}

function holdsFor(condition: OverrideCondition, body: JsonObject, facts: OverrideFacts): boolean {
  const value = valueAt(body, condition.path) ?? factAt(condition.path, facts);
  if (condition.mode === "exists") return (value !== undefined) !== condition.isInverted;
  if (value === undefined) return condition.passesMissing;
  return compares(condition, value) !== condition.isInverted;
}

function compares(condition: OverrideCondition, value: unknown): boolean {
  const text = textOf(value);
  switch (condition.mode) {
    case "matches":
      return condition.pattern.test(text);
    case "exists":
      return true;
    case "equals":
      return JSON.stringify(value) === JSON.stringify(condition.value);
    case "prefix":
      return text.startsWith(textOf(condition.value));
    case "suffix":
      return text.endsWith(textOf(condition.value));
    case "contains":
      return text.includes(textOf(condition.value));
    default:
      return compareNumbers(condition.mode, value, condition.value);
  }
}

function compareNumbers(mode: "gt" | "gte" | "lt" | "lte", value: unknown, limit: unknown): boolean {
  if (typeof value !== "number" || typeof limit !== "number") return false;
  if (mode === "gt") return value > limit;
  if (mode === "gte") return value >= limit;
  return mode === "lt" ? value < limit : value <= limit;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** new-api's names of what is no part of the body; of headers: `request_headers.NAME`. */
function factAt(
  [first = "", ...rest]: JsonPath,
  { model, requestedModel, requestPath, headers }: OverrideFacts,
): unknown {
  if (first === "request_headers") return headers.get(rest.join(".") || "-") ?? undefined;
  if (rest.length > 0) return undefined;
  if (first === "model" || first === "upstream_model") return model;
  if (first === "original_model") return requestedModel;
  return first === "request_path" ? requestPath : undefined;
}

type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function valueAt(body: unknown, path: JsonPath): unknown {
  let value: unknown = body;
  for (const step of path) {
    if (!isContainer(value)) return undefined;
    value = readStep(value, step);
  }
  return value;
}

/** The place of a step within a container: a name, or an index counted from the end if it is negative; null: there is none. */
function placeOf(container: Container, step: string): string | number | null {
  if (!Array.isArray(container)) return step;
  if (!/^-?\d{1,9}$/.test(step)) return null;
  const index = Number(step);
  return index < 0 ? container.length + index : index;
}

function readStep(container: Container, step: string): unknown {
  const place = placeOf(container, step);
  if (place === null) return undefined;
  if (Array.isArray(container)) return container[Number(place)];
  return Object.hasOwn(container, place) ? container[place] : undefined;
}

type Open = (name: string) => void;

function apply(rule: OverrideRule, body: Record<string, unknown>, open: Open): void {
  if ("from" in rule) {
    const value = valueAt(body, rule.from);
    if (value === undefined) return;
    if (rule.mode === "move") editAt(body, rule.from, open, remove);
    const copied = structuredClone(value);
    editAt(body, rule.to, open, (container, place) => write(container, place, copied), true);
    return;
  }
  if (!("value" in rule)) {
    editAt(body, rule.path, open, remove);
    return;
  }
  const { mode, value } = rule;
  editAt(
    body,
    rule.path,
    open,
    (container, place) => {
      const present = Array.isArray(container) ? container[Number(place)] : container[place];
      if (mode === "set" || (mode === "default" && present === undefined))
        write(container, place, structuredClone(value));
      else if (mode !== "default") write(container, place, joined(present, value, mode === "append"));
    },
    mode === "set" || mode === "default",
  );
}

type Edit = (container: Container, place: string | number) => void;

const write: (container: Container, place: string | number, value: unknown) => void = (container, place, value) => {
  if (Array.isArray(container)) container[Number(place)] = value;
  else container[place] = value;
};

const remove: Edit = (container, place) => {
  if (Array.isArray(container)) container.splice(Number(place), 1);
  else delete container[place];
};

/** A value with another at its end or beginning: lists get entries, texts get text, objects get members that they lack. */
function joined(present: unknown, value: unknown, atEnd: boolean): unknown {
  if (Array.isArray(present)) {
    const added: readonly unknown[] = Array.isArray(value) ? value : [value];
    return atEnd ? [...present, ...added] : [...added, ...present];
  }
  if (typeof present === "string") return atEnd ? present + textOf(value) : textOf(value) + present;
  const [own, added] = [recordOf(present), recordOf(value)];
  if (own && added) return atEnd ? { ...own, ...added } : { ...added, ...own };
  return present;
}

/** Calls `edit` for each place that a path names, from the last on; `creates`: missing objects on the way are made. */
function editAt(body: Record<string, unknown>, path: JsonPath, open: Open, edit: Edit, creates = false): void {
  const [first = "", ...rest] = path;
  const names = first === "*" ? Object.keys(body) : [first];
  for (const name of names) {
    if (rest.length > 0 && !isContainer(body[name]) && !(creates && body[name] === undefined)) continue;
    if (rest.length === 0 && !creates && !Object.hasOwn(body, name)) continue;
    open(name);
    editWithin(body, [name, ...rest], edit, creates);
  }
}

function editWithin(container: Container, [step = "", ...rest]: JsonPath, edit: Edit, creates: boolean): void {
  for (const place of placesOf(container, step)) {
    if (rest.length === 0) {
      const isPresent = Array.isArray(container) ? Number(place) in container : Object.hasOwn(container, place);
      // Lists get no holes.
      const mayCreate = creates && (!Array.isArray(container) || place === container.length);
      if (isPresent || mayCreate) edit(container, place);
      continue;
    }
    if (creates && readStep(container, String(place)) === undefined && !Array.isArray(container)) container[place] = {};
    const next = readStep(container, String(place));
    if (isContainer(next)) editWithin(next, rest, edit, creates);
  }
}

function placesOf(container: Container, step: string): (string | number)[] {
  if (step !== "*") {
    const place = placeOf(container, step);
    return place === null || (typeof place === "number" && place < 0) ? [] : [place];
  }
  // From the end, because entries may be removed on the way.
  return Array.isArray(container) ? container.map((_entry, index) => index).reverse() : Object.keys(container);
}
