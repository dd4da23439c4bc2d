import { type Attempt, failureNote } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import type { CallPrices } from "../billing/price-call.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError, shuttingDown } from "../call/errors.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import { AttemptFailure, failureKind, noResponse } from "./attempt-failure.ts";
import { bindChannel, type Route } from "./bind-channel.ts";
import { Exchange } from "./exchange.ts";

/** An attempt in progress. */
export type RunningAttempt = Readonly<{
  route: Route;
  exchange: Exchange;
  /** Its entry in the call's log row. */
  entry: Attempt;
}>;

/**
 * Runs one attempt with a channel and records its outcome in the call's log, the scheduler and the channel's traffic.
 * `timeoutMs`: limit until the first response's headers; absent: the channel's own limit, or the general one. Rejects
 * AttemptFailure if another channel may be tried, else GatewayError or DecodeError.
 */
export async function trackAttempt<Result>(
  context: GatewayContext,
  call: Call,
  prices: CallPrices,
  choice: Choice,
  work: (attempt: RunningAttempt) => Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  const { channel, key } = choice;
  const { timing, attempts, client } = call;
  const budgetMs = timeoutMs === undefined ? firstByteBudgetMs(channel) : null;
  const exchange = new Exchange(context.deadlines, timeoutMs ?? budgetMs ?? context.services.config.relayTimeoutMs);
  const startMs = timing.elapsedMs;
  const entry = attempts.begin(choice, startMs);
  context.coolDown.begin(channel.id, key);
  context.traffic.begin(channel.id, key);
  let failed: boolean | null = null;
  try {
    const route = bindChannel(call, prices, choice);
    attempts.route = route;
    call.trace?.beginAttempt(route);
    const result = await work({ route, exchange, entry });
    failed = false;
    return result;
  } catch (thrown) {
    const cause = exchange.stopped === "shutdown" ? shuttingDown() : thrown;
    exchange.abort();
    if (cause instanceof DecodeError || cause instanceof GatewayError) {
      Object.assign(entry, failureNote(cause.reason));
      call.trace?.failAttempt(entry);
      throw cause;
    }
    const failure = cause instanceof AttemptFailure ? cause : failureOf(choice, exchange, cause, budgetMs !== null);
    if (failure.answered) entry.status = failure.status;
    Object.assign(entry, failureNote(failure.detail));
    call.trace?.failAttempt(entry);
    // A client's invalid request or disconnect says nothing about the upstream.
    failed = client.hasLeft || (failure.answered && isClientsFault(failure.status)) ? null : true;
    throw failure;
  } finally {
    const endMs = timing.elapsedMs;
    const waitedMs = endMs - startMs;
    context.traffic.end(channel.id, key, failed, waitedMs);
    timing.waitedMs += waitedMs;
    entry.endMs = Math.round(endMs);
  }
}

const isClientsFault = (status: number): boolean => status === 400 || status === 413 || status === 422;

function failureOf({ channel, key }: Choice, exchange: Exchange, cause: unknown, hasBudget: boolean): AttemptFailure {
  const isLate = exchange.stopped === "first_byte_timeout";
  return noResponse(channel, key, failureKind(exchange, cause), cause, isLate && hasBudget);
}

/**
 * The channel's limit on the time to the first byte (setting `first_byte_timeout_seconds`) in ms; null: the general
 * one.
 */
export function firstByteBudgetMs({ setting }: ChannelEntry): number | null {
  const seconds = Number(setting.first_byte_timeout_seconds ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
}
