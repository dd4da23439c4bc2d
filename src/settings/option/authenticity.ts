import { FieldError, type FieldReader, fieldsOf, integerFrom, listOf, mapOf, text } from "../../lib/field-readers.ts";
import { compileLinearPattern, type LinearPattern } from "../../lib/values/patterns/linear-pattern.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option, Traits } from "./option.ts";

/** A question of the operator's own. */
export type OwnProbe = Readonly<{
  id: string;
  models: LinearPattern;
  prompt: string;
  expects: LinearPattern | null;
  rejects: LinearPattern | null;
}>;

/** How channels are checked for the models that they claim to serve. */
export type AuthenticityRules = Readonly<{
  /** 0: only by hand. */
  everyHours: number;
  /** Of these models only; null: of each channel its test model, or its first one. */
  models: ReadonlySet<string> | null;
  maxUsdPerDay: number;
  /** Length of the long prompt, about one token each. */
  promptWords: number;
  /** Scores below raise the alert. */
  alertBelow: number;
  /** Two scores below in a row disable the channel; 0: never. */
  disableBelow: number;
  /** Model → the channel that others are compared with. */
  references: ReadonlyMap<string, number>;
  probes: readonly OwnProbe[];
}>;

const MAX_ID = 2_147_483_647;

const pattern: FieldReader<LinearPattern> = (value, field) => {
  const compiled = compileLinearPattern(text(value, field));
  if (compiled) return compiled;
  throw new FieldError(field, "a regular expression in RE2's syntax");
};

const readProbe = fieldsOf({ id: text, models: pattern, prompt: text, expects: pattern, rejects: pattern });

const readFields = fieldsOf({
  every_hours: integerFrom(0, 8760),
  models: listOf(text),
  max_usd_per_day: integerFrom(1, 1_000_000),
  prompt_words: integerFrom(500, 1_000_000),
  alert_below: integerFrom(1, 100),
  disable_below: integerFrom(0, 100),
  references: mapOf(integerFrom(1, MAX_ID)),
  probes: listOf(readProbe),
});

const [DEFAULT_USD_PER_DAY, DEFAULT_WORDS, DEFAULT_ALERT] = [1, 6_000, 70];

/** Reads the rules. Throws FieldError. */
function readAuthenticityRules(value: unknown, key: string): AuthenticityRules {
  const fields = readFields(value, key);
  return {
    everyHours: fields.every_hours ?? 0,
    models: fields.models && fields.models.length > 0 ? new Set(fields.models) : null,
    maxUsdPerDay: fields.max_usd_per_day ?? DEFAULT_USD_PER_DAY,
    promptWords: fields.prompt_words ?? DEFAULT_WORDS,
    alertBelow: fields.alert_below ?? DEFAULT_ALERT,
    disableBelow: fields.disable_below ?? 0,
    references: new Map(Object.entries(fields.references ?? {})),
    probes: (fields.probes ?? []).map((probe, at) => ownProbe(probe, `${key}.probes.${at}`)),
  };
}

function ownProbe({ id, models, prompt, expects, rejects }: ReturnType<typeof readProbe>, field: string): OwnProbe {
  if (id === undefined) throw new FieldError(`${field}.id`, "a name");
  if (models === undefined) throw new FieldError(`${field}.models`, "a regular expression of model names");
  if (prompt === undefined) throw new FieldError(`${field}.prompt`, "a question");
  if (!expects && !rejects) throw new FieldError(`${field}.expects`, "a regular expression, unless rejects is one");
  return { id, models, prompt, expects: expects ?? null, rejects: rejects ?? null };
}

/** An option that is the JSON of rules for model checks. */
export const authenticityRules = (traits: Traits): Option<AuthenticityRules> =>
  jsonDocument(traits, readAuthenticityRules);
