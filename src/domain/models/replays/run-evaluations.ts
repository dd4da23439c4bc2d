import { and, asc, eq, isNull } from "drizzle-orm";
import { evaluationResults, evaluations, replayCalls } from "../../../../db/schema/models/replays.ts";
import type { Db } from "../../../../db/types.ts";
import { reserveSpend, type SpendReservation, settleSpend } from "../../../billing/operator-spend.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Settings } from "../../../settings/settings.ts";
import { ALL_DAYS, type Evaluation, evaluationPurpose } from "./manage-evaluations.ts";
import { priceTokens } from "./price-tokens.ts";
import type { Prepared, ReplayCall, Replayer, ReplayResult } from "./replayer.ts";

type Deps = Readonly<{
  db: Db;
  settings: Pick<Settings, "get">;
  replayer: Replayer;
  log: Logger;
  /** Waits before a busy provider is asked again; of tests. */
  sleep?: (ms: number) => Promise<unknown>;
}>;

type Result = typeof evaluationResults.$inferInsert;
type Judged = Pick<Result, "verdict" | "isSure" | "verdictReason" | "judgeCost">;

const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);
const WAITS_MS = [2_000, 8_000];
const NOT_JUDGED: Judged = {
  verdict: null,
  isSure: null,
  verdictReason: "",
  judgeCost: 0,
};

/** The budget does not allow another call. */
class OverBudget extends Error {}

/** Runs evaluations one after the other until none is left, or the signal is aborted; then calls in progress still end. */
export async function runEvaluations(deps: Deps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [evaluation] = await deps.db
      .select()
      .from(evaluations)
      .where(eq(evaluations.status, "running"))
      .orderBy(asc(evaluations.id))
      .limit(1);
    if (!evaluation || signal.aborted) return;
    await runEvaluation(deps, evaluation, signal);
    if (signal.aborted) return;
  }
}

async function runEvaluation(deps: Deps, evaluation: Evaluation, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  const waiting = await readPending(db, evaluation);
  let inProgress = 0;
  let isOverBudget = false;
  const work = async () => {
    for (;;) {
      const position = waiting.shift();
      if (position === undefined || isOverBudget || signal.aborted || !(await isRunning(db, evaluation.id))) return;
      inProgress += 1;
      try {
        await replayOne(deps, evaluation, position);
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error;
        // What calls in progress reserved may come back.
        waiting.unshift(position);
        if (inProgress === 1) isOverBudget = true;
        else return;
      } finally {
        inProgress -= 1;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: evaluation.maxConcurrent }, work));
  for (const each of ended) if (each.status === "rejected") throw each.reason;
  if (signal.aborted) return;
  const status = isOverBudget ? "over_budget" : waiting.length === 0 ? "complete" : null;
  if (status === null) return;
  await db
    .update(evaluations)
    .set({ status })
    .where(and(eq(evaluations.id, evaluation.id), eq(evaluations.status, "running")));
}

async function readPending(db: Db, { id, setId }: Evaluation): Promise<number[]> {
  const rows = await db
    .select({ position: replayCalls.position })
    .from(replayCalls)
    .leftJoin(
      evaluationResults,
      and(eq(evaluationResults.evaluationId, id), eq(evaluationResults.position, replayCalls.position)),
    )
    .where(and(eq(replayCalls.setId, setId), isNull(evaluationResults.position)))
    .orderBy(asc(replayCalls.position));
  return rows.map(({ position }) => position);
}

async function isRunning(db: Db, id: number): Promise<boolean> {
  const [row] = await db.select({ status: evaluations.status }).from(evaluations).where(eq(evaluations.id, id));
  return row?.status === "running";
}

/** Replays a request and keeps the result with what it cost. Throws OverBudget. */
async function replayOne(deps: Deps, evaluation: Evaluation, position: number): Promise<void> {
  const { db, settings } = deps;
  const [call] = await db
    .select()
    .from(replayCalls)
    .where(and(eq(replayCalls.setId, evaluation.setId), eq(replayCalls.position, position)));
  if (!call) return;
  const { target } = evaluation;
  const result = target.model === undefined ? repriced(call) : await send(deps, evaluation, call);
  const cost = target.prices
    ? priceTokens(target.prices, { ...call, ...result }, settings.get("QuotaPerUnit"))
    : result.cost;
  const judged = result.error === null ? await judge(deps, evaluation, call, result) : NOT_JUDGED;
  const { error, model, channelId, latencyMs, firstTokenMs, promptTokens, completionTokens, text } = result;
  await db
    .insert(evaluationResults)
    .values({
      ...{
        evaluationId: evaluation.id,
        position,
        model,
        channelId,
        failed: error !== null,
        error: error ?? "",
      },
      ...{
        latencyMs,
        firstTokenMs,
        promptTokens,
        completionTokens,
        text,
        cost,
      },
      ...judged,
    })
    // Another process has taken over meanwhile.
    .onConflictDoNothing();
}

/** The earlier response, to compare prices alone. */
const repriced = (call: ReplayCall): ReplayResult => ({
  ...{
    error: call.failed ? "the request failed" : null,
    status: 0,
    model: call.model,
    channelId: call.channelId,
  },
  ...{
    latencyMs: call.latencyMs,
    firstTokenMs: call.firstTokenMs,
    cost: 0,
    text: call.text,
  },
  ...{
    promptTokens: call.promptTokens,
    completionTokens: call.completionTokens,
    cachedTokens: call.cachedTokens,
  },
});

/** Sends a request to the models of a target until one responds; a busy provider is asked again. */
async function send(deps: Deps, evaluation: Evaluation, call: ReplayCall): Promise<ReplayResult> {
  const { replayer, sleep = Bun.sleep } = deps;
  let cost = 0;
  for (let tried = 0; ; tried += 1) {
    const prepared = replayer.prepare(call, evaluation.target);
    if (typeof prepared === "string") return { ...failed(call, prepared), cost };
    let last = failed(call, "no model serves the request");
    for (const each of prepared) {
      last = await spend(deps, evaluation, each, (result) => result.cost);
      cost += last.cost;
      if (last.error === null) return { ...last, cost };
    }
    const waitMs = WAITS_MS[tried];
    if (!BUSY.has(last.status) || waitMs === undefined) return { ...last, cost };
    await sleep(waitMs);
  }
}

const failed = ({ model }: ReplayCall, error: string): ReplayResult => ({
  ...{
    error,
    status: 0,
    model,
    channelId: 0,
    latencyMs: 0,
    firstTokenMs: null,
    cost: 0,
  },
  ...{ promptTokens: 0, cachedTokens: 0, completionTokens: 0, text: "" },
});

/** Sends a call within the evaluation's budget. Throws OverBudget. */
async function spend<R>(
  { db }: Deps,
  { id, maxCost }: Evaluation,
  { upperCost, run }: Prepared<R>,
  costOf: (result: R) => number,
): Promise<R> {
  const request: SpendReservation = {
    purpose: evaluationPurpose(id),
    day: ALL_DAYS,
    amount: upperCost,
  };
  const reservation = await reserveSpend(db, request, maxCost);
  if (!reservation) throw new OverBudget();
  const result = await run();
  await settleSpend(db, reservation, costOf(result));
  return result;
}

/** Where a response was cut when it was logged, a comparison would be unfair. */
const isComparable = (text: string): boolean => text !== "" && !text.endsWith("…");

/**
 * Has both responses compared twice, each shown first once, because judges favor a position: only a verdict given both times
 * counts, else it is a tie.
 */
async function judge(deps: Deps, evaluation: Evaluation, call: ReplayCall, result: ReplayResult): Promise<Judged> {
  const { judge: rule } = evaluation;
  if (!rule || call.failed || !isComparable(call.text) || result.text === "") return NOT_JUDGED;
  const responses = { control: call.text, trial: result.text };
  let judgeCost = 0;
  const answers: (Readonly<{ verdict: number; reason: string }> | null)[] = [];
  for (const swapped of [false, true]) {
    const prepared = deps.replayer.prepareJudge(call, rule, responses, swapped);
    if (typeof prepared === "string") return { ...NOT_JUDGED, verdictReason: prepared, judgeCost };
    let cost = 0;
    try {
      const { verdict, reason, cost: own } = await spend(deps, evaluation, prepared, (each) => each.cost);
      cost = own;
      answers.push(verdict === null ? null : { verdict, reason });
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      return { ...NOT_JUDGED, judgeCost };
    }
    judgeCost += cost;
  }
  const [first, second] = answers;
  if (!first || !second) return { ...NOT_JUDGED, judgeCost };
  const isSure = first.verdict === second.verdict;
  return {
    verdict: isSure ? first.verdict : 0,
    isSure,
    verdictReason: first.reason,
    judgeCost,
  };
}

/** Runs evaluations with the gateway that is attached; without one, none. */
export function createReplays(deps: Omit<Deps, "replayer">) {
  let replayer: Replayer | null = null;
  return {
    attach(attached: Replayer): void {
      replayer = attached;
    },
    async run(signal: AbortSignal): Promise<void> {
      if (replayer) await runEvaluations({ ...deps, replayer }, signal);
    },
  };
}

export type Replays = ReturnType<typeof createReplays>;
