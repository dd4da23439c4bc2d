import type { Strategy } from "../../../../src/settings/option/model-routes.ts";
import { isTimeZone } from "../../../lib/format/time.ts";
import type { Candidate, RouteDefinition, RouteView } from "./route-calls.ts";

/** How a route orders its models; the server has the same list. */
export const STRATEGIES = [
  "priority",
  "weighted",
  "least-latency",
  "least-cost",
  "least-busy",
  "balanced",
] as const satisfies readonly Strategy[];

/** What a call may contain. */
export const CONTENTS = ["image", "audio", "file", "tools"] as const;
export type Content = (typeof CONTENTS)[number];

export const CONTENT_CHOICES = ["any", "with", "without"] as const;
type ContentChoice = (typeof CONTENT_CHOICES)[number];

/** A candidate in the form; `id` identifies it while it moves. */
export type CandidateForm = Readonly<{
  id: string;
  model: string;
  weight: string;
  minTokens: string;
  maxTokens: string;
  contents: Readonly<Record<Content, ContentChoice>>;
  tags: readonly string[];
  groups: readonly string[];
  channelTags: readonly string[];
  /** HH:MM; empty: all day. */
  from: string;
  to: string;
  zone: string;
}>;

export type RouteForm = {
  name: string;
  description: string;
  isEnabled: boolean;
  strategy: Strategy;
  candidates: readonly CandidateForm[];
  isHedged: boolean;
  /** Milliseconds; empty: the channel's 95th percentile. */
  hedgeAfter: string;
  hedgePercent: string;
  isQueued: boolean;
  /** Milliseconds. */
  queueWait: string;
  queueLength: string;
  queueGroups: readonly string[];
};

const ANY: CandidateForm["contents"] = { image: "any", audio: "any", file: "any", tools: "any" };
export const MAX_CANDIDATES = 16;
const MAX_WEIGHT = 10_000;
const MAX_PROMPT_TOKENS = 100_000_000;
const MAX_NAME_LENGTH = 200;
const MAX_HEDGE_MS = 600_000;
const DEFAULT_HEDGE_PERCENT = 10;
const [MAX_WAIT_MS, DEFAULT_WAIT_MS] = [600_000, 30_000];
const [MAX_QUEUE_LENGTH, DEFAULT_QUEUE_LENGTH] = [10_000, 100];

export const newCandidate = (model = ""): CandidateForm => ({
  id: crypto.randomUUID(),
  model,
  weight: "1",
  minTokens: "",
  maxTokens: "",
  contents: ANY,
  tags: [],
  groups: [],
  channelTags: [],
  from: "",
  to: "",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

/** The form of a route; null: a new one. */
export const formOf = (route: RouteView | null): RouteForm => ({
  name: route?.name ?? "",
  description: route?.description ?? "",
  isEnabled: route?.enabled ?? true,
  strategy: route?.strategy ?? "priority",
  candidates: route?.candidates?.map(candidateForm) ?? [newCandidate()],
  isHedged: route?.hedge !== undefined,
  hedgeAfter: textOf(route?.hedge?.after_ms),
  hedgePercent: String(route?.hedge?.max_extra_percent ?? DEFAULT_HEDGE_PERCENT),
  isQueued: route?.queue !== undefined,
  queueWait: String(route?.queue?.max_wait_ms ?? DEFAULT_WAIT_MS),
  queueLength: String(route?.queue?.max_length ?? DEFAULT_QUEUE_LENGTH),
  queueGroups: route?.queue?.groups ?? [],
});

function candidateForm(candidate: Candidate): CandidateForm {
  const { model = "", weight = 1, hours } = candidate;
  const choiceOf = (content: Content): ContentChoice => {
    const required = candidate[content];
    return required === undefined ? "any" : required ? "with" : "without";
  };
  return {
    ...newCandidate(model),
    weight: String(weight),
    minTokens: textOf(candidate.min_prompt_tokens),
    maxTokens: textOf(candidate.max_prompt_tokens),
    contents: { image: choiceOf("image"), audio: choiceOf("audio"), file: choiceOf("file"), tools: choiceOf("tools") },
    tags: candidate.tags ?? [],
    groups: candidate.groups ?? [],
    channelTags: candidate.channel_tags ?? [],
    from: hours?.from ?? "",
    to: hours?.to ?? "",
    ...(hours && { zone: hours.zone ?? "UTC" }),
  };
}

const textOf = (count: number | undefined): string => (count === undefined ? "" : String(count));

/** The definition to save, without what is at its default. */
export const definitionOf = (form: RouteForm): RouteDefinition => ({
  ...(form.description.trim() && { description: form.description.trim() }),
  ...(!form.isEnabled && { enabled: false }),
  strategy: form.strategy,
  candidates: form.candidates.map(candidateOf),
  ...(form.isQueued && {
    queue: {
      max_wait_ms: Number(form.queueWait),
      max_length: Number(form.queueLength),
      ...(form.queueGroups.length > 0 && { groups: form.queueGroups }),
    },
  }),
  ...(form.isHedged && {
    hedge: {
      ...(form.hedgeAfter.trim() && { after_ms: Number(form.hedgeAfter) }),
      max_extra_percent: Number(form.hedgePercent),
    },
  }),
});

const candidateOf = (form: CandidateForm): Candidate => ({
  model: form.model.trim(),
  ...(form.weight.trim() !== "1" && { weight: Number(form.weight) }),
  ...(form.minTokens.trim() && { min_prompt_tokens: Number(form.minTokens) }),
  ...(form.maxTokens.trim() && { max_prompt_tokens: Number(form.maxTokens) }),
  ...Object.fromEntries(
    CONTENTS.flatMap((content) => {
      const choice = form.contents[content];
      return choice === "any" ? [] : [[content, choice === "with"]];
    }),
  ),
  ...(form.tags.length > 0 && { tags: form.tags }),
  ...(form.groups.length > 0 && { groups: form.groups }),
  ...(form.channelTags.length > 0 && { channel_tags: form.channelTags }),
  ...(form.from && { hours: { from: form.from, to: form.to, zone: form.zone.trim() || "UTC" } }),
});

/** The number of conditions of a candidate. */
export const countConditions = (candidate: Candidate): number => Object.keys(candidate).filter(isCondition).length;

/** The same of a candidate that is being edited. */
export const conditionsOfForm = (form: CandidateForm): number => countConditions(candidateOf(form));

const isCondition = (field: string): boolean => field !== "model" && field !== "weight";

/** What is wrong with a candidate: a key under `routes.form.errors`; null: nothing. */
export function candidateError(form: CandidateForm): "model" | "weight" | "tokens" | "hours" | null {
  const model = form.model.trim();
  if (model === "" || model.length > MAX_NAME_LENGTH) return "model";
  if (!isCount(form.weight, MAX_WEIGHT)) return "weight";
  const [min, max] = [form.minTokens.trim(), form.maxTokens.trim()];
  const areCounts = [min, max].every((text) => text === "" || isCount(text, MAX_PROMPT_TOKENS));
  if (!areCounts || (min !== "" && max !== "" && Number(min) > Number(max))) return "tokens";
  if ((form.from === "") !== (form.to === "") || (form.from !== "" && form.from === form.to)) return "hours";
  return isTimeZone(form.zone.trim() || "UTC") ? null : "hours";
}

const isCount = (text: string, most: number): boolean => /^\d{1,9}$/.test(text.trim()) && Number(text) <= most;

function isHedgeValid({ isHedged, hedgeAfter, hedgePercent }: RouteForm): boolean {
  const isDelay = hedgeAfter.trim() === "" || (isCount(hedgeAfter, MAX_HEDGE_MS) && Number(hedgeAfter) > 0);
  return !isHedged || (isDelay && isCount(hedgePercent, 100) && Number(hedgePercent) > 0);
}

function isQueueValid({ isQueued, queueWait, queueLength }: RouteForm): boolean {
  const isPositive = (text: string, most: number) => isCount(text, most) && Number(text) > 0;
  return !isQueued || (isPositive(queueWait, MAX_WAIT_MS) && isPositive(queueLength, MAX_QUEUE_LENGTH));
}

/** What is wrong with the form, by field; `taken`: the names of other routes. */
export function checkRouteForm(form: RouteForm, taken: readonly string[]) {
  const name = form.name.trim();
  const isTaken = taken.includes(name);
  return {
    name: name === "" || name.length > MAX_NAME_LENGTH ? ("name" as const) : isTaken ? ("taken" as const) : undefined,
    description: form.description.length > 500 ? ("description" as const) : undefined,
    candidates:
      form.candidates.length === 0 || form.candidates.some((candidate) => candidateError(candidate) !== null)
        ? ("candidates" as const)
        : undefined,
    hedgeAfter: isHedgeValid(form) ? undefined : ("hedge" as const),
    queueWait: isQueueValid(form) ? undefined : ("queue" as const),
  };
}

/** The list with the entry at `from` moved to `to`; the same list if there is no such place. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): readonly Entry[] {
  const entry = list[from];
  if (entry === undefined || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, entry);
}
