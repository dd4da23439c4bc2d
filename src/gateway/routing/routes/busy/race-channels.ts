import { estimate } from "../../../../billing/pricing/charge.ts";
import type { Attempt, Price } from "../../../../billing/types.ts";
import { ONE } from "../../../../lib/values/decimal.ts";
import type { Call } from "../../../call/call.ts";
import { AttemptLog, CallTiming, ClientPresence } from "../../../call/progress.ts";
import type { Choice, HedgeRule } from "../../../call/route.ts";
import type { PricedCall, Pricing } from "../../../money/price.ts";
import { discardResponse } from "../../../upstream/filtered.ts";
import type { Answer } from "../../../upstream/receive.ts";
import type { RoutingMemory } from "../../memory.ts";
import type { Router } from "../../router.ts";

/** Tries one channel for a call. Rejects AttemptFailure if another channel may be tried. */
export type TryChannel<Context, T> = (
  context: Context,
  model: PricedCall,
  choice: Choice,
  router: Router,
) => Promise<T>;

/** What a race asks of whoever runs the call. */
export type Race<Result> = Readonly<{
  call: Call;
  hedge: HedgeRule;
  choice: Choice;
  /** Another channel that could serve the call now; null: there is none. */
  alternative: () => Promise<Choice | null>;
  attempt: (call: Call, choice: Choice) => Promise<Result>;
  /** Ends a response that nobody wants any more. */
  discard: (result: Result) => void;
  /** A channel failed although the call goes on. */
  onFailed: (choice: Choice, error: unknown) => void;
}>;

type Lane<Result> = Readonly<{ choice: Choice; call: Call; outcome: Promise<Outcome<Result>> }>;
type Outcome<Result> = Readonly<{ result: Result } | { error: unknown }>;

/**
 * Runs an attempt, and a second one on another channel if the first has no token after the hedge's delay and its budget
 * allows it. Resolves with the first that responds; the other is cancelled, and its entry in the call's log says what it
 * cost the operator. The call is charged by the channel that served it. Rejects with the first attempt's error if all fail.
 */
async function raceChannels<Result>(
  context: Pricing & Pick<RoutingMemory, "hedges">,
  race: Race<Result>,
): Promise<Readonly<{ choice: Choice; result: Result }>> {
  const { hedges } = context;
  const { call, hedge } = race;
  const { timing } = call.progress;
  const startMs = timing.elapsedMs;
  const model = call.summary.model;
  const first = startLane(race, race.choice, call.trace);
  const cost = promptCost(context, call, first.call.progress.attempts.latest?.price ?? null);
  hedges.spend(hedge.route, cost);
  const lanes = [first];
  call.progress.client.onLeave = () => {
    for (const lane of lanes) lane.call.progress.client.leave();
  };
  try {
    const delayMs = hedge.afterMs ?? hedges.p95(race.choice.channel.id, model);
    const isLate = delayMs !== null && (await isPendingAfter(first.outcome, delayMs));
    const other = isLate && !call.progress.client.hasLeft ? await race.alternative() : null;
    if (other && hedges.reserve(hedge.route, cost, hedge.maxExtraPercent)) {
      const second = startLane(race, other, null);
      lanes.push(second);
    }
    const winner = await firstSuccess(lanes);
    if (!winner) {
      if (lanes.length > 1) hedges.release(hedge.route, cost);
      return await failAll(race, lanes);
    }
    const { lane, result } = winner;
    // Where it lost, it would have taken longer.
    hedges.observe(race.choice.channel.id, model, timing.elapsedMs - startMs);
    for (const loser of lanes.filter((each) => each !== lane)) await endLoser(race, loser, lane, cost);
    adopt(call, lane);
    return { choice: lane.choice, result };
  } finally {
    timing.waitedMs += timing.elapsedMs - startMs;
  }
}

/** An attempt with its own log, clock and sight of the client, so that two do not mix. */
function startLane<Result>(race: Race<Result>, choice: Choice, trace: Call["trace"]): Lane<Result> {
  const { call } = race;
  const own = {
    ...call,
    progress: {
      attempts: new AttemptLog(),
      client: new ClientPresence(call.request),
      timing: new CallTiming(call.progress.timing.startedAtMs),
      cache: null,
      guard: call.progress.guard,
    },
    trace,
  };
  const outcome = race.attempt(own, choice).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return { choice, call: own, outcome };
}

async function isPendingAfter(outcome: Promise<unknown>, delayMs: number): Promise<boolean> {
  let timer: Timer | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), delayMs);
  });
  try {
    return await Promise.race([outcome.then(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The lane that responds first; null: all failed. */
async function firstSuccess<Result>(lanes: readonly Lane<Result>[]) {
  const running = lanes.map(async (lane) => {
    const outcome = await lane.outcome;
    if ("error" in outcome) throw outcome.error;
    return { lane, result: outcome.result };
  });
  return Promise.any(running).catch(() => null);
}

async function failAll<Result>(race: Race<Result>, lanes: readonly Lane<Result>[]): Promise<never> {
  const failures: unknown[] = [];
  for (const lane of lanes) {
    const outcome = await lane.outcome;
    adopt(race.call, lane);
    if (!("error" in outcome)) continue;
    failures.push(outcome.error);
    if (lane !== lanes[0]) race.onFailed(lane.choice, outcome.error);
  }
  throw failures[0];
}

/** Cancels the attempt that lost, or notes that it had failed, and logs it before the one that served the call. */
async function endLoser<Result>(race: Race<Result>, loser: Lane<Result>, winner: Lane<Result>, cost: number) {
  const { call } = race;
  const early = await Promise.race([loser.outcome, null]);
  if (early && "error" in early) race.onFailed(loser.choice, early.error);
  else {
    for (const entry of loser.call.progress.attempts.entries) {
      call.progress.attempts.entries.push({
        ...entry,
        endMs: Math.round(call.progress.timing.elapsedMs),
        ...CANCELLED,
        cost,
      });
    }
    loser.call.progress.client.leave();
    void loser.outcome.then((outcome) => "result" in outcome && race.discard(outcome.result));
  }
  if (early && "error" in early) call.progress.attempts.entries.push(...loser.call.progress.attempts.entries);
  const { trace } = loser.call;
  const last = call.progress.attempts.entries.at(-1);
  if (!trace || !last || !winner.call.progress.attempts.latest) return;
  trace.failAttempt(last);
  trace.beginAttempt(winner.call.progress.attempts.latest);
}

const CANCELLED = { isCancelled: true } as const satisfies Partial<Attempt>;

/** The call goes on as this lane left it. */
function adopt(call: Call, { call: lane }: Lane<unknown>): void {
  const { attempts, client } = lane.progress;
  call.progress.attempts.entries.push(...attempts.entries);
  call.progress.attempts.latest = attempts.latest;
  call.progress.client.onLeave = client.onLeave;
}

/** What a provider charges for a prompt at least: the list price without the group's factor, in quota units. */
function promptCost({ prices }: Pricing, { typicalTokens }: Call, price: Price | null): number {
  if (!price) return 0;
  const expected = { promptTokens: typicalTokens, maxOutputTokens: 0, defaultOutputTokens: 0 };
  return estimate({ ...price, groupRatio: ONE }, expected, prices.quotaPerUnit());
}

/** `attempt` with a second one on another channel if the first has no token in time. */
export function hedged<Context extends Pricing & Pick<RoutingMemory, "hedges">>(
  hedge: HedgeRule,
  attempt: TryChannel<Context, Answer>,
): TryChannel<Context, Answer> {
  return async (context, { call, prices }, choice, router) => {
    const served = await raceChannels<Answer>(context, {
      ...{ call, hedge, choice },
      alternative: () => router.admittedAlternativeTo(choice),
      attempt: (own, other) => attempt(context, { call: own, prices }, other, router),
      discard: discardResponse,
      onFailed: (other, error) => router.noteFailure(other, error),
    });
    router.servedBy(served.choice);
    return served.result;
  };
}
