import { createHash } from "node:crypto";
import { FieldError, fieldsOf, integerFrom, listOf, oneOf, text } from "../../lib/field-readers.ts";
import { isBrokenPattern, nameSet } from "../../lib/values/patterns/name-patterns.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option } from "./option.ts";

/** What a limit may count separately. */
export const LIMIT_DIMENSIONS = ["model", "group", "user", "key", "end_user", "channel", "channel_key"] as const;
export type LimitDimension = (typeof LIMIT_DIMENSIONS)[number];

/** A limit on the calls that it is about; null: of any. 0: no such limit. */
export type LimitRule = Readonly<{
  name: string;
  /** Under which its counts stand: of another rule they are others. */
  id: string;
  models: ReadonlySet<string> | null;
  groups: ReadonlySet<string> | null;
  /** Names or ids. */
  users: ReadonlySet<string> | null;
  /** Ids. */
  keys: ReadonlySet<string> | null;
  /** Names or ids. */
  channels: ReadonlySet<string> | null;
  /** Counted for each of these; empty: all calls together. */
  per: readonly LimitDimension[];
  /** Within `windowMs`. */
  requests: number;
  tokens: number;
  quota: number;
  windowMs: number;
  /** At a time. */
  concurrency: number;
}>;

/** Rules about the caller, which are checked before a call, and about channels, which decide where it may go. */
export type LimitRules = Readonly<{
  ofCallers: readonly LimitRule[];
  ofChannels: readonly LimitRule[];
  isEmpty: boolean;
}>;

const MAX_RULES = 100;
const MAX_COUNT = 1_000_000_000_000;
const MAX_WINDOW_S = 31 * 86_400;
const MAX_NAME = 64;
const SHAPE = '[{"name": "…", "per": ["user"], "requests": 60}]';

/** A pattern that is a valid one, or a name. */
const pattern = (value: unknown, field: string): string => {
  const name = text(value, field);
  if (isBrokenPattern(name)) throw new FieldError(field, "a name, or a pattern in RE2's syntax after re:");
  return name;
};
/** An id or a name, as text. */
const nameOrId = (value: unknown, field: string): string =>
  typeof value === "number" ? String(integerFrom(1, 2_147_483_647)(value, field)) : text(value, field);

const readRule = fieldsOf({
  name: text,
  models: listOf(pattern),
  groups: listOf(text),
  users: listOf(nameOrId),
  keys: listOf(integerFrom(1, 2_147_483_647)),
  channels: listOf(nameOrId),
  per: listOf(oneOf(LIMIT_DIMENSIONS)),
  requests: integerFrom(1, MAX_COUNT),
  tokens: integerFrom(1, MAX_COUNT),
  quota: integerFrom(1, MAX_COUNT),
  seconds: integerFrom(1, MAX_WINDOW_S),
  concurrency: integerFrom(1, 1_000_000),
});

/** Limits of requests, tokens, quota and concurrent calls, by model, group, user, key, end user, channel and key of a channel. */
export const limitRules = (): Option<LimitRules> => ({ ...jsonDocument({}, readRules), initial: "[]" });

function readRules(value: unknown, key: string): LimitRules {
  if (!Array.isArray(value) || value.length > MAX_RULES)
    throw new FieldError(key, `a list of at most ${MAX_RULES} rules, such as ${SHAPE}`);
  const rules = value.map((entry, index) => readLimit(entry, `${key}.${index}`));
  const names = new Set(rules.map(({ name }) => name));
  if (names.size < rules.length) throw new FieldError(`${key}.name`, "another name for each rule");
  const isOfChannels = ({ per, channels }: LimitRule) =>
    channels !== null || per.includes("channel") || per.includes("channel_key");
  return {
    ofCallers: rules.filter((rule) => !isOfChannels(rule)),
    ofChannels: rules.filter(isOfChannels),
    isEmpty: rules.length === 0,
  };
}

function readLimit(value: unknown, field: string): LimitRule {
  const { name, models, groups, users, keys, channels, ...read } = readRule(value, field);
  if (name === undefined || name.length > MAX_NAME)
    throw new FieldError(`${field}.name`, `a name of 1 to ${MAX_NAME} characters`);
  const { per = [], requests = 0, tokens = 0, quota = 0, concurrency = 0, seconds = 60 } = read;
  if (requests + tokens + quota + concurrency === 0)
    throw new FieldError(field, "a rule with requests, tokens, quota or concurrency");
  const about = [name, models, groups, users, keys, channels, per];
  return {
    name,
    id: createHash("sha256").update(JSON.stringify(about)).digest("base64url").slice(0, 12),
    models: models?.length ? nameSet(models) : null,
    groups: setOf(groups),
    users: setOf(users),
    keys: setOf(keys?.map(String)),
    channels: setOf(channels),
    per,
    ...{ requests, tokens, quota, windowMs: seconds * 1000, concurrency },
  };
}

const setOf = (names: readonly string[] | undefined): ReadonlySet<string> | null =>
  names?.length ? new Set(names) : null;
