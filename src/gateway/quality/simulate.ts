import { charge } from "../../billing/pricing/charge.ts";
import type { Outcomes, PastCall } from "../../domain/models/routes/simulation.ts";
import { NO_USAGE } from "../../formats/conversation/reply.ts";
import type { ModelRoute, RouteCandidate } from "../../settings/option/model-routes.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools } from "../call/services.ts";
import type { Pricing } from "../money/price.ts";
import { unmetCondition } from "../routing/routes/conditions.ts";
import { orderContenders } from "../routing/routes/order.ts";

type Context = Pick<CallTools, "random"> & Pricing;

/** What the log knows of a model. */
type Record = Readonly<{ success: number; msPerCall: number; tokensPerSecond: number | null }>;

/**
 * Predicts what past calls would have cost and taken under a route: each goes through its candidates in the order of the
 * strategy, a candidate succeeds as often as its model did, and costs what the call's own tokens cost there today. What calls
 * contained and their tags is not in the log: they count as plain text without tags.
 */
export function predictOutcomes(
  context: Context,
  route: ModelRoute,
  calls: readonly PastCall[],
  known: readonly PastCall[],
): Outcomes {
  const records = new Map([...Map.groupBy(known, ({ model }) => model)].map(([model, of]) => [model, recordOf(of)]));
  const sums = { success: 0, cost: 0, costKnown: 0, latencyMs: 0, latencyKnown: 0, refused: 0 };
  const served = new Map<string, number>();
  for (const call of calls) {
    const contenders = contendersFor(context, route, call, records);
    if (contenders.length === 0) sums.refused += 1;
    let reached = 1;
    for (const { candidate, cost, latencyMs, success } of orderContenders(route.strategy, contenders, context.random)) {
      const share = reached * success;
      if (share === 0) continue;
      served.set(candidate.model, (served.get(candidate.model) ?? 0) + share);
      sums.success += share;
      sums.cost += share * cost;
      sums.costKnown += share;
      if (latencyMs !== null) {
        sums.latencyMs += share * latencyMs;
        sums.latencyKnown += share;
      }
      reached -= share;
    }
  }
  const shares = [...served].map(([model, count]) => [model, count / calls.length]);
  return {
    cost: sums.costKnown > 0 ? sums.cost / sums.costKnown : null,
    latency_ms: sums.latencyKnown > 0 ? sums.latencyMs / sums.latencyKnown : null,
    success: calls.length > 0 ? sums.success / calls.length : null,
    shares: Object.fromEntries(shares),
    refused: sums.refused,
  };
}

function recordOf(calls: readonly PastCall[]): Record {
  const succeeded = calls.filter(({ failed }) => !failed);
  const totalMs = succeeded.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
  const tokens = succeeded.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
  return {
    success: succeeded.length / calls.length,
    msPerCall: succeeded.length > 0 ? totalMs / succeeded.length : 0,
    tokensPerSecond: totalMs > 0 && tokens > 0 ? (tokens * 1000) / totalMs : null,
  };
}

function contendersFor(context: Context, route: ModelRoute, call: PastCall, records: ReadonlyMap<string, Record>) {
  const facts = {
    ...{ promptTokens: call.promptTokens, image: false, audio: false, file: false, tools: false },
    ...{ tags: new Set<string>(), group: call.group, nowMs: call.createdAt * 1000 },
  };
  return route.candidates.flatMap((candidate) => {
    if (unmetCondition(candidate.conditions, facts) !== null) return [];
    const cost = costOf(context, candidate, call);
    if (cost === null) return [];
    const record = records.get(candidate.model);
    const speed = record?.tokensPerSecond ?? null;
    const latencyMs = record ? (speed === null ? record.msPerCall : (call.completionTokens * 1000) / speed) : null;
    return {
      ...{ candidate, cost, latencyMs, weight: candidate.weight, rank: 0 as const },
      // Nothing is known: it is assumed to work.
      success: record?.success ?? 1,
      figures: { firstTokenMs: null, tokensPerSecond: speed, latencyMs, cost, inFlight: 0 },
    };
  });
}

/** What a call's tokens cost at the candidate's price of today; null: it has none. */
function costOf({ prices }: Context, { model }: RouteCandidate, call: PastCall): number | null {
  try {
    const price = prices.of({ group: call.group, user: { acceptUnsetPrice: false } }, model, model);
    const { promptTokens, completionTokens, cachedTokens } = call;
    // A cache hit at one model is none at another.
    const cached = call.model === model ? cachedTokens : 0;
    return charge(price, { ...NO_USAGE, promptTokens, completionTokens, cachedTokens: cached }, prices.quotaPerUnit())
      .quota;
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}
