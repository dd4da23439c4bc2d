import { queryOptions } from "@tanstack/react-query";
import type {
  EvaluationResult,
  EvaluationView,
  ReplayedCall,
  ReplaySetView,
} from "../../../../src/domain/models/replays/read-replays.ts";
import { readData } from "../../../api/client.ts";
import { replayApi } from "../../../api/groups.ts";

export type { EvaluationResult, EvaluationView, ReplayedCall, ReplaySetView };

/** While an evaluation runs. */
const REFRESH_MS = 3_000;

const isRunning = (views: readonly ReplaySetView[] | undefined): boolean =>
  views?.some(({ evaluations }) => evaluations.some(({ status }) => status === "running")) ?? false;

export const replaySets = queryOptions({
  queryKey: ["replays", "sets"],
  queryFn: ({ signal }): Promise<readonly ReplaySetView[]> => readData(replayApi.sets.get({ fetch: { signal } })),
  refetchInterval: ({ state }) => (isRunning(state.data) ? REFRESH_MS : false),
});

export const evaluationResult = (id: number, page: number) =>
  queryOptions({
    queryKey: ["replays", "evaluation", id, page],
    queryFn: ({ signal }): Promise<EvaluationResult> =>
      readData(replayApi.evaluations.one.get({ query: { id, p: page }, fetch: { signal } })),
    refetchInterval: ({ state }) => (state.data?.evaluation.status === "running" ? REFRESH_MS : false),
  });

export type NewSet = Parameters<typeof replayApi.sets.post>[0];
export type NewEvaluation = Parameters<typeof replayApi.evaluations.post>[0];

export const createSet = (set: NewSet) => readData(replayApi.sets.post(set));
export const deleteSet = (id: number) => readData(replayApi.sets.delete({}, { query: { id } }));
export const startEvaluation = (evaluation: NewEvaluation) => readData(replayApi.evaluations.post(evaluation));
export const stopEvaluation = (id: number) => readData(replayApi.evaluations.stop.post({ id }));
export const resumeEvaluation = (id: number, maxUsd: number | undefined) =>
  readData(replayApi.evaluations.resume.post({ id, ...(maxUsd && { max_usd: maxUsd }) }));
export const deleteEvaluation = (id: number) => readData(replayApi.evaluations.delete({}, { query: { id } }));
