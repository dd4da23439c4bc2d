import { charge as computeCharge } from "../../../../billing/pricing/charge.ts";
import { priceAt } from "../../../../billing/pricing/price-hours.ts";
import { inTiers, tierNames } from "../../../../billing/pricing/service-tiers.ts";
import type { CallEnding } from "../../../../billing/types.ts";
import type { Processing, Usage } from "../../../../formats/conversation/reply.ts";
import { countOf, recordOf } from "../../../../formats/json.ts";
import { imageTokens } from "../../../../formats/openai-chat/response/usage.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { Reason } from "../../../../lib/reason.ts";
import type { AuthenticateByMemoryContext } from "../../../auth/authenticate.ts";
import type { Call } from "../../../call/call.ts";
import type { GuardLog } from "../../../call/guardrails/call-guard.ts";
import { CallTiming } from "../../../call/progress.ts";
import type { Uses } from "../../../call/services.ts";
import { OutputMeter } from "../../../money/output-meter.ts";
import { type CallPrices, priceCall, priceUnder } from "../../../money/price.ts";
import { type Reservation, type ReserveContext, reserve, upperCost } from "../../../money/reserve.ts";
import type { EndCallContext } from "../../../pipeline/contexts.ts";
import { endCall } from "../../../pipeline/pipeline.ts";
import type { Connected } from "../connect.ts";
import { callerOf, responseCall, type SessionOrigin, type Terms, termsOf } from "../response-call.ts";
import { type ResponseLimits, withoutAudio } from "./response-limits.ts";
import type { MeteredContent } from "./session-meter.ts";

/** What these functions work with. */
export type MeteringBillingContext = EndCallContext & AuthenticateByMemoryContext & ReserveContext & Uses<"channels">;

/** A response to charge. */
export type Charge = Readonly<{
  /** The usage that the upstream reported; null: the content is counted. */
  reported: Usage | null;
  content: MeteredContent;
  /** How the upstream says that it served the response. */
  processing?: Processing;
  /** `performance.now()` when the response began. */
  startedAtMs: number;
  ending: CallEnding;
  error?: Reason;
  /** What guardrails found in it; absent: nothing. */
  guard?: GuardLog | null;
}>;

/** The next response, and its reservation. */
export type ReservedResponse = Readonly<{ call: Call; reserved: Reservation }>;

/** What is held for a response: so many times the most that one of the session has cost. */
const HELD_TIMES = 2;

/**
 * The billing of one session: reserves quota for a response when it begins, and settles it when it is done. Between responses
 * nothing is held. Every response has a log row with a receipt.
 */
export class RealtimeBilling {
  /** The response that begins or is in progress, with its reservation; null without one. */
  #next: ReservedResponse | null = null;
  #terms: Terms;
  /** The most that a response of the session has cost, in quota units; 0: none was charged yet. */
  #highestCharge = 0;

  /** `opening` is the call that opened the session. */
  constructor(
    private readonly context: MeteringBillingContext,
    private readonly origin: SessionOrigin,
    private readonly connected: Connected,
    private readonly opening: ReservedResponse,
  ) {
    const { caller, candidates } = opening.call;
    this.#terms = this.#stay({ caller, candidates });
  }

  /** Charges a response, even without a reservation, because the upstream has already generated it. */
  async charge(charge: Charge): Promise<void> {
    // A session cannot open without a price, so a response without a reservation uses the session's first price.
    const next = this.#next ?? {
      call: responseCall(this.origin, this.#terms),
      reserved: { ...this.opening.reserved, hold: null },
    };
    this.#next = null;
    await this.#settle(
      next,
      charge,
      charge.reported ?? (await charge.content.count(this.connected.route.upstreamModel)),
    );
  }

  /**
   * Charges a transcription that the upstream makes in addition to responses, by the price of the transcription model.
   */
  async chargeTranscription(model: string, reported: Usage, text: string): Promise<void> {
    const call = responseCall(this.origin, this.#terms, { model });
    const reserved = await reserve(this.context, call, priceCall(this.context.prices, call));
    const content = { prompt: {}, text, count: async () => reported };
    await this.#settle(
      { call, reserved },
      { reported, content, startedAtMs: performance.now(), ending: "complete" },
      reported,
    );
  }

  /** Quota for a response is held. */
  get isReserved(): boolean {
    return this.#next !== null;
  }

  /** Reserves quota for a response, with the key's and owner's current permissions. Rejects GatewayError. */
  async reserve(limits: ResponseLimits): Promise<void> {
    if (this.#next) return;
    this.#renewTerms();
    const { context, origin } = this;
    const opened = responseCall(origin, this.#terms, { maxOutputTokens: limits.maxOutputTokens });
    const prices = priceCall(context.prices, opened);
    const maxOutputTokens = limits.maxOutputTokens ?? this.#expectedTokens(opened, prices);
    const call = { ...opened, summary: { ...opened.summary, maxOutputTokens } };
    const reserved = await reserve(context, call, limits.isTextOnly ? withoutAudio(prices) : prices);
    this.#next = { call, reserved: { ...reserved, prices } };
  }

  /** Whether the session may go on: with its permissions, and a balance for a response. Rejects GatewayError. */
  async check(): Promise<void> {
    this.#renewTerms();
    const opening = await reserveOpening(this.context, this.origin, this.#terms);
    releaseOpening(this.context, opening);
  }

  #renewTerms(): void {
    this.#terms = this.#stay(termsOf(this.context, this.origin, callerOf(this.context, this.origin)));
  }

  /** As many tokens as cost twice what a response of the session has cost at most; null: there was none yet. */
  #expectedTokens(call: Call, prices: CallPrices): number | null {
    if (this.#highestCharge === 0) return null;
    const sample = { ...call, summary: { ...call.summary, maxOutputTokens: SAMPLE_TOKENS } };
    const perSample = Math.max(1, upperCost(this.context, sample, prices));
    return Math.max(1, Math.ceil((HELD_TIMES * this.#highestCharge * SAMPLE_TOKENS) / perSample));
  }

  /** Releases the reservation for a response that will not happen. */
  release(): void {
    const hold = this.#next?.reserved.hold;
    if (hold) this.context.services.billing.refund(hold);
    this.#next = null;
  }

  /** A session stays with its channel: its responses have that channel's price. */
  #stay({ caller, candidates: { model } }: Terms): Terms {
    const { channel } = this.connected.route;
    return { caller, candidates: { model, tiers: [{ priority: channel.priority, channels: [channel] }] } };
  }

  async #settle(
    { call, reserved }: ReservedResponse,
    { reported, content, processing, startedAtMs, ending, error, guard = null }: Charge,
    usage: Usage,
  ): Promise<void> {
    const waitedMs = performance.now() - startedAtMs;
    const { route } = this.connected;
    const timing = new CallTiming(startedAtMs);
    timing.firstByteMs = call.progress.timing.firstByteMs;
    const createdAt = nowSeconds() - Math.round(waitedMs / 1000);
    // A session may have waited into other hours.
    const price = priceAt(priceUnder(reserved.prices, route.channel, route.upstreamModel), createdAt);
    const progress = { ...call.progress, timing, guard, attempts: this.opening.call.progress.attempts };
    const charged = { ...call, progress, createdAt, prompt: content.prompt, servedBy: { ...route, price } };
    // Some models are charged per response that uses search results, others per query.
    const { search_billing: searchBilling } = this.context.catalog().find(route.upstreamModel);
    const perAnswer = usage.toolCalls?.google_search !== undefined && searchBilling === "answer";
    const served = inTiers(price, tierNames(processing ?? {}));
    const { quota } = computeCharge(served, usage, this.context.prices.quotaPerUnit());
    this.#highestCharge = Math.max(this.#highestCharge, quota);
    const meter = new OutputMeter();
    if (content.text !== "") meter.text(content.text);
    if (processing) meter.processedAs(processing);
    await endCall(this.context, charged, reserved, {
      ending,
      reported: perAnswer ? { ...usage, toolCalls: { ...usage.toolCalls, google_search: 1 } } : usage,
      counted: !reported,
      meter: meter,
      ...(error && { error }),
    });
  }
}

const SAMPLE_TOKENS = 1000;

/**
 * Reserves as little as a response can cost, a token, by which a session is refused that nothing is left for. Rejects
 * GatewayError.
 */
export async function reserveOpening(
  context: MeteringBillingContext,
  origin: SessionOrigin,
  terms: Terms,
): Promise<ReservedResponse> {
  const call = responseCall(origin, terms, { maxOutputTokens: 1 });
  return { call, reserved: await reserve(context, call, priceCall(context.prices, call)) };
}

/** The session is open, or may go on: gives back what was reserved for that. */
export function releaseOpening({ services }: Uses<"billing">, { call, reserved }: ReservedResponse): ReservedResponse {
  if (reserved.hold) services.billing.refund(reserved.hold);
  return { call, reserved: { ...reserved, hold: null } };
}

/**
 * The usage that a `response.done` (or a completed transcription) reports; null if none. Cached audio and images count
 * only as cached tokens, because they have the price of cached input.
 */
export function readRealtimeUsage(value: unknown): Usage | null {
  const usage = recordOf(value);
  const promptTokens = countOf(usage?.input_tokens);
  if (!usage || promptTokens === null) return null;
  const input = recordOf(usage.input_token_details);
  const output = recordOf(usage.output_token_details);
  const cachedAudio = countOf(recordOf(input?.cached_tokens_details)?.audio_tokens) ?? 0;
  return {
    promptTokens,
    completionTokens: countOf(usage.output_tokens) ?? 0,
    cachedTokens: countOf(input?.cached_tokens) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: Math.max(0, (countOf(input?.audio_tokens) ?? 0) - cachedAudio),
    audioOutputTokens: countOf(output?.audio_tokens) ?? 0,
    ...imageTokens(input, output),
  };
}
