import type { LimitDimension } from "../../../../../src/settings/option/limit-rules.ts";
import { isListOf, isNumber, isOneOf, isRecord, isText } from "../../../../lib/json.ts";

/** The server has the same list. */
export const DIMENSIONS = [
  ...(["model", "group", "user", "key", "end_user", "channel", "channel_key"] as const),
] satisfies readonly LimitDimension[];

/** Lists of a rule that say which calls it is about. */
export const SCOPES = ["models", "groups", "users", "keys", "channels"] as const;
/** What it limits within its time. */
export const COUNTS = ["requests", "tokens", "quota"] as const;

const [MOST_RULES, LONGEST_NAME, MOST_COUNT, MOST_AT_A_TIME, MOST_SECONDS] = [100, 64, 1e12, 1e6, 31 * 86_400];
/** What the server takes where a rule names no time. */
const DEFAULT_SECONDS = 60;

/** A rule as the option has it; 0: no such limit. */
export type RuleEntry = Readonly<
  { name: string; per: readonly LimitDimension[]; seconds: number; concurrency: number } & Record<
    (typeof SCOPES)[number],
    readonly string[]
  > &
    Record<(typeof COUNTS)[number], number>
>;

const isDimension = isOneOf<LimitDimension>(DIMENSIONS);
const isNames = isListOf((value: unknown): value is string | number => isText(value) || isNumber(value));
const NUMBERS = [...COUNTS, "seconds", "concurrency"] as const;
const MEMBERS: ReadonlySet<string> = new Set(["name", "per", ...SCOPES, ...NUMBERS]);

/** Reads the option's rules; null where the form would lose something: then it is edited as JSON. */
export function readLimitRules(text: string): RuleEntry[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return null;
    const rules = value.map(readRule).filter((rule) => rule !== null);
    return rules.length === value.length ? rules : null;
  } catch {
    return null;
  }
}

function readRule(value: unknown): RuleEntry | null {
  if (!isRecord(value) || Object.keys(value).some((name) => !MEMBERS.has(name))) return null;
  const { name = "", per = [] } = value;
  if (!isText(name) || !isListOf(isDimension)(per)) return null;
  const scopes = SCOPES.map((scope) => value[scope] ?? []);
  const numbers = NUMBERS.map((number) => value[number] ?? 0);
  if (!scopes.every(isNames) || !numbers.every(isNumber)) return null;
  const [models = [], groups = [], users = [], keys = [], channels = []] = scopes.map((names) => names.map(String));
  const [requests = 0, tokens = 0, quota = 0, seconds = 0, concurrency = 0] = numbers;
  return {
    ...{ name, per, models, groups, users, keys, channels, requests, tokens, quota, concurrency },
    seconds: seconds || DEFAULT_SECONDS,
  };
}

/** The option's text of rules: without what is empty. */
export const limitRulesText = (rules: readonly RuleEntry[]): string => JSON.stringify(rules.map(writeRule), null, 2);

function writeRule(rule: RuleEntry): Record<string, unknown> {
  const { name, per, seconds } = rule;
  const counts = COUNTS.filter((count) => rule[count] > 0);
  const scopes = SCOPES.filter((scope) => rule[scope].length > 0);
  return {
    name,
    ...Object.fromEntries(scopes.map((scope) => [scope, scope === "keys" ? rule.keys.map(Number) : rule[scope]])),
    ...(per.length > 0 && { per }),
    ...Object.fromEntries(counts.map((count) => [count, rule[count]])),
    ...(counts.length > 0 && seconds !== DEFAULT_SECONDS && { seconds }),
    ...(rule.concurrency > 0 && { concurrency: rule.concurrency }),
  };
}

/** The form of a rule: numbers as they are typed. */
export type RuleForm = Omit<RuleEntry, (typeof NUMBERS)[number]> & Record<(typeof NUMBERS)[number], string>;

const NEW_RULE: RuleEntry = {
  ...{ name: "", per: ["user"], requests: 60, tokens: 0, quota: 0, seconds: DEFAULT_SECONDS, concurrency: 0 },
  ...{ models: [], groups: [], users: [], keys: [], channels: [] },
};

const textOf = (value: number): string => (value > 0 ? String(value) : "");

/** The form of a rule; null: a new one. */
export function formOfRule(rule: RuleEntry | null): RuleForm {
  const { requests, tokens, quota, seconds, concurrency, ...others } = rule ?? NEW_RULE;
  const counts = { requests: textOf(requests), tokens: textOf(tokens), quota: textOf(quota) };
  return { ...others, ...counts, seconds: textOf(seconds), concurrency: textOf(concurrency) };
}

/** The rule of a form that has been checked. */
export const ruleOfForm = ({ requests, tokens, quota, seconds, concurrency, ...others }: RuleForm): RuleEntry => ({
  ...others,
  name: others.name.trim(),
  ...{ requests: Number(requests), tokens: Number(tokens), quota: Number(quota), concurrency: Number(concurrency) },
  seconds: Number(seconds) || DEFAULT_SECONDS,
});

type Fault = "name" | "nameTaken" | "number" | "seconds" | "nothing" | "keys";

/** What is wrong with each field; `taken`: the names of the other rules. */
export function checkRuleForm(form: RuleForm, taken: readonly string[]): Partial<Record<keyof RuleForm, Fault>> {
  const name = form.name.trim();
  const isAmount = (text: string, most: number) => text.trim() === "" || (/^\d+$/.test(text) && Number(text) <= most);
  const faults: Partial<Record<keyof RuleForm, Fault>> = {};
  if (name === "" || name.length > LONGEST_NAME) faults.name = "name";
  else if (taken.includes(name)) faults.name = "nameTaken";
  for (const count of COUNTS) if (!isAmount(form[count], MOST_COUNT)) faults[count] = "number";
  if (!isAmount(form.concurrency, MOST_AT_A_TIME)) faults.concurrency = "number";
  if (!isAmount(form.seconds, MOST_SECONDS) || form.seconds.trim() === "0") faults.seconds = "seconds";
  if ([...COUNTS, "concurrency" as const].every((count) => !Number(form[count]))) faults.requests ??= "nothing";
  if (form.keys.some((id) => !/^[1-9]\d{0,9}$/.test(id))) faults.keys = "keys";
  return faults;
}

/** Whether another rule may be added. */
export const hasRoom = (rules: readonly RuleEntry[]): boolean => rules.length < MOST_RULES;
