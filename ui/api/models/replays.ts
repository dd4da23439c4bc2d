import { readData } from "../client.ts";
import { replayApi } from "../groups.ts";

/** What is read of replays begins with this in the cache. */
export const REPLAYS_KEY = ["replays"] as const;

/** Which calls of the log are set aside. */
export type NewSet = Parameters<typeof replayApi.sets.post>[0];
/** What they are sent to. */
export type NewEvaluation = Parameters<typeof replayApi.evaluations.post>[0];

export const createSet = (set: NewSet) => readData(replayApi.sets.post(set));
export const deleteSet = (id: number) => readData(replayApi.sets.delete({}, { query: { id } }));
export const startEvaluation = (evaluation: NewEvaluation) => readData(replayApi.evaluations.post(evaluation));
