import {
  FieldError,
  type FieldReader,
  type Fields,
  fieldsOf,
  flag,
  httpAddress,
  integerFrom,
  listOf,
  objectAt,
  oneOf,
  optionalText,
  text,
} from "../../lib/field-readers.ts";
import { compileSchema, type SchemaCheck } from "../../lib/values/json/json-schema.ts";
import { compileLinearPattern, type LinearPattern } from "../../lib/values/patterns/linear-pattern.ts";
import { type NamePattern, namePattern } from "../../lib/values/patterns/name-patterns.ts";
import { type CallerScope, readCallerScope, scopeFields } from "./caller-scope.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option, Traits } from "./option.ts";

/** What a guardrail looks for. `service`: another server decides. */
export const GUARDRAIL_KINDS = [
  ...["words", "patterns", "secrets", "personal_data", "injection"],
  ...["language", "size", "tools", "json", "service"],
] as const;
export type GuardrailKind = "words" | "patterns" | "secrets" | "personal_data" | "injection" | CompleteKind | "service";
type CompleteKind = "language" | "size" | "tools" | "json";

/** From the mildest to the strictest. */
export const GUARDRAIL_ACTIONS = ["flag", "mask", "route", "block"] as const;
export type GuardrailAction = (typeof GUARDRAIL_ACTIONS)[number];

export const GUARDRAIL_PHASES = ["request", "answer"] as const;
export type GuardrailPhase = (typeof GUARDRAIL_PHASES)[number];

/** The interfaces of services. */
export const GUARDRAIL_SERVICES = [
  ...["webhook", "litellm", "portkey", "openai", "azure", "bedrock", "model_armor", "presidio", "lakera"],
] as const;

/** Personal data that its form tells from other text. */
export const PERSONAL_KINDS = ["email", "phone", "card", "iban", "national_id", "ip"] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];

/** For which calls it holds. */
type GuardrailScope = Readonly<{
  callers: CallerScope | null;
  /** Null: all. */
  models: readonly NamePattern[] | null;
  /** The MCP servers whose calls it is about alone; null: it is about all calls. */
  servers: readonly NamePattern[] | null;
}>;

/** A server that decides. */
export type GuardrailService = Readonly<{
  type: string;
  url: string;
  timeoutMs: number;
  /** What happens while it does not answer. */
  onFailure: "open" | "closed";
  /** From which score on a finding counts, in percent. */
  thresholdPercent: number;
  /** Bedrock: id and version of the guardrail. Presidio: the language of texts. */
  id: string;
  version: string;
  language: string;
}>;

/** A rule about what may go to a model or come from it. */
export type GuardrailRule = Readonly<{
  name: string;
  /** As the operator wrote it. */
  definition: GuardrailDefinition;
  isEnabled: boolean;
  /** It decides nothing: the log says what would have happened. */
  isShadow: boolean;
  kind: GuardrailKind;
  action: GuardrailAction;
  phases: ReadonlySet<GuardrailPhase>;
  scope: GuardrailScope | null;
  words: readonly string[];
  patterns: readonly LinearPattern[];
  personal: readonly PersonalKind[];
  /** Masked values are put back into the answer. */
  restores: boolean;
  languages: ReadonlySet<string>;
  maxCharacters: number;
  tools: readonly NamePattern[];
  /** The model or route that takes calls of the action `route`. */
  routeTo: string;
  service: GuardrailService | null;
  /** What JSON answers have to fit; null: any is right. */
  schema: SchemaCheck | null;
  /** Callers read that it blocks in an answer, as a model refuses, in place of an error. */
  refusesInAnswer: boolean;
}>;

const MAX_RULES = 100;
const MAX_NAME = 60;
const MAX_WORDS = 2_000;
const MAX_CHARACTERS = 100_000_000;
const [DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS] = [2_000, 30_000];
const DEFAULT_THRESHOLD = 50;

const longList =
  (max: number): FieldReader<readonly string[]> =>
  (value, field) => {
    const isList = Array.isArray(value) && value.length <= max;
    if (isList && value.every((entry) => typeof entry === "string" && entry.trim() !== "" && entry.length <= 500))
      return value;
    throw new FieldError(field, `a list of at most ${max} texts of 1 to 500 characters`);
  };

const readDefinition = fieldsOf({
  description: optionalText,
  enabled: flag,
  shadow: flag,
  kind: oneOf(GUARDRAIL_KINDS),
  action: oneOf(GUARDRAIL_ACTIONS),
  phases: listOf(oneOf(GUARDRAIL_PHASES)),
  ...scopeFields,
  models: listOf(text),
  mcp_servers: listOf(text),
  words: longList(MAX_WORDS),
  patterns: longList(MAX_RULES),
  personal: listOf(oneOf(PERSONAL_KINDS)),
  restore: flag,
  languages: listOf(text),
  max_characters: integerFrom(1, MAX_CHARACTERS),
  tools: listOf(text),
  schema: objectAt,
  refusal: oneOf(["error", "answer"] as const),
  route_to: optionalText,
  service: oneOf(GUARDRAIL_SERVICES),
  url: httpAddress,
  timeout_ms: integerFrom(50, MAX_TIMEOUT_MS),
  on_failure: oneOf(["open", "closed"] as const),
  threshold_percent: integerFrom(1, 100),
  service_id: optionalText,
  service_version: optionalText,
  language: optionalText,
});

/** A guardrail as JSON. Absent: enabled, enforced, before the call and after it, for all calls. */
export type GuardrailDefinition = Fields<{
  [K in keyof ReturnType<typeof readDefinition>]-?: FieldReader<NonNullable<ReturnType<typeof readDefinition>[K]>>;
}>;

/** Kinds that decide about a complete request or answer: nothing in it can be masked. */
const COMPLETE: ReadonlySet<string> = new Set(["injection", "language", "size", "tools", "json"]);
/** Kinds that need one of their own fields. */
const NEEDS: Readonly<Record<string, keyof GuardrailDefinition>> = {
  words: "words",
  patterns: "patterns",
  language: "languages",
  size: "max_characters",
  tools: "tools",
};

/** How the tags begin that guardrails give calls, for the log's filters; clients cannot use them. */
export const GUARDRAIL_TAG = "guardrail:";
/** What a guardrail did, or that it was in shadow mode: none has such a name. */
const OUTCOMES: readonly string[] = [...GUARDRAIL_ACTIONS, "shadow"];
/** The tags that say what guardrails did; the others name them. */
export const OUTCOME_TAGS: readonly string[] = OUTCOMES.map((outcome) => GUARDRAIL_TAG + outcome);

/** Checks the definition of a guardrail. Throws FieldError. */
export function readGuardrail(name: string, value: unknown, field: string): GuardrailRule {
  if (name.trim() !== name || name === "" || name.length > MAX_NAME || name.includes(","))
    throw new FieldError(field || "name", `a name of 1 to ${MAX_NAME} characters without commas or blanks around it`);
  if (OUTCOMES.includes(name)) throw new FieldError(field || "name", "a name that is none of the actions");
  const definition = readDefinition(value, field);
  const at = (member: string): string => (field === "" ? member : `${field}.${member}`);
  const { kind, action = "block", phases = [], patterns = [], service } = definition;
  if (kind === undefined) throw new FieldError(at("kind"), GUARDRAIL_KINDS.join(", "));
  const needed = NEEDS[kind];
  if (needed && isEmpty(definition[needed])) throw new FieldError(at(needed), "set for this kind");
  if (action === "mask" && COMPLETE.has(kind)) throw new FieldError(at("action"), "block, route or flag for this kind");
  if (action === "route" && !definition.route_to) throw new FieldError(at("route_to"), "a model or route");
  if (kind === "service" && (!service || !definition.url)) throw new FieldError(at("service"), "a service and its url");
  const of = new Set(phases.length > 0 ? phases : GUARDRAIL_PHASES);
  if (action === "route" || kind === "injection") of.delete("answer");
  if (kind === "json") of.delete("request");
  if (of.size === 0) throw new FieldError(at("phases"), "a phase that this kind and action have");
  return {
    ...{ name, definition, kind: kind as GuardrailKind, action, phases: of },
    isEnabled: definition.enabled ?? true,
    isShadow: definition.shadow ?? false,
    scope: readScope(definition),
    words: definition.words ?? [],
    patterns: patterns.map((source, index) => {
      const pattern = compileLinearPattern(source);
      if (!pattern) throw new FieldError(`${at("patterns")}.${index}`, "a regular expression of RE2");
      return pattern;
    }),
    personal: definition.personal?.length ? definition.personal : PERSONAL_KINDS,
    restores: definition.restore ?? kind !== "secrets",
    languages: new Set(definition.languages),
    maxCharacters: definition.max_characters ?? MAX_CHARACTERS,
    tools: (definition.tools ?? []).map(namePattern),
    routeTo: definition.route_to ?? "",
    service: service && definition.url ? readService(service, definition.url, definition) : null,
    schema: definition.schema ? readSchema(definition.schema, at("schema")) : null,
    refusesInAnswer: definition.refusal === "answer",
  };
}

/** Longer schemas are none that somebody wrote. */
const MAX_SCHEMA = 100_000;

function readSchema(schema: object, field: string): SchemaCheck {
  const check = JSON.stringify(schema).length <= MAX_SCHEMA ? compileSchema(schema) : null;
  if (check) return check;
  throw new FieldError(field, "a JSON Schema of draft 2020-12, with patterns of RE2 and without references to others");
}

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

const readService = (type: string, url: string, definition: GuardrailDefinition): GuardrailService => ({
  ...{ type, url },
  timeoutMs: definition.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  onFailure: definition.on_failure ?? "closed",
  thresholdPercent: definition.threshold_percent ?? DEFAULT_THRESHOLD,
  id: definition.service_id ?? "",
  version: definition.service_version ?? "",
  language: definition.language ?? "",
});

function readScope({ models, mcp_servers: servers, ...callers }: GuardrailDefinition): GuardrailScope | null {
  const patternsOf = (names: readonly string[] | undefined) => (names?.length ? names.map(namePattern) : null);
  const scope = { callers: readCallerScope(callers), models: patternsOf(models), servers: patternsOf(servers) };
  return scope.callers || scope.models || scope.servers ? scope : null;
}

/** Guardrails as JSON by name. */
export const guardrails = (traits: Traits): Option<readonly GuardrailRule[]> =>
  jsonDocument(traits, (value, key) => {
    const entries = Object.entries(objectAt(value, key));
    if (entries.length > MAX_RULES) throw new FieldError(key, `an object of at most ${MAX_RULES} guardrails`);
    return entries.map(([name, rule]) => readGuardrail(name, rule, `${key}.${name}`));
  });

/** The key of a service, and the only server that gets it: `https://api.example.com`. */
type GuardrailKey = Readonly<{ origin: string; key: string }>;

/** Google's service accounts have a file as their key. */
const MAX_KEY = 10_000;

const keyText: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && value !== "" && value.length <= MAX_KEY) return value;
  throw new FieldError(field, `a text of 1 to ${MAX_KEY} characters`);
};

const readKey = fieldsOf({ origin: text, key: keyText });

function readKeys(value: unknown, option: string): ReadonlyMap<string, GuardrailKey> {
  const entries = Object.entries(objectAt(value, option));
  return new Map(
    entries.map(([name, entry]) => {
      const { origin = "", key = "" } = readKey(entry, `${option}.${name}`);
      return [name, { origin, key }];
    }),
  );
}

/** Keys of services by the guardrail's name, as JSON. The value is its text, as that of every secret. */
export function guardrailKeys(traits: Traits): Option<string> {
  const document = jsonDocument(traits, readKeys);
  return { ...document, read: (written, key) => ({ ...document.read(written || "{}", key), value: written || "{}" }) };
}

/** The key that a guardrail's server gets; empty: none is stored for it. Whoever changes the address does not get the key. */
export function guardrailKeyFor(keys: string, name: string, url: string): string {
  const stored = readKeys(JSON.parse(keys), "GuardrailKeys").get(name);
  return stored && stored.origin === URL.parse(url)?.origin ? stored.key : "";
}
