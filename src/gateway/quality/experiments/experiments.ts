import { charge } from "../../../billing/pricing/charge.ts";
import { inTiers, NO_TIERS } from "../../../billing/pricing/service-tiers.ts";
import type { UsageRecord } from "../../../billing/types.ts";
import type { ExperimentCall, ExperimentStore } from "../../../domain/models/experiments/store.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { integer, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import type { ExperimentPart, RoutePlan } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import type { Pricing } from "../../money/price.ts";
import { isRepeatable } from "./is-repeatable.ts";
import { askJudge, judgeCall } from "./judge.ts";
import type { RunUnchargedContext } from "./run-uncharged.ts";
import {
  copyCall,
  durationsOf,
  listPrice,
  runUncharged,
  type UnchargedCall,
  type UnchargedResult,
  upperListCost,
} from "./run-uncharged.ts";

/** The experiments of routes: compares calls that have ended, and sends copies of them. */
export type Experiments = {
  /** A call of a route has ended. `text`: what was responded; null: it failed before. */
  ended(call: Call, plan: RoutePlan, row: UsageRecord, result: Ended | null): void;
};

type Ended = Readonly<{ usage: Usage; text: () => string }>;

/** Faults of the request itself: any model would refuse it. */
const CLIENT_FAULTS: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 422, 499]);

/** Runs the experiments of routes: canaries and mirrors. `findContext`: with what their own calls are made. */
export function createExperiments(findContext: () => RunUnchargedContext & Uses<"experiments">): Experiments {
  /** Copies in progress by route. */
  const copies = new Map<string, number>();
  return {
    ended(call, { experiment, targets }, row, result) {
      const context = findContext();
      const store = context.services.experiments;
      if (!store || !experiment?.isCounted || call.progress.attempts.isEmpty || row.other.ending === "client_left")
        return;
      if (row.failed && CLIENT_FAULTS.has(row.other.status ?? 0)) return;
      const isServed = call.candidates === targets[0]?.candidates;
      const own = outcomeOf(context, call, experiment, row, result, !row.failed && isServed);
      if (experiment.part !== "mirror") {
        store.keep(own);
        return;
      }
      const running = copies.get(experiment.route) ?? 0;
      if (running >= experiment.rule.maxConcurrent || !isRepeatable(call)) return;
      copies.set(experiment.route, running + 1);
      const text = result && !row.failed ? result.text() : null;
      // After the response has been sent: the copy delays nothing.
      setTimeout(async () => {
        try {
          await mirror(context, store, call, experiment, { ...own, ...durationsOf(call), failed: row.failed }, text);
        } catch (error) {
          context.services.log.warn({ error, route: experiment.route }, "a call could not be mirrored");
        } finally {
          copies.set(experiment.route, (copies.get(experiment.route) ?? 1) - 1);
        }
      });
    },
  };
}

function outcomeOf(
  context: Pricing,
  call: Call,
  { route, rule, part }: ExperimentPart,
  row: UsageRecord,
  result: Ended | null,
  succeeded: boolean,
): ExperimentCall {
  const price = call.servedBy?.price;
  const { firstByteMs } = call.progress.timing;
  const tiers = row.other.receipt?.serviceTier?.split(", ") ?? NO_TIERS;
  return {
    ...{ route, experiment: rule.key, isTrial: part === "trial", requestId: call.recordId },
    createdAt: nowSeconds(),
    ...{ model: call.summary.model, channelId: row.channelId, failed: !succeeded, status: row.other.status ?? 0 },
    latencyMs: row.elapsedMs,
    firstTokenMs: call.summary.stream && firstByteMs !== null ? Math.round(firstByteMs) : null,
    cost:
      price && result ? charge(inTiers(listPrice(price), tiers), result.usage, context.prices.quotaPerUnit()).quota : 0,
    ...{ promptTokens: row.promptTokens, completionTokens: row.completionTokens },
  };
}

/** Sends a copy of a call to the experiment's model, has both responses judged, and keeps both sides. */
async function mirror(
  context: RunUnchargedContext,
  experiments: ExperimentStore,
  call: Call,
  { route, rule, target }: ExperimentPart,
  control: ExperimentCall,
  text: string | null,
): Promise<void> {
  const limit = roundToInteger(multiply(integer(rule.maxUsdPerDay), context.prices.quotaPerUnit()));
  const copy = copyCall(context, call, target);
  const reservation = await experiments.reserve(route, upperListCost(context, copy), limit);
  if (!reservation) return;
  const result = await runUncharged(context, copy);
  const spent = [{ reservation, spent: result.cost }];
  const judged = text === null ? null : await judge(context, call, { experiments, route, rule, limit }, text, result);
  if (judged) spent.push({ reservation: judged.reservation, spent: judged.cost });
  const trial: ExperimentCall = {
    ...{ route, experiment: rule.key, isTrial: true, requestId: call.recordId, createdAt: nowSeconds() },
    ...{ model: result.model, channelId: result.channelId, failed: result.error !== null, status: result.status },
    ...{ latencyMs: result.latencyMs, firstTokenMs: result.firstTokenMs, cost: result.cost },
    ...{ promptTokens: result.usage.promptTokens, completionTokens: result.usage.completionTokens },
    ...{ judgeCost: judged?.cost ?? 0, verdict: judged?.verdict?.verdict ?? null },
    verdictReason: judged?.verdict?.reason ?? "",
  };
  await experiments.settle(spent, [control, trial]);
}

/** Null: it is not to be judged, or the day's budget is used up. */
async function judge(
  context: RunUnchargedContext,
  { caller, prompt }: Call,
  {
    experiments,
    route,
    rule,
    limit,
  }: Readonly<{
    experiments: ExperimentStore;
    route: string;
    rule: ExperimentPart["rule"];
    limit: number;
  }>,
  control: string,
  { error, text: trial }: UnchargedResult,
) {
  const { judge } = rule;
  if (!judge || error !== null || context.random() * 100 >= judge.percent) return null;
  // Judges favor a position: it is drawn for each pair.
  const swapped = context.random() < 0.5;
  const question = judgeOrNull(context, () => judgeCall(context, caller, judge, { prompt, control, trial }, swapped));
  const reservation = question && (await experiments.reserve(route, upperListCost(context, question), limit));
  return reservation ? { reservation, ...(await askJudge(context, question, swapped)) } : null;
}

/** Null: no channel has the judge, or it has no price. */
function judgeOrNull(context: Uses<"log">, make: () => UnchargedCall): UnchargedCall | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    context.services.log.warn({ reason: error.reason }, "a judge did not work");
    return null;
  }
}
