import type { Strategy } from "../../../../src/settings/option/model-routes.ts";
import {
  type CandidateForm,
  candidateError,
  candidateForm,
  candidateOf,
  conditionsOfForm,
  isCount,
  MAX_NAME_LENGTH,
  newCandidate,
  textOf,
} from "./candidate-form.ts";
import { type ExperimentForm, experimentForm, experimentOf, isExperimentValid } from "./experiment-form.ts";
import type { RouteDefinition, RouteView } from "./route-calls.ts";

/** How a route orders its models; the server has the same list. */
export const STRATEGIES = [
  "priority",
  "weighted",
  "least-latency",
  "least-cost",
  "least-busy",
  "balanced",
] as const satisfies readonly Strategy[];

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
  experiment: ExperimentForm;
};

export const MAX_CANDIDATES = 16;
const MAX_HEDGE_MS = 600_000;
const DEFAULT_HEDGE_PERCENT = 10;
const [MAX_WAIT_MS, DEFAULT_WAIT_MS] = [600_000, 30_000];
const [MAX_QUEUE_LENGTH, DEFAULT_QUEUE_LENGTH] = [10_000, 100];

/** The form of a route; null: a new one. */
export const formOf = (route: RouteView | null): RouteForm => ({
  name: route?.name ?? "",
  description: route?.description ?? "",
  isEnabled: route?.enabled ?? true,
  strategy: route?.strategy ?? "priority",
  candidates: route?.candidates?.map(candidateForm) ?? [newCandidate(), newCandidate()],
  isHedged: route?.hedge !== undefined,
  hedgeAfter: textOf(route?.hedge?.after_ms),
  hedgePercent: String(route?.hedge?.max_extra_percent ?? DEFAULT_HEDGE_PERCENT),
  isQueued: route?.queue !== undefined,
  queueWait: String(route?.queue?.max_wait_ms ?? DEFAULT_WAIT_MS),
  queueLength: String(route?.queue?.max_length ?? DEFAULT_QUEUE_LENGTH),
  queueGroups: route?.queue?.groups ?? [],
  experiment: experimentForm(route?.experiment),
});

const firstModel = ([first]: readonly CandidateForm[]): string => first?.model.trim() ?? "";

/** What a change of the models changes too: a route takes the name of its first model, so that clients change nothing, unless another is typed. */
export const followModels = ({ candidates }: Partial<RouteForm>, form: RouteForm): Partial<RouteForm> =>
  candidates && form.name === firstModel(form.candidates) ? { name: firstModel(candidates) } : {};

const isBlank = (candidate: CandidateForm): boolean =>
  candidate.model.trim() === "" && conditionsOfForm(candidate) === 0;

/** The models of a list but for places that are left empty; an empty list has its first place. */
export const filledCandidates = (candidates: readonly CandidateForm[]): readonly CandidateForm[] => {
  const filled = candidates.filter((candidate) => !isBlank(candidate));
  return filled.length === 0 ? candidates.slice(0, 1) : filled;
};

/** The definition to save, without what is at its default. */
export const definitionOf = (form: RouteForm): RouteDefinition => ({
  ...(form.description.trim() && { description: form.description.trim() }),
  ...(!form.isEnabled && { enabled: false }),
  strategy: form.strategy,
  candidates: filledCandidates(form.candidates).map(candidateOf),
  ...(form.isQueued && {
    queue: {
      max_wait_ms: Number(form.queueWait),
      max_length: Number(form.queueLength),
      ...(form.queueGroups.length > 0 && { groups: form.queueGroups }),
    },
  }),
  ...(form.experiment.mode !== "off" && { experiment: experimentOf(form.experiment) }),
  ...(form.isHedged && {
    hedge: {
      ...(form.hedgeAfter.trim() && { after_ms: Number(form.hedgeAfter) }),
      max_extra_percent: Number(form.hedgePercent),
    },
  }),
});

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
      form.candidates.length === 0 ||
      filledCandidates(form.candidates).some((candidate) => candidateError(candidate) !== null)
        ? ("candidates" as const)
        : undefined,
    hedgeAfter: isHedgeValid(form) ? undefined : ("hedge" as const),
    queueWait: isQueueValid(form) ? undefined : ("queue" as const),
    experiment: isExperimentValid(form.experiment) ? undefined : ("experiment" as const),
  };
}

/** The list with the entry at `from` moved to `to`; the same list if there is no such place. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): readonly Entry[] {
  const entry = list[from];
  if (entry === undefined || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, entry);
}
