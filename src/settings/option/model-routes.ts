import {
  FieldError,
  type FieldReader,
  fieldsOf,
  flag,
  integerFrom,
  listOf,
  objectAt,
  oneOf,
  text,
} from "../../lib/field-readers.ts";
import { type NamePattern, namePattern } from "../../lib/values/patterns/name-patterns.ts";
import { jsonDocument } from "./json-option.ts";
import type { Option, Traits } from "./option.ts";

/** How a route orders its candidates. */
export const STRATEGIES = ["priority", "weighted", "least-latency", "least-cost", "least-busy", "balanced"] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** A daily period; it passes midnight where `from` is later than `to`. */
export type Hours = Readonly<{
  /** Minutes of the day. */
  from: number;
  to: number;
  /** An IANA time zone. */
  zone: string;
}>;

/** A model that a route may choose, and for which calls. */
export type RouteCandidate = Readonly<{
  model: string;
  /** Its share in a weighted route; 0: only after all others. */
  weight: number;
  conditions: RouteConditions;
  /** Only channels with one of these tags; null: all. */
  channelTags: ReadonlySet<string> | null;
  /** Only channels whose region matches one of these; null: all, also those without a region. */
  regions: readonly NamePattern[] | null;
}>;

/** What a call must be like for a candidate; an absent condition holds for every call. */
export type RouteConditions = Readonly<{
  /** Estimated prompt tokens, both inclusive. */
  minPromptTokens?: number | undefined;
  maxPromptTokens?: number | undefined;
  /** True: only calls with it; false: only calls without. */
  image?: boolean | undefined;
  audio?: boolean | undefined;
  file?: boolean | undefined;
  tools?: boolean | undefined;
  /** One of these must be among the call's. */
  tags?: ReadonlySet<string> | undefined;
  groups?: ReadonlySet<string> | undefined;
  hours?: Hours | undefined;
}>;

/** A name that callers use as a model, and the models behind it. */
export type ModelRoute = Readonly<{
  name: string;
  /** As the operator wrote it. */
  definition: RouteDefinition;
  isEnabled: boolean;
  strategy: Strategy;
  candidates: readonly RouteCandidate[];
  /** Null: no second channel is called while the first has not responded. */
  hedge: Readonly<{ afterMs: number | null; maxExtraPercent: number }> | null;
  /** Null: nothing is tried. */
  experiment: RouteExperiment | null;
  /** Null: a call is refused where everything is busy. `groups`: in the order in which they are served; others follow. */
  queue: Readonly<{ maxWaitMs: number; maxLength: number; groups: readonly string[] }> | null;
}>;

/** A new model or channel of a route, and how it is compared with the others. */
export type RouteExperiment = Readonly<{
  /** Identifies what is tried and how; results of another one are not comparable. */
  key: string;
  /** A canary serves a share of the calls; a mirror gets copies, whose responses are discarded. */
  mode: "canary" | "mirror";
  candidate: RouteCandidate;
  /** Share of the calls, in percent. */
  percent: number;
  /** What copies and their judge may cost the operator on a day (UTC). */
  maxUsdPerDay: number;
  /** Copies in progress at a time, in each process. */
  maxConcurrent: number;
  /** Null: responses are not judged. */
  judge: Readonly<{ model: string; group: string; percent: number; instructions: string }> | null;
}>;

export type ModelRoutes = ReadonlyMap<string, ModelRoute>;

const MAX_CANDIDATES = 16;
const MAX_WEIGHT = 10_000;
const MAX_PROMPT_TOKENS = 100_000_000;
const MAX_NAME_LENGTH = 200;
const MAX_REGION_LENGTH = 100;
const MAX_HEDGE_MS = 600_000;
const DEFAULT_EXTRA_PERCENT = 10;
const EXPERIMENT_MODES = ["canary", "mirror"] as const;
const DEFAULT_EXPERIMENT_PERCENT = 5;
const [MAX_COPIES, DEFAULT_COPIES] = [1_000, 4];
const [MAX_USD_PER_DAY, DEFAULT_USD_PER_DAY] = [1_000_000, 1];
const MAX_INSTRUCTIONS = 4_000;
const [MAX_WAIT_MS, DEFAULT_WAIT_MS] = [600_000, 30_000];
const [MAX_QUEUE_LENGTH, DEFAULT_QUEUE_LENGTH] = [10_000, 100];

const modelName: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && value.trim() === value && value !== "" && value.length <= MAX_NAME_LENGTH)
    return value;
  throw new FieldError(field, `a model name of 1 to ${MAX_NAME_LENGTH} characters without blanks around it`);
};

const description: FieldReader<string> = (value, field) => (value === "" ? "" : text(value, field));

const regionPattern: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && value.trim() === value && value !== "" && value.length <= MAX_REGION_LENGTH)
    return value;
  throw new FieldError(
    field,
    `a region or a pattern such as eu-*, of 1 to ${MAX_REGION_LENGTH} characters without blanks around it`,
  );
};

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

const timeOfDay: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && TIME.test(value)) return value;
  throw new FieldError(field, "a time of day such as 08:30");
};

const timeZone: FieldReader<string> = (value, field) => {
  try {
    if (typeof value === "string") return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    // There is no such zone.
  }
  throw new FieldError(field, "a time zone such as Asia/Shanghai");
};

const tokens = integerFrom(0, MAX_PROMPT_TOKENS);
const names = listOf(text);

const readCandidateFields = fieldsOf({
  model: modelName,
  weight: integerFrom(0, MAX_WEIGHT),
  min_prompt_tokens: tokens,
  max_prompt_tokens: tokens,
  image: flag,
  audio: flag,
  file: flag,
  tools: flag,
  tags: names,
  groups: names,
  hours: fieldsOf({ from: timeOfDay, to: timeOfDay, zone: timeZone }),
  channel_tags: names,
  regions: listOf(regionPattern),
});

/** A candidate as JSON. Absent: weight 1, and no condition. */
export type CandidateDefinition = ReturnType<typeof readCandidateFields>;

const readDefinitionFields = fieldsOf({
  description,
  enabled: flag,
  strategy: oneOf(STRATEGIES),
  candidates: listOf(readCandidateFields),
  queue: fieldsOf({
    max_wait_ms: integerFrom(1, MAX_WAIT_MS),
    max_length: integerFrom(1, MAX_QUEUE_LENGTH),
    groups: names,
  }),
  experiment: fieldsOf({
    mode: oneOf(EXPERIMENT_MODES),
    candidate: readCandidateFields,
    percent: integerFrom(1, 100),
    max_usd_per_day: integerFrom(1, MAX_USD_PER_DAY),
    max_concurrent: integerFrom(1, MAX_COPIES),
    judge: fieldsOf({ model: modelName, group: text, percent: integerFrom(1, 100), instructions: description }),
  }),
  hedge: fieldsOf({ after_ms: integerFrom(1, MAX_HEDGE_MS), max_extra_percent: integerFrom(1, 100) }),
});

/** A route as JSON. Absent: enabled, strategy “priority”. */
export type RouteDefinition = ReturnType<typeof readDefinitionFields>;

type JudgeDefinition = NonNullable<NonNullable<RouteDefinition["experiment"]>["judge"]>;

/** Checks the definition of a route. Throws FieldError. */
export function readRoute(name: string, value: unknown, field: string): ModelRoute {
  modelName(name, field === "" ? "name" : field);
  const definition = readDefinitionFields(value, field);
  const { enabled: isEnabled = true, strategy = "priority", candidates = [], hedge, queue, experiment } = definition;
  const path = field === "" ? "candidates" : `${field}.candidates`;
  if (candidates.length === 0 || candidates.length > MAX_CANDIDATES) {
    throw new FieldError(path, `a list of 1 to ${MAX_CANDIDATES} models`);
  }
  const read = candidates.map((candidate, at) => readCandidate(candidate, `${path}.${at}`));
  return {
    name,
    definition,
    isEnabled,
    strategy,
    candidates: read,
    hedge: hedge ? readHedge(hedge) : null,
    queue: queue ? readQueue(queue) : null,
    experiment: experiment ? readExperiment(experiment, field === "" ? "experiment" : `${field}.experiment`) : null,
  };
}

const readQueue = ({
  max_wait_ms: maxWaitMs = DEFAULT_WAIT_MS,
  max_length: maxLength = DEFAULT_QUEUE_LENGTH,
  groups = [],
}: NonNullable<RouteDefinition["queue"]>) => ({ maxWaitMs, maxLength, groups });

function readExperiment(
  { mode, candidate, judge, ...limits }: NonNullable<RouteDefinition["experiment"]>,
  field: string,
): RouteExperiment {
  if (mode === undefined) throw new FieldError(`${field}.mode`, EXPERIMENT_MODES.join(" or "));
  if (candidate === undefined) throw new FieldError(`${field}.candidate`, "a model, as in candidates");
  if (judge && mode !== "mirror") throw new FieldError(`${field}.judge`, "absent unless the mode is mirror");
  return {
    key: Bun.hash(JSON.stringify([mode, candidate, judge?.model])).toString(36),
    mode,
    candidate: readCandidate(candidate, `${field}.candidate`),
    percent: limits.percent ?? DEFAULT_EXPERIMENT_PERCENT,
    maxUsdPerDay: limits.max_usd_per_day ?? DEFAULT_USD_PER_DAY,
    maxConcurrent: limits.max_concurrent ?? DEFAULT_COPIES,
    judge: judge ? readJudge(judge, `${field}.judge`) : null,
  };
}

function readJudge(
  { model, group = "default", percent = 100, instructions = "" }: JudgeDefinition,
  field: string,
): NonNullable<RouteExperiment["judge"]> {
  if (model === undefined) throw new FieldError(`${field}.model`, "a model name");
  if (instructions.length > MAX_INSTRUCTIONS) {
    throw new FieldError(`${field}.instructions`, `at most ${MAX_INSTRUCTIONS} characters`);
  }
  return { model, group, percent, instructions };
}

const readHedge = ({
  after_ms: afterMs,
  max_extra_percent: maxExtraPercent = DEFAULT_EXTRA_PERCENT,
}: NonNullable<RouteDefinition["hedge"]>) => ({ afterMs: afterMs ?? null, maxExtraPercent });

function readCandidate(definition: CandidateDefinition, field: string): RouteCandidate {
  const { model, weight = 1, channel_tags: channelTags, regions, hours, tags, groups, ...others } = definition;
  const { min_prompt_tokens: minPromptTokens, max_prompt_tokens: maxPromptTokens, ...contents } = others;
  if (model === undefined) throw new FieldError(`${field}.model`, "a model name");
  if ((minPromptTokens ?? 0) > (maxPromptTokens ?? MAX_PROMPT_TOKENS)) {
    throw new FieldError(`${field}.min_prompt_tokens`, "at most max_prompt_tokens");
  }
  const { image, audio, file, tools } = contents;
  return {
    model,
    weight,
    channelTags: setOf(channelTags) ?? null,
    regions: regions && regions.length > 0 ? regions.map(namePattern) : null,
    conditions: {
      ...{ minPromptTokens, maxPromptTokens, image, audio, file, tools },
      tags: setOf(tags),
      groups: setOf(groups),
      hours: hours && readHours(hours, `${field}.hours`),
    },
  };
}

/** An empty list is no condition. */
const setOf = (list: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  list && list.length > 0 ? new Set(list) : undefined;

function readHours({ from, to, zone = "UTC" }: NonNullable<CandidateDefinition["hours"]>, field: string): Hours {
  if (from === undefined || to === undefined || from === to) {
    throw new FieldError(field, "two different times, from and to");
  }
  return { from: minuteOf(from), to: minuteOf(to), zone };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Routes as JSON by name. */
export const modelRoutes = (traits: Traits): Option<ModelRoutes> =>
  jsonDocument(traits, (value, key) => {
    const entries = Object.entries(objectAt(value, key));
    return new Map(entries.map(([name, route]) => [name, readRoute(name, route, `${key}.${name}`)]));
  });
