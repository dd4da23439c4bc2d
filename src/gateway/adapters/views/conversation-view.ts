import { type Reply, ReplyCollector } from "../../../formats/conversation/collect-reply.ts";
import type {
  ReplyError,
  ReplyEvent,
  StreamDecoder,
  StreamEncoder,
  Usage,
} from "../../../formats/conversation/reply.ts";
import { DATA_FIELD, EventReader, readEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import { applyFilters, type StepFilter } from "../../call/guardrails/answer/step-filter.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import { concatChunks, type OutputChunk, type StreamView } from "../../upstream/adapter.ts";

type Parts = Readonly<{
  decoder: StreamDecoder;
  encoder: StreamEncoder;
  /** The client speaks the upstream's own format: bytes pass through and events are only observed. */
  passesBytes: boolean;
  /** Complete events that pass through, as the client needs them; null: unchanged. */
  amend: ((block: Uint8Array) => string | null) | null;
  /** Observes every event. */
  watch: ((step: ReplyEvent) => void) | null;
  /** Receives the complete reply; null if not needed. */
  keep: ((reply: Reply) => void) | null;
  filters: readonly StepFilter[];
  /** The error of an answer that its provider ended as a failure. */
  failureIn(steps: readonly ReplyEvent[]): ReplyError | null;
  /** An error of the upstream or the gateway as the client's format has it. */
  clientError(error: ReplyError | GatewayError): ReplyError;
}>;

/** Reads a stream event by event, to translate it for the client or only to observe it. */
export class ConversationView implements StreamView {
  readonly meter = new OutputMeter();
  usage: Usage | null = null;
  failed: string | null = null;
  #finished = false;
  readonly #collector: ReplyCollector | null;
  /** The first and the latest events that passed as bytes, by which an error of the gateway continues their stream. */
  #first: Uint8Array | null = null;
  #last: Uint8Array | null = null;

  constructor(private readonly parts: Parts) {
    this.#collector = parts.keep ? new ReplyCollector() : null;
  }

  get ended(): boolean {
    return this.parts.decoder.ended || this.failed !== null;
  }

  get finished(): boolean {
    return this.#finished || this.parts.decoder.ended;
  }

  take(block: Buffer): OutputChunk {
    let text = "";
    const events = new EventReader(textOfBytes(block));
    for (let event = events.next(); event; event = events.next()) text += this.#write(this.parts.decoder.push(event));
    if (!this.parts.passesBytes) return text;
    if (block.includes(DATA_FIELD)) {
      this.#first ??= block;
      this.#last = block;
    }
    return this.parts.amend?.(block) ?? block;
  }

  close(last: OutputChunk, billed: Usage): OutputChunk {
    const owed = this.#write(this.parts.decoder.end());
    if (this.#collector && this.failed === null) {
      const { reply } = this.#collector;
      this.parts.keep?.({ ...reply, usage: reply.usage ?? billed });
    }
    if (this.parts.passesBytes || this.failed !== null) return last;
    return concatChunks(last, owed + this.parts.encoder.end(this.usage ?? billed));
  }

  broken(error: GatewayError): OutputChunk {
    if (this.#first && this.#last) {
      this.parts.encoder.resume?.(readEvents(textOfBytes(this.#first)), readEvents(textOfBytes(this.#last)));
    }
    return this.parts.encoder.push({ type: "error", error: this.parts.clientError(error) });
  }

  #write(received: readonly ReplyEvent[]): string {
    let text = "";
    // A client of the same format reads the failure in the provider's own words.
    const error = this.parts.passesBytes ? null : this.parts.failureIn(received);
    const steps = error
      ? [...received.filter(({ type }) => type !== "finish"), { type: "error", error } as const]
      : received;
    for (const step of steps) {
      this.meter.step(step);
      this.parts.watch?.(step);
      if (step.type === "usage") this.usage = step.usage;
      else if (step.type === "finish") this.#finished = true;
      if (this.parts.filters.length === 0) text += this.#pass(step);
      else for (const passed of applyFilters(this.parts.filters, step)) text += this.#pass(passed);
    }
    return text;
  }

  /** What the client receives for an event. */
  #pass(step: ReplyEvent): string {
    this.#collector?.push(step);
    if (step.type !== "error") return this.parts.passesBytes ? "" : this.parts.encoder.push(step);
    this.failed ??= step.error.message;
    return this.parts.passesBytes
      ? ""
      : this.parts.encoder.push({ ...step, error: this.parts.clientError(step.error) });
  }
}
