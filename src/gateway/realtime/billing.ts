import type { CallEnding } from "../../billing/types.ts";
import type { ReportedUsage } from "../../formats/conversation/usage.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OutputTally } from "../billing/output-meter.ts";
import { reserve } from "../billing/reserve.ts";
import { settle } from "../billing/settle.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import type { Connected } from "./connect.ts";
import { callerOf, responseCall, type TalkOrigin, type Terms, termsOf } from "./response-call.ts";
import type { Said } from "./session-meter.ts";

/** A response as it is charged. */
export type Charge = Readonly<{
  /** The upstream's own figures; null: what was said is counted. */
  reported: ReportedUsage | null;
  said: Said;
  /** `performance.now()` when the response began. */
  startedAtMs: number;
  ending: CallEnding;
  error?: string;
}>;

/**
 * The account of one talk: quota is set aside for one response, settled when it is done, and set aside anew. Every response
 * is a log row with its receipt.
 */
export class TalkBill {
  /** Holds the quota for the next response; null while none is held. */
  #next: Call | null;
  #terms: Terms;

  /** `opening` is the call under which the talk was opened, quota held. */
  constructor(
    private readonly context: RelayContext,
    private readonly origin: TalkOrigin,
    private readonly connected: Connected,
    private readonly opening: Call,
  ) {
    this.#next = opening;
    const { caller, candidates } = opening.admitted;
    this.#terms = this.#stay({ caller, candidates });
  }

  /** Charges a response; without quota that was set aside as well, since the upstream has worked for it. */
  async charge(charge: Charge): Promise<void> {
    const call = this.#next ?? responseCall(this.origin, this.#terms);
    this.#next = null;
    await this.#settle(call, charge, charge.reported ?? (await charge.said.count(this.connected.upstreamModel)));
  }

  /** Charges a transcription that the upstream makes beside the talk, by the price of the model that made it. */
  async chargeTranscription(model: string, reported: ReportedUsage, text: string): Promise<void> {
    const call = responseCall(this.origin, this.#terms, model);
    const reserved = reserve(this.context, call);
    if (reserved) await reserved;
    const said = { prompt: {}, text, count: async () => reported };
    await this.#settle(call, { reported, said, startedAtMs: performance.now(), ending: "complete" }, reported);
  }

  /**
   * Sets quota aside for the next response, under what the key and its owner may do now; `wait` is told before and after
   * where that takes a while. Rejects RelayError.
   */
  async renew(wait: (isWaiting: boolean) => void): Promise<void> {
    if (this.#next) return;
    this.#terms = this.#stay(termsOf(this.context, this.origin, callerOf(this.context, this.origin)));
    const call = responseCall(this.origin, this.#terms);
    const reserved = reserve(this.context, call);
    if (reserved) {
      wait(true);
      await reserved.finally(() => wait(false));
    }
    this.#next = call;
  }

  /** Gives back what is set aside for a response that will not come. */
  release(): void {
    if (this.#next?.hold) this.context.services.billing.refund(this.#next.hold);
    this.#next = null;
  }

  /** A talk stays with its channel: its responses cost what the model costs there. */
  #stay({ caller, candidates: { model } }: Terms): Terms {
    const { channel } = this.connected.choice;
    return { caller, candidates: { model, tiers: [{ priority: channel.priority, channels: [channel] }] } };
  }

  async #settle(call: Call, { reported, said, startedAtMs, ending, error }: Charge, usage: ReportedUsage) {
    const { choice, upstreamModel } = this.connected;
    const waitedMs = performance.now() - startedAtMs;
    call.startedAtMs = startedAtMs;
    call.createdAt = nowSeconds() - Math.round(waitedMs / 1000);
    call.channel = choice.channel;
    call.keyIndex = choice.channel.keys.indexOf(choice.key);
    call.upstreamModel = upstreamModel;
    call.admitted = { ...call.admitted, prompt: said.prompt };
    if (call !== this.opening) call.attempts.push(...this.opening.attempts);
    // A talk cannot be opened without a price, so a call without quota set aside takes the one that it began with.
    call.price ??= this.opening.price;
    const tally = new OutputTally();
    if (said.text !== "") tally.text(said.text);
    await settle(this.context, call, { ending, reported: usage, counted: !reported, tally, ...(error && { error }) });
  }
}
