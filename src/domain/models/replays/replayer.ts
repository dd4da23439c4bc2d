import type { ReplayJudge, ReplayTarget, replayCalls } from "../../../../db/schema/models/replays.ts";

/** A request of a set, with the response that it had. */
export type ReplayCall = typeof replayCalls.$inferSelect;

/** What came of a request that was sent again. */
export type ReplayResult = Readonly<{
  /** Null: it succeeded. */
  error: string | null;
  /** The upstream's HTTP status; 0: it sent none. */
  status: number;
  model: string;
  channelId: number;
  latencyMs: number;
  firstTokenMs: number | null;
  /** In quota units, at list price. */
  cost: number;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  text: string;
}>;

/** A judge's verdict: 1: the new response is better, −1: the earlier one, 0: neither; null: its answer was not usable. */
export type ReplayVerdict = Readonly<{
  cost: number;
  verdict: number | null;
  reason: string;
}>;

/** A model call of the operator that is ready to be sent, and what it can cost at most, in quota units. */
export type Prepared<Result> = Readonly<{
  upperCost: number;
  run(): Promise<Result>;
}>;

/** The gateway's part of replays. */
export type Replayer = Readonly<{
  /** Whether a copy of a request has no effect but its cost. */
  isRepeatable(body: Readonly<Record<string, unknown>>): boolean;
  /** The calls by which a target serves a request, in the order in which to try them; a text says why there is none. */
  prepare(call: ReplayCall, target: ReplayTarget): readonly Prepared<ReplayResult>[] | string;
  /** Compares two responses; `swapped`: the new one is shown first. A text says why nobody can. */
  prepareJudge(
    call: ReplayCall,
    judge: ReplayJudge,
    responses: Readonly<{ control: string; trial: string }>,
    swapped: boolean,
  ): Prepared<ReplayVerdict> | string;
}>;
