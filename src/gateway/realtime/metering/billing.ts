import type { CallEnding } from "../../../billing/types.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import { countOf, recordOf } from "../../../formats/json.ts";
import { imageTokens } from "../../../formats/openai-chat/response/usage.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Reason } from "../../../lib/reason.ts";
import { OutputMeter } from "../../billing/output-meter.ts";
import { priceCall, priceUnder } from "../../billing/price.ts";
import { type Reservation, reserve } from "../../billing/reserve.ts";
import { type Call, CallTiming } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import { finish } from "../../pipeline.ts";
import type { Connected } from "../connect.ts";
import { callerOf, responseCall, type SessionOrigin, type Terms, termsOf } from "../response-call.ts";
import type { MeteredContent } from "./session-meter.ts";

/** A response to charge. */
export type Charge = Readonly<{
  /** The usage that the upstream reported; null: the content is counted. */
  reported: Usage | null;
  content: MeteredContent;
  /** `performance.now()` when the response began. */
  startedAtMs: number;
  ending: CallEnding;
  error?: Reason;
}>;

/** The next response, and its reservation. */
export type ReservedResponse = Readonly<{ call: Call; reserved: Reservation }>;

/**
 * The billing of one session: reserves quota for one response, settles it when the response is done, and reserves
 * again. Every response has a log row with a receipt.
 */
export class RealtimeBilling {
  /** The next response with its reservation; null without one. */
  #next: ReservedResponse | null;
  #terms: Terms;

  /** `opening` is the call that opened the session, with its reservation. */
  constructor(
    private readonly context: GatewayContext,
    private readonly origin: SessionOrigin,
    private readonly connected: Connected,
    private readonly opening: ReservedResponse,
  ) {
    this.#next = opening;
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
    const call = responseCall(this.origin, this.#terms, model);
    const reserved = await reserve(this.context, call, priceCall(this.context.prices, call));
    const content = { prompt: {}, text, count: async () => reported };
    await this.#settle(
      { call, reserved },
      { reported, content, startedAtMs: performance.now(), ending: "complete" },
      reported,
    );
  }

  /**
   * Reserves quota for the next response with the key's and owner's current permissions; `wait` is called before and
   * after. Rejects GatewayError.
   */
  async renew(wait: (isWaiting: boolean) => void): Promise<void> {
    if (this.#next) return;
    this.#terms = this.#stay(termsOf(this.context, this.origin, callerOf(this.context, this.origin)));
    const call = responseCall(this.origin, this.#terms);
    wait(true);
    try {
      const reserved = await reserve(this.context, call, priceCall(this.context.prices, call));
      this.#next = { call, reserved };
    } finally {
      wait(false);
    }
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
    { reported, content, startedAtMs, ending, error }: Charge,
    usage: Usage,
  ): Promise<void> {
    const waitedMs = performance.now() - startedAtMs;
    const { route } = this.connected;
    const price = priceUnder(reserved.prices, route.channel, route.upstreamModel);
    const attempts = this.opening.call.attempts.withRoute({ ...route, price });
    const timing = new CallTiming(startedAtMs);
    timing.firstByteMs = call.timing.firstByteMs;
    const createdAt = nowSeconds() - Math.round(waitedMs / 1000);
    const charged = { ...call, timing, createdAt, prompt: content.prompt, attempts };
    // Some models are charged per response that uses search results, others per query.
    const { search_billing: searchBilling } = this.context.catalog().find(route.upstreamModel);
    const perAnswer = usage.toolCalls?.google_search !== undefined && searchBilling === "answer";
    const meter = new OutputMeter();
    if (content.text !== "") meter.text(content.text);
    await finish(this.context, charged, reserved, {
      ending,
      reported: perAnswer ? { ...usage, toolCalls: { ...usage.toolCalls, google_search: 1 } } : usage,
      counted: !reported,
      meter: meter,
      ...(error && { error }),
    });
  }
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
