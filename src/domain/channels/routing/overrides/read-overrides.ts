import { recordOf } from "../../../../formats/json.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { compileLinearPattern, type LinearPattern } from "../../../../lib/values/patterns/linear-pattern.ts";

/** Members and places of a JSON body; `*` stands for all of a list or object, negative numbers count from a list's end. */
export type JsonPath = readonly string[];

const COMPARISONS = ["equals", "prefix", "suffix", "contains", "gt", "gte", "lt", "lte"] as const;
type Comparison = (typeof COMPARISONS)[number];

export type OverrideCondition = Readonly<
  { path: JsonPath; isInverted: boolean; passesMissing: boolean } & (
    | { mode: "exists" }
    | { mode: "matches"; pattern: LinearPattern }
    | { mode: Comparison; value: unknown }
  )
>;

/** One operation on the body of a request, and when it applies. */
export type OverrideRule = Readonly<
  { conditions: readonly OverrideCondition[]; needsAll: boolean } & (
    | { mode: "set" | "default" | "append" | "prepend"; path: JsonPath; value: unknown }
    | { mode: "delete"; path: JsonPath }
    | { mode: "move" | "copy"; from: JsonPath; to: JsonPath }
  )
>;

/** What a channel changes in the bodies of its requests. */
type Overrides = Readonly<{
  /** Members that are set in every body. */
  members: Readonly<Record<string, unknown>>;
  rules: readonly OverrideRule[];
}>;

const MOST_RULES = 100;
const MOST_CONDITIONS = 20;
const LONGEST_PATH = 200;
const MODES = ["set", "default", "append", "prepend", "delete", "move", "copy"];
const CONDITION_MODES = ["exists", "matches", ...COMPARISONS];
/** new-api's word for a comparison. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([["full", "equals"]]);

/**
 * Reads overrides: `operations` is a list of rules (new-api's form), every other member is set in every body. Throws
 * OperationError that names the operation.
 */
export function readOverrideRules({ operations, ...members }: Readonly<Record<string, unknown>>): Overrides {
  if (operations === undefined) return { members, rules: [] };
  if (!Array.isArray(operations) || operations.length > MOST_RULES)
    throw new OperationError("channel_override_list", { max: MOST_RULES });
  return { members, rules: operations.map((operation, index) => readRule(operation, index + 1)) };
}

function readRule(value: unknown, at: number): OverrideRule {
  const operation = recordOf(value) ?? {};
  const keepsOrigin = operation.keep_origin === true;
  const mode = operation.mode === "set" && keepsOrigin ? "default" : String(operation.mode);
  const conditions = Array.isArray(operation.conditions) ? operation.conditions : [];
  if (conditions.length > MOST_CONDITIONS || (operation.conditions != null && !Array.isArray(operation.conditions)))
    throw new OperationError("channel_override_conditions", { at, max: MOST_CONDITIONS });
  const shared = {
    conditions: conditions.map((condition) => readCondition(condition, at)),
    // new-api: one that passes is enough, unless it says otherwise.
    needsAll: String(operation.logic).toUpperCase() === "AND",
  };
  switch (mode) {
    case "set":
    case "default":
    case "append":
    case "prepend":
      if (operation.value === undefined) throw new OperationError("channel_override_value", { at });
      return { ...shared, mode, path: readWritten(operation.path, at), value: operation.value };
    case "delete":
      return { ...shared, mode, path: readWritten(operation.path, at) };
    case "copy":
      return { ...shared, mode, from: readPath(operation.from, at), to: readWritten(operation.to, at) };
    case "move":
      return { ...shared, mode, from: readWritten(operation.from, at), to: readWritten(operation.to, at) };
    default:
      throw new OperationError("channel_override_mode", { at, known: MODES.join(", ") });
  }
}

function readCondition(value: unknown, at: number): OverrideCondition {
  const condition = recordOf(value) ?? {};
  const shared = {
    path: readPath(condition.path, at),
    isInverted: condition.invert === true,
    passesMissing: condition.pass_missing_key === true,
  };
  const named = String(condition.mode ?? "equals").toLowerCase();
  const mode = SYNONYMS.get(named) ?? named;
  if (mode === "exists") return { ...shared, mode };
  if (mode === "matches") {
    const pattern = typeof condition.value === "string" ? compileLinearPattern(condition.value) : null;
    if (!pattern) throw new OperationError("channel_override_pattern", { at });
    return { ...shared, mode, pattern };
  }
  const comparison = COMPARISONS.find((known) => known === mode);
  if (!comparison) throw new OperationError("channel_override_condition", { at, known: CONDITION_MODES.join(", ") });
  return { ...shared, mode: comparison, value: condition.value ?? null };
}

function readWritten(value: unknown, at: number): JsonPath {
  const path = readPath(value, at);
  const [name = ""] = path;
  if (name === "*" || PRICED.has(name)) throw new OperationError("channel_override_priced", { at, name });
  return path;
}

function readPath(value: unknown, at: number): JsonPath {
  const text = typeof value === "string" ? value.trim() : "";
  // A dot within a name is written as \. there.
  const steps = text.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
  const isUsable =
    text !== "" && text.length <= LONGEST_PATH && steps.every((step) => step !== "" && step !== "__proto__");
  if (!isUsable) throw new OperationError("channel_override_path", { at });
  return steps;
}

/** Members by which calls are priced before their channel is known: they are set as plain members, which prices read. */
const PRICED: ReadonlySet<string> = new Set([
  ...[
    "n",
    "size",
    "quality",
    "resolution",
    "aspect_ratio",
    "seconds",
    "duration",
    "best_of",
    "image_size",
    "num_images",
  ],
  ...["service_tier", "serviceTier", "speed", "inference_geo", "generationConfig", "generation_config", "config"],
]);

/** The top-level members of a body that these overrides may write. */
export const writtenMembers = ({ members, rules }: Overrides): readonly string[] => [
  ...Object.keys(members),
  ...rules.flatMap((rule) => ("path" in rule ? rule.path : rule.to).slice(0, 1)),
];
