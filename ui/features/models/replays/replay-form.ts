import { queryOptions } from "@tanstack/react-query";
import type {
  EvaluationResult,
  EvaluationView,
  ReplayedCall,
  ReplaySetView,
} from "../../../../src/domain/models/replays/read-replays.ts";
import { readData } from "../../../api/client.ts";
import { replayApi } from "../../../api/groups.ts";
import { type NewEvaluation, type NewSet, REPLAYS_KEY } from "../../../api/models/replays.ts";
import { isCount } from "../routes/candidate-form.ts";

export const PERIODS = [1, 7, 30] as const;

/** The form of a new set. */
export type SetForm = Readonly<{
  name: string;
  days: number;
  model: string;
  username: string;
  tokenName: string;
  session: string;
  maxCalls: string;
}>;

export const emptySet = (name: string): SetForm => ({
  ...{ name, days: 7, model: "", username: "", tokenName: "", session: "", maxCalls: "100" },
});

const MAX_CALLS = 2_000;

export const checkSet = ({ name, maxCalls }: SetForm) => ({
  name: name.trim() === "" || name.length > 100 ? "name" : undefined,
  maxCalls: isCount(maxCalls, MAX_CALLS) && Number(maxCalls) > 0 ? undefined : "count",
});

export function setOf({ name, days, maxCalls, ...form }: SetForm, nowSeconds: number): NewSet {
  const [model, username, tokenName, session] = [form.model, form.username, form.tokenName, form.session].map((text) =>
    text.trim(),
  );
  return {
    name: name.trim(),
    max_calls: Number(maxCalls),
    filter: {
      ...{ start: nowSeconds - days * 86_400, end: nowSeconds + 1 },
      ...(model && { model }),
      ...(username && { username }),
      ...(tokenName && { token_name: tokenName }),
      ...(session && { session }),
    },
  };
}

/** The form of a new evaluation. */
export type EvaluationForm = Readonly<{
  model: string;
  channelTags: readonly string[];
  hasPrompt: boolean;
  systemPrompt: string;
  /** Dollars for a million tokens; empty: the site's prices. */
  priceInput: string;
  priceOutput: string;
  priceCached: string;
  judge: string;
  instructions: string;
  maxUsd: string;
  concurrent: string;
}>;

export const EMPTY_EVALUATION: EvaluationForm = {
  ...{ model: "", channelTags: [], hasPrompt: false, systemPrompt: "" },
  ...{ priceInput: "", priceOutput: "", priceCached: "", judge: "", instructions: "", maxUsd: "1", concurrent: "4" },
};

const PRICE = /^\d{1,6}(?:\.\d{1,9})?$/;
const [MAX_USD, MAX_CONCURRENT] = [1_000_000, 64];

export function checkEvaluation(form: EvaluationForm) {
  const prices = [form.priceInput, form.priceOutput];
  const isPriced = prices.every((text) => PRICE.test(text));
  const isUnpriced = prices.every((text) => text === "") && form.priceCached === "";
  const isPriceValid = isUnpriced || (isPriced && (form.priceCached === "" || PRICE.test(form.priceCached)));
  const isNothing = form.model.trim() === "" && (!isPriced || form.judge.trim() !== "");
  const isCountOf = (text: string, most: number) => isCount(text, most) && Number(text) > 0;
  return {
    model: isNothing ? "target" : undefined,
    priceInput: isPriceValid ? undefined : "price",
    maxUsd: isCountOf(form.maxUsd, MAX_USD) ? undefined : "count",
    concurrent: isCountOf(form.concurrent, MAX_CONCURRENT) ? undefined : "count",
  };
}

/** `name`: how the list names it. */
export function evaluationOf(setId: number, name: string, form: EvaluationForm): NewEvaluation {
  const [model, judge, instructions] = [form.model.trim(), form.judge.trim(), form.instructions.trim()];
  const prices = {
    ...{ input: Number(form.priceInput), output: Number(form.priceOutput) },
    ...(form.priceCached !== "" && { cached: Number(form.priceCached) }),
  };
  return {
    ...{ set_id: setId, name, max_usd: Number(form.maxUsd), max_concurrent: Number(form.concurrent) },
    target: {
      ...(model && { model }),
      ...(form.channelTags.length > 0 && { channel_tags: [...form.channelTags] }),
      ...(form.hasPrompt && { system_prompt: form.systemPrompt }),
      ...(form.priceInput !== "" && { prices }),
    },
    ...(judge && { judge: { model: judge, ...(instructions && { instructions }) } }),
  };
}

export type { EvaluationResult, EvaluationView, ReplayedCall, ReplaySetView };

/** While an evaluation runs. */
const REFRESH_MS = 3_000;

const isRunning = (views: readonly ReplaySetView[] | undefined): boolean =>
  views?.some(({ evaluations }) => evaluations.some(({ status }) => status === "running")) ?? false;

export const replaySets = queryOptions({
  queryKey: [...REPLAYS_KEY, "sets"],
  queryFn: ({ signal }): Promise<readonly ReplaySetView[]> => readData(replayApi.sets.get({ fetch: { signal } })),
  refetchInterval: ({ state }) => (isRunning(state.data) ? REFRESH_MS : false),
});

export const evaluationResult = (id: number, page: number) =>
  queryOptions({
    queryKey: [...REPLAYS_KEY, "evaluation", id, page],
    queryFn: ({ signal }): Promise<EvaluationResult> =>
      readData(replayApi.evaluations.one.get({ query: { id, p: page }, fetch: { signal } })),
    refetchInterval: ({ state }) => (state.data?.evaluation.status === "running" ? REFRESH_MS : false),
  });

export const stopEvaluation = (id: number) => readData(replayApi.evaluations.stop.post({ id }));
export const resumeEvaluation = (id: number, maxUsd: number | undefined) =>
  readData(replayApi.evaluations.resume.post({ id, ...(maxUsd && { max_usd: maxUsd }) }));
export const deleteEvaluation = (id: number) => readData(replayApi.evaluations.delete({}, { query: { id } }));
