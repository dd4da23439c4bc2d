import type { JsonObject } from "../../../../src/formats/json.ts";
import { alternativesOf, type Shape, variantOf } from "../schema/shape.ts";

/** A member of a generated request, by which its way upstream is followed. */
export type Leaf = Readonly<{
  /** `messages[user].content[text].text`: names of members, and of variants in brackets. */
  path: string;
  /** The object or list that holds it. */
  owner: JsonObject | unknown[];
  key: string | number;
  /** A text that only this member has; null: its presence, or another value, must make a difference. */
  marker: string | null;
  /** It says how much of something: a service's own measure of it is as good as the marker. */
  isAmount?: boolean;
  /** Other values that it could have; empty: it can only be left out. */
  others: readonly unknown[];
  isOptional: boolean;
}>;

/** One way through a shape to a member, by names of members and variants. */
export type Target = Readonly<{ path: string; steps: readonly Step[] }>;
type Step = Readonly<{ member: string; variants: readonly string[] }>;

/** A value that a member needs in place of a plain marker: `marker` is in it, or null if it has none. */
export type SpecialValue = (
  marker: string,
  random: () => number,
) => Readonly<{ value: unknown; marker: string | null; isAmount?: boolean }>;

/** What a client format needs beyond its types. */
export type Special = readonly (readonly [path: RegExp, make: SpecialValue])[];

/** Every member of the shape down to `depth` members below its root. */
export function targetsOf(root: Shape, depth: number, skipped: RegExp): Target[] {
  const targets: Target[] = [];
  const walk = (shape: Shape, path: string, steps: readonly Step[], variants: readonly string[]): void => {
    const alternatives = alternativesOf(shape);
    for (const alternative of alternatives) {
      const variant = nameOf(alternative, alternatives);
      const at = variant === "" ? path : `${path}[${variant}]`;
      if (skipped.test(at)) continue;
      if (alternative.kind === "list") {
        walk(alternative.of, path, steps, [...variants, variant]);
        continue;
      }
      const chosen = withVariants(steps, [...variants, variant]);
      if (alternative.kind !== "object") {
        if (!(alternative.kind === "constant" && alternative.values.length === 1))
          targets.push({ path: at, steps: chosen });
        continue;
      }
      if (isBare(alternative)) targets.push({ path: at, steps: chosen });
      if (steps.length === depth) continue;
      for (const [member, { shape: inner }] of alternative.members)
        walk(inner, at === "" ? member : `${at}.${member}`, [...chosen, { member, variants: [] }], []);
    }
  };
  walk(root, "", [], []);
  return targets;
}

const withVariants = (steps: readonly Step[], variants: readonly string[]): readonly Step[] => {
  const last = steps.at(-1);
  return last ? [...steps.slice(0, -1), { ...last, variants }] : steps;
};

/** Whether its presence is all that an object of this type must say; an object without a type of its own says nothing then. */
function isBare({ members }: Extract<Shape, { kind: "object" }>): boolean {
  const list = [...members.values()];
  const discriminators = list.filter(({ shape: inner }) => isDiscriminator(inner));
  return discriminators.length > 0 && list.every((member) => member.isOptional || discriminators.includes(member));
}

function isDiscriminator(shape: Shape): boolean {
  const [only, ...more] = alternativesOf(shape);
  return more.length === 0 && only?.kind === "constant" && only.values.length === 1;
}

/** The name of an alternative among others; empty where there is but one. */
function nameOf(alternative: Shape, all: readonly Shape[]): string {
  if (all.length < 2) return "";
  if (alternative.kind === "list") return "list";
  const name = variantOf(alternative);
  const isShared = all.filter((one) => one.kind === "object" && variantOf(one) === name).length > 1;
  return isShared && alternative.kind === "object" ? `${name} ${alternative.name}` : name;
}

/** Makes values of shapes, with a marker in each member, and remembers what it made. */
export class Builder {
  readonly leaves: Leaf[] = [];
  #made: number;

  constructor(
    private readonly random: () => number,
    private readonly special: Special,
    from = 0,
  ) {
    this.#made = from;
  }

  /** The number of markers made so far. */
  get made(): number {
    return this.#made;
  }

  /** Adds the target and what it requires to the request. Returns false where the request has another variant in its place. */
  add(request: JsonObject, root: Shape, { steps }: Target): boolean {
    const before = this.leaves.length;
    const value = this.#object(root, "", steps, true);
    const fits = canMerge(request, value);
    if (fits) merge(request, value, this.leaves);
    else this.leaves.splice(before);
    return fits;
  }

  /** A value of the shape. `steps`: what it must hold. */
  value(shape: Shape, path: string, steps: readonly Step[], variants: readonly string[], holder: Holder): unknown {
    const alternatives = alternativesOf(shape);
    const [variant, ...inner] = variants;
    const alternative =
      (variant === undefined ? undefined : alternatives.find((one) => nameOf(one, alternatives) === variant)) ??
      alternatives[Math.floor(this.random() * alternatives.length)];
    if (!alternative) return null;
    const name = nameOf(alternative, alternatives);
    if (alternative.kind === "list") {
      const list: unknown[] = [];
      list.push(this.value(alternative.of, path, steps, inner, { owner: list, key: 0, isOptional: false }));
      return list;
    }
    const at = name === "" ? path : `${path}[${name}]`;
    const special = this.special.find(([pattern]) => pattern.test(at));
    if (special) {
      const { value, ...followed } = special[1](this.#marker(), this.random);
      this.leaves.push({ path: at, ...holder, ...followed, others: [] });
      return value;
    }
    switch (alternative.kind) {
      case "object": {
        if (isBare(alternative) && steps.length === 0)
          this.leaves.push({ path: at, ...holder, marker: null, others: [] });
        return this.#object(alternative, at, steps);
      }
      case "constant": {
        const { values } = alternative;
        const value = values[Math.floor(this.random() * values.length)];
        if (values.length > 1)
          this.leaves.push({ path: at, ...holder, marker: null, others: values.filter((one) => one !== value) });
        return value;
      }
      case "boolean": {
        const value = this.random() < 0.5;
        this.leaves.push({ path: at, ...holder, marker: null, others: [!value] });
        return value;
      }
      case "number": {
        const value = 2000 + this.#made++;
        this.leaves.push({ path: at, ...holder, marker: String(value), others: [] });
        return value;
      }
      case "string": {
        const marker = this.#marker();
        this.leaves.push({ path: at, ...holder, marker, others: [] });
        return marker;
      }
      case "free": {
        const marker = this.#marker();
        this.leaves.push({ path: at, ...holder, marker, others: [] });
        return { [marker]: "yes" };
      }
      case "null":
        return null;
    }
  }

  /** A marked text for a member that `arrange` adds. */
  note(path: string, owner: JsonObject, key: string): string {
    const marker = this.#marker();
    this.leaves.push({ path, owner, key, marker, others: [], isOptional: false });
    return marker;
  }

  #marker(): string {
    return `mk${this.#made++}z`;
  }

  #object(shape: Shape, path: string, steps: readonly Step[], isRoot = false): JsonObject {
    const object: JsonObject = {};
    if (shape.kind !== "object") return object;
    const [step, ...rest] = steps;
    for (const [name, { shape: inner, isOptional }] of shape.members) {
      const isTarget = step?.member === name;
      if (!isTarget && (isOptional || isRoot)) continue;
      const at = path === "" ? name : `${path}.${name}`;
      const holder = { owner: object, key: name, isOptional };
      object[name] = this.value(inner, at, isTarget ? rest : [], isTarget ? (step?.variants ?? []) : [], holder);
    }
    return object;
  }
}

type Holder = Pick<Leaf, "owner" | "key" | "isOptional">;

/** Puts `from` into `into`, where the two don't stand against each other: lists are joined, objects merged. */
function merge(into: JsonObject, from: JsonObject, leaves: Leaf[]): void {
  for (const [name, value] of Object.entries(from)) {
    const has = into[name];
    if (Array.isArray(has) && Array.isArray(value)) joinLists(has, value, leaves);
    else if (isPlain(has) && isPlain(value)) merge(has, value, leaves);
    else into[name] = value;
    for (const [index, leaf] of leaves.entries())
      if (leaf.owner === from && leaf.key === name) leaves[index] = { ...leaf, owner: into };
  }
}

/** Makes one object of a list's, as far as none stands against another; what stands against the first is left out. */
export function foldList(list: unknown, leaves: Leaf[]): void {
  if (!Array.isArray(list)) return;
  const [first, ...others] = list.filter(isPlain);
  if (!first) return;
  for (const other of others) if (canMerge(first, other)) merge(first, other, leaves);
  list.splice(0, list.length, first);
}

function joinLists(into: unknown[], from: unknown[], leaves: Leaf[]): void {
  const offset = into.length;
  into.push(...from);
  for (const [index, leaf] of leaves.entries())
    if (leaf.owner === from && typeof leaf.key === "number")
      leaves[index] = { ...leaf, owner: into, key: leaf.key + offset };
}

const isPlain = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether they are of one variant, and no member stands against another. */
const canMerge = (into: JsonObject, from: JsonObject): boolean =>
  Object.entries(from).every(([name, value]) => {
    const has = into[name];
    if (has === undefined || (DISCRIMINATORS.has(name) && has === value)) return true;
    if (Array.isArray(has)) return Array.isArray(value);
    return isPlain(has) && isPlain(value) && canMerge(has, value);
  });

const DISCRIMINATORS: ReadonlySet<string> = new Set(["type", "role"]);
