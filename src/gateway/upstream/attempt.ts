import { type Attempt, failureNote } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { ReadRequestText } from "../../domain/channels/status/own-words.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import { TokenRefused } from "../../providers/contract/token-refused.ts";
import type { Call } from "../call/call.ts";
import { GatewayError, shuttingDown } from "../call/errors.ts";
import { refuseIfClientLeft } from "../call/progress.ts";
import type { Choice, Route } from "../call/route.ts";
import type { CallTools, Uses } from "../call/services.ts";
import type { CallPrices, Pricing } from "../money/price.ts";
import { attemptCost } from "../money/price-usage.ts";
import { type AdaptedRequest, FailedResponse } from "./adapter.ts";
import {
  AttemptFailure,
  endedAsFailure,
  failureKind,
  noResponse,
  rejectedByUpstream,
  withoutToken,
} from "./attempt-failure.ts";
import { Exchange, readErrorText } from "./exchange.ts";
import { exhaustedMs, retryAfterIn, tokenAllowance } from "./keys/cool-down.ts";
import { requestTextOf } from "./request-text.ts";
import { adaptAfterRejection, bindChannel } from "./route.ts";
import type { UpstreamTools } from "./upstream.ts";

/** What these functions work with. */
export type UpstreamAttemptContext = Uses<"config"> &
  Pricing &
  Pick<CallTools, "deadlines"> &
  Pick<UpstreamTools, "coolDown" | "limitations" | "traffic" | "upstream">;

/**
 * An attempt in progress, with one channel and key. Its outcome (`end` or `failed`, exactly one of them) goes into
 * the call's log, the scheduler and the channel's traffic.
 */
export class RunningAttempt {
  readonly exchange: Exchange;
  /** Its entry in the call's log row. */
  readonly entry: Attempt;
  readonly route: Route;
  /** What the provider reported before it failed; null: nothing. */
  usage: Usage | null = null;
  readonly #startMs: number;
  /** The channel has a limit of its own on the time to the first byte (setting `first_byte_timeout_seconds`). */
  readonly hasBudget: boolean;
  /** A rejection was answered by another request already: signing in once more would not help. */
  #hasAdapted = false;

  /**
   * `timeoutMs`: limit until the first response's headers; absent: the channel's own limit, or the general one. Throws
   * AttemptFailure if the channel cannot serve the call.
   */
  constructor(
    private readonly context: UpstreamAttemptContext,
    private readonly call: Call,
    prices: CallPrices,
    private readonly choice: Choice,
    timeoutMs?: number,
  ) {
    const { channel, key } = choice;
    const { timing, attempts } = call.progress;
    const budgetMs = timeoutMs === undefined ? Number(channel.setting.first_byte_timeout_seconds) * 1000 : 0;
    this.hasBudget = budgetMs > 0 && budgetMs < Number.POSITIVE_INFINITY;
    const ownMs = this.hasBudget ? budgetMs : timeoutMs;
    this.#startMs = performance.now() - timing.startedAtMs;
    this.entry = attempts.begin(choice, this.#startMs);
    this.exchange = new Exchange(context.deadlines, ownMs ?? context.services.config.relayTimeoutMs);
    context.coolDown.begin(channel.id, key, call.typicalTokens);
    if (!channel.ownKey) context.traffic.begin(channel.id, key);
    try {
      this.route = bindChannel(call, prices, choice);
    } catch (error) {
      throw this.failed(error);
    }
    attempts.latest = this.route;
    call.trace?.beginAttempt(this.route);
  }

  /**
   * Sends a request and notes the status and limits that the response states; when the client leaves meanwhile, it is stopped,
   * unless the provider finishes and charges it anyway. Rejects GatewayError if the client has left, or takes no such request.
   */
  async send({ outgoing, route, refusal }: Pick<AdaptedRequest, "outgoing" | "route" | "refusal">): Promise<Response> {
    const { call, exchange } = this;
    const { channel, key } = this.choice;
    call.progress.attempts.latest = route;
    if (refusal) throw refusal;
    refuseIfClientLeft(call);
    call.progress.client.onLeave = () => {
      if (!drainsOnDisconnect(channel) && !call.endpoint.outlivesClient) exchange.stop("client_left");
    };
    const response = await this.context.upstream.send(outgoing, exchange);
    this.entry.status = response.status;
    const limitedMs = exhaustedMs(response.headers);
    if (limitedMs !== null && channel.ownKey?.id !== 0) {
      const { coolDown } = this.context;
      coolDown.limited(channel.id, key, limitedMs);
      coolDown.allow(channel.id, key, tokenAllowance(response.headers));
    }
    return response;
  }

  /**
   * The upstream rejected the request. Null: for something optional, so the request is worth adapting and sending once
   * more; else rejects AttemptFailure.
   */
  async rejected(response: Response, { adapter, ask }: Pick<AdaptedRequest, "adapter" | "ask">): Promise<null> {
    const { exchange, context, route } = this;
    const { key } = route;
    const text = await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
    const error = adapter.readError(response.status, text);
    if (this.adaptsTo({ status: response.status, error, params: ask, key })) return null;
    const status = error.status ?? response.status;
    const retryAfter = retryAfterIn(response.headers, Date.now());
    throw rejectedByUpstream(route, { status, error, retryAfter, requestText: this.requestText });
  }

  /** What the caller wrote, which upstreams quote. */
  get requestText(): ReadRequestText {
    return requestTextOf(this.call);
  }

  /** Whether the request is worth adapting to a rejection; expects another response then. */
  adaptsTo(rejection: Parameters<typeof adaptAfterRejection>[2]): boolean {
    const adapts = adaptAfterRejection(this.context.limitations, this.route, rejection, !this.#hasAdapted);
    this.#hasAdapted = true;
    if (adapts) this.exchange.expectHead();
    return adapts;
  }

  /** Returns what to throw: AttemptFailure if another channel may be tried, else GatewayError or DecodeError. */
  failed(thrown: unknown): Error {
    const { call, exchange, entry, choice } = this;
    const cause = exchange.stopped === "shutdown" ? shuttingDown() : thrown;
    exchange.abort();
    this.#noteCost(cause instanceof FailedResponse ? cause.usage : this.usage);
    if (cause instanceof DecodeError || cause instanceof GatewayError) {
      Object.assign(entry, failureNote(cause.reason));
      call.trace?.failAttempt(entry);
      this.end(null);
      return cause;
    }
    const failure = cause instanceof AttemptFailure ? cause : failureOf(choice, exchange, cause, this.hasBudget);
    const { answered, status, detail, error, accountProblem } = failure;
    if (answered) entry.status = status;
    if (answered && error.code) entry.code = String(error.code).slice(0, MAX_CODE_CHARACTERS);
    if (accountProblem) entry.problem = accountProblem;
    Object.assign(entry, failureNote(detail));
    call.trace?.failAttempt(entry);
    // A client's invalid request or disconnect says nothing about the upstream.
    this.end(call.progress.client.hasLeft || (failure.answered && isClientsFault(failure.status)) ? null : true);
    return failure;
  }

  /** Notes what it cost the operator although it failed. */
  #noteCost(usage: Usage | null): void {
    const route = this.call.progress.attempts.latest;
    const cost = route && attemptCost(route, usage, this.context);
    if (cost) this.entry.channel_cost = cost;
  }

  /** The response, or its first bytes, are received (`failed` false), or never will be; null: that says nothing about the channel. */
  end(failed: boolean | null): void {
    const { timing } = this.call.progress;
    const { channel, key } = this.choice;
    const endMs = performance.now() - timing.startedAtMs;
    const waitedMs = endMs - this.#startMs;
    if (!channel.ownKey) this.context.traffic.end(channel.id, key, failed, waitedMs);
    timing.waitedMs += waitedMs;
    this.entry.endMs = Math.round(endMs);
  }
}

const MAX_CODE_CHARACTERS = 64;

const isClientsFault = (status: number): boolean => status === 400 || status === 413 || status === 422;

function failureOf(choice: Choice, exchange: Exchange, cause: unknown, hasBudget: boolean): AttemptFailure {
  if (cause instanceof TokenRefused) return withoutToken(choice, cause);
  if (cause instanceof FailedResponse) return endedAsFailure(choice, cause.error);
  const { channel, key } = choice;
  const isLate = exchange.stopped === "first_byte_timeout";
  return noResponse(channel, key, failureKind(exchange, cause), cause, isLate && hasBudget);
}

/**
 * What happens if a client disconnects before its response is complete (channel setting `broken_stream`): *cancel*, the
 * default, stops the upstream and bills what has arrived, counted locally; *drain* lets the upstream finish within
 * `drain_cap_seconds` (60) and bills what it reports.
 */
export const drainsOnDisconnect = (channel: ChannelEntry): boolean => channel.setting.broken_stream === "drain";
