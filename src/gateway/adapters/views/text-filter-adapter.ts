import type { FinishReason, ReplyEvent, Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { ReadError } from "../../../formats/openai-chat/errors.ts";
import { chunkOf } from "../../../formats/openai-chat/response/stream.ts";
import { eventData, splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import { applyFilters, type StepFilter } from "../../call/guardrails/answer/step-filter.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import {
  type Adapter,
  type CompleteResponse,
  concatChunks,
  type EncodedRequest,
  type Outcome,
  type OutputChunk,
  type StreamView,
} from "../../upstream/adapter.ts";

type Filters = readonly (() => StepFilter)[];

/** Filters the texts of text completions; delegates everything else to the inner adapter. */
export class TextFilterAdapter implements Adapter {
  constructor(
    private readonly inner: Adapter,
    private readonly filters: Filters,
  ) {}

  encode(): Promise<EncodedRequest> {
    return this.inner.encode();
  }
  findError(body: Buffer<ArrayBuffer>): string | null {
    return this.inner.findError(body);
  }
  findStreamError(block: Buffer): string | null {
    return this.inner.findStreamError(block);
  }
  startsResponse(block: Buffer): boolean {
    return this.inner.startsResponse(block);
  }
  outcomeOf(bytes: Uint8Array): Outcome {
    return this.inner.outcomeOf?.(bytes) ?? "answered";
  }
  statusOf(error: string): number {
    return this.inner.statusOf(error);
  }
  readError(status: number, body: string): ReadError {
    return this.inner.readError(status, body);
  }

  readResponse(body: Buffer<ArrayBuffer>, contentType: string): CompleteResponse | null {
    return this.#read(body, (bytes) => this.inner.readResponse(bytes, contentType));
  }
  synthesizeStream(body: Buffer<ArrayBuffer>, contentType: string): CompleteResponse | null {
    return this.#read(body, (bytes) => this.inner.synthesizeStream(bytes, contentType));
  }
  streamView(): StreamView {
    return new FilteredView(this.inner.streamView(), this.filters);
  }

  /** What the client gets is filtered; what the upstream has made is charged. */
  #read(
    body: Buffer<ArrayBuffer>,
    read: (bytes: Buffer<ArrayBuffer>) => CompleteResponse | null,
  ): CompleteResponse | null {
    const filtered = this.#filtered(body);
    const shown = read(filtered);
    const made = filtered === body || shown?.reported ? shown : read(body);
    return shown && made ? { ...shown, meter: made.meter } : shown;
  }

  #filtered(body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    const answer = recordOf(parseJson(textOfBytes(body)));
    if (!answer || !Array.isArray(answer.choices)) return body;
    const texts = new TextFilter(this.filters);
    const choices = recordsOf(answer.choices).map(
      (choice) => texts.passed({ finish_reason: "stop", ...choice }) ?? choice,
    );
    return Buffer.from(JSON.stringify({ ...answer, choices }));
  }
}

/** Filters events before the inner view receives them. */
class FilteredView implements StreamView {
  readonly #texts: TextFilter;
  readonly #sent = new OutputMeter();
  /** The last chunk with text, as a template for text held back until the end. */
  #last: JsonObject = {};

  constructor(
    private readonly inner: StreamView,
    filters: Filters,
  ) {
    this.#texts = new TextFilter(filters);
  }

  get ended(): boolean {
    return this.inner.ended;
  }
  get failed(): string | null {
    return this.inner.failed;
  }
  get usage(): Usage | null {
    return this.inner.usage;
  }
  get finished(): boolean {
    return this.inner.finished;
  }
  /** Of what the upstream has sent, and as it says that it was served. */
  get meter(): StreamView["meter"] {
    this.#sent.processedAs(this.inner.meter.processing);
    return this.#sent;
  }

  take(block: Buffer): OutputChunk {
    this.#sent.push(block);
    return this.inner.take(
      Buffer.from(
        splitEvents(textOfBytes(block))
          .map((event) => this.#event(event))
          .join(""),
      ),
    );
  }
  close(last: OutputChunk, billed: Usage): OutputChunk {
    return this.inner.close(this.#withOwed(last), billed);
  }
  broken(error: GatewayError, requestId: string): OutputChunk {
    return concatChunks(this.#withOwed(""), this.inner.broken(error, requestId));
  }

  /** Appends the text held back to a piece. */
  #withOwed(piece: OutputChunk): OutputChunk {
    const owed = this.#owed();
    return owed === "" ? piece : concatChunks(piece, this.inner.take(Buffer.from(owed)));
  }

  #event(event: string): string {
    if (eventData(event)?.trim() === "[DONE]") return this.#owed() + event;
    const chunk = chunkOf(event);
    if (!chunk || !Array.isArray(chunk.choices) || chunk.choices.length === 0) return event;
    this.#last = chunk;
    const choices = recordsOf(chunk.choices)
      .map((choice) => this.#texts.passed(choice))
      .filter((choice) => choice !== null);
    if (choices.length === 0 && !recordOf(chunk.usage)) return "";
    return eventOf(chunk, choices);
  }

  /** Text held back of choices that never sent a finish reason. */
  #owed(): string {
    const choices = this.#texts.rest();
    if (choices.length === 0) return "";
    const { usage: _, ...chunk } = this.#last;
    return eventOf(chunk, choices);
  }
}

const eventOf = (chunk: JsonObject, choices: readonly JsonObject[]): string =>
  `data: ${JSON.stringify({ ...chunk, choices })}\n\n`;

/** Filters the texts of choices while they stream. */
class TextFilter {
  readonly #filters: readonly StepFilter[];
  /** Choices in progress. */
  readonly #begun = new Set<number>();
  readonly #over = new Set<number>();

  constructor(filters: Filters) {
    this.#filters = filters.map((make) => make());
  }

  /** The choice after filtering; null if nothing remains. */
  passed(choice: JsonObject): JsonObject | null {
    const index = numberOf(choice.index) ?? 0;
    if (this.#over.has(index)) return null;
    this.#begun.add(index);
    const native = textOf(choice.finish_reason);
    const steps: ReplyEvent[] = [{ type: "text", choice: index, text: textOf(choice.text) ?? "" }];
    if (native !== null) steps.push({ type: "finish", choice: index, reason: native as FinishReason, native });
    let text = "";
    let reason: string | null = null;
    for (const step of steps.flatMap((one) => applyFilters(this.#filters, one))) {
      if (step.type === "text") text += step.text;
      else if (step.type === "finish") reason ??= step.reason;
    }
    if (reason !== null) this.#over.add(index);
    if (text === "" && reason === null) return null;
    // Log probabilities contain the very words to filter.
    return { ...choice, text, finish_reason: reason, ...(choice.logprobs !== undefined && { logprobs: null }) };
  }

  /** Text held back of the choices in progress, one choice each; ends them. */
  rest(): JsonObject[] {
    return [...this.#begun]
      .filter((index) => !this.#over.has(index))
      .flatMap((index) => {
        const last = this.passed({ index, text: "", finish_reason: "stop" });
        return textOf(last?.text) ? [{ index, text: last?.text, finish_reason: null, logprobs: null }] : [];
      });
  }
}
