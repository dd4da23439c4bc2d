import { queryOptions } from "@tanstack/react-query";
import type { ExperimentView } from "../../../../src/domain/models/experiments/list-experiments.ts";
import { readData } from "../../../api/client.ts";
import { experimentApi } from "../../../api/groups.ts";
import { readerClock } from "../../../lib/format/time.ts";
import {
  type CandidateForm,
  candidateError,
  candidateForm,
  candidateOf,
  isCount,
  newCandidate,
} from "./candidate-form.ts";
import type { RouteDefinition } from "./route-calls.ts";

type Definition = NonNullable<RouteDefinition["experiment"]>;

export const EXPERIMENT_MODES = ["off", "canary", "mirror"] as const;

/** The experiment of a route in its form. */
export type ExperimentForm = Readonly<{
  mode: (typeof EXPERIMENT_MODES)[number];
  candidate: CandidateForm;
  percent: string;
  usdPerDay: string;
  concurrent: string;
  /** Empty: responses are not judged. */
  judge: string;
  judgeInstructions: string;
  /** What the form does not show of a judge. */
  judgeRest: Readonly<{ group?: string; percent?: number }>;
}>;

const [DEFAULT_PERCENT, DEFAULT_USD, DEFAULT_COPIES] = [5, 1, 4];
const [MAX_USD, MAX_COPIES, MAX_INSTRUCTIONS] = [1_000_000, 1_000, 4_000];

export function experimentForm(experiment: Definition | undefined): ExperimentForm {
  const { mode = "off", candidate, judge, ...limits } = experiment ?? {};
  const { model: judgeModel = "", instructions = "", ...judgeRest } = judge ?? {};
  return {
    mode,
    candidate: candidate ? candidateForm(candidate) : newCandidate(),
    percent: String(limits.percent ?? DEFAULT_PERCENT),
    usdPerDay: String(limits.max_usd_per_day ?? DEFAULT_USD),
    concurrent: String(limits.max_concurrent ?? DEFAULT_COPIES),
    judge: judgeModel,
    judgeInstructions: instructions,
    judgeRest,
  };
}

/** The definition to save of an experiment that is on. */
export function experimentOf({ mode, candidate, ...form }: ExperimentForm): Definition {
  if (mode === "off") return {};
  const shared = { mode, candidate: candidateOf(candidate), percent: Number(form.percent) };
  if (mode === "canary") return shared;
  const judge = form.judge.trim();
  const instructions = form.judgeInstructions.trim();
  return {
    ...shared,
    max_usd_per_day: Number(form.usdPerDay),
    max_concurrent: Number(form.concurrent),
    ...(judge && { judge: { model: judge, ...(instructions && { instructions }), ...form.judgeRest } }),
  };
}

const isBetween = (text: string, most: number): boolean => isCount(text, most) && Number(text) > 0;

export function isExperimentValid({ mode, candidate, ...form }: ExperimentForm): boolean {
  if (mode === "off") return true;
  if (candidateError(candidate) !== null || !isBetween(form.percent, 100)) return false;
  if (mode === "canary") return true;
  const isJudgeValid = form.judge.length <= 200 && form.judgeInstructions.length <= MAX_INSTRUCTIONS;
  return isBetween(form.usdPerDay, MAX_USD) && isBetween(form.concurrent, MAX_COPIES) && isJudgeValid;
}

export type { ExperimentView };
export type Comparison = ExperimentView["comparisons"][number];

export const experiments = queryOptions({
  queryKey: ["experiments"],
  queryFn: ({ signal }): Promise<readonly ExperimentView[]> => readData(experimentApi.get({ fetch: { signal } })),
});

export const deleteResults = (route: string) => readData(experimentApi.delete({}, { query: { route } }));

/** Both sides of a route's experiment over time; days are those of the reader's clock. */
export const experimentSeries = (route: string, step: "hour" | "day") =>
  queryOptions({
    queryKey: ["experiments", "series", route, step],
    queryFn: ({ signal }) => {
      const query = { route, step, ...readerClock() };
      return readData(experimentApi.series.get({ query, fetch: { signal } }));
    },
  });
