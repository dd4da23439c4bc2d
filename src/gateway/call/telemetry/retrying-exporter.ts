import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Logger } from "../../../lib/runtime/log.ts";

/** Spans that wait for a collector take at most this much memory, by an estimate; the oldest are dropped first. */
const MOST_WAITING_BYTES = 128 * 1024 * 1024;
/** What a span takes besides its texts. */
const SPAN_BYTES = 1024;
const SOONEST_RETRY_MS = 1000;
const LATEST_RETRY_MS = 10_000;

type Done = Parameters<SpanExporter["export"]>[1];
type Batch = Readonly<{ spans: ReadableSpan[]; bytes: number }>;

/** How many spans were delivered, dropped, and wait. */
export type ExportCounts = { sent: number; dropped: number; waiting: number };

/**
 * Exports spans one batch at a time, and tries a batch that the collector did not take again until it does. An outage is logged
 * when it begins and when it ends.
 */
export class RetryingExporter implements SpanExporter {
  readonly counts: ExportCounts = { sent: 0, dropped: 0, waiting: 0 };
  readonly #batches: Batch[] = [];
  #bytes = 0;
  #retryMs = 0;
  #retry: Timer | null = null;
  #running: Promise<void> | null = null;
  #isDown = false;
  #isClosed = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly log: Pick<Logger, "warn" | "info">,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    const bytes = spans.reduce((sum, span) => sum + sizeOf(span), 0);
    this.#batches.push({ spans, bytes });
    this.#bytes += bytes;
    this.counts.waiting += spans.length;
    while (this.#bytes > MOST_WAITING_BYTES && this.#batches.length > 1) this.counts.dropped += this.#take();
    if (!this.#isDown) void this.#run();
    done({ code: SUCCESS });
  }

  /** Tries to send what waits, once. */
  forceFlush(): Promise<void> {
    return this.#run();
  }

  async shutdown(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry) clearTimeout(this.#retry);
    await this.#run();
    await this.inner.shutdown();
  }

  /** Removes the oldest batch; returns how many spans it has. */
  #take(): number {
    const batch = this.#batches.shift();
    if (!batch) return 0;
    this.#bytes -= batch.bytes;
    this.counts.waiting -= batch.spans.length;
    return batch.spans.length;
  }

  #run(): Promise<void> {
    this.#running ??= this.#send().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Sends batches until none waits, or one is not taken. */
  async #send(): Promise<void> {
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      const { spans } = batch;
      const error = await new Promise<Error | null>((resolve) =>
        this.inner.export(spans, (result) => resolve(result.code === SUCCESS ? null : (result.error ?? new Error()))),
      );
      // One that was dropped in the meantime is counted already.
      if (!error && this.#batches[0] === batch) this.counts.sent += this.#take();
      this.#note(error);
      if (error) return this.#tryLater();
    }
  }

  #note(error: Error | null): void {
    if (error && !this.#isDown) {
      this.log.warn({ error: error.message }, "the collector of OpenTelemetry does not answer: spans wait for it");
    } else if (!error && this.#isDown) {
      this.log.info({ ...this.counts }, "the collector of OpenTelemetry answers again");
    }
    this.#isDown = error !== null;
    if (!error) this.#retryMs = 0;
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    this.#retryMs = Math.min(LATEST_RETRY_MS, Math.max(SOONEST_RETRY_MS, this.#retryMs * 2));
    this.#retry = setTimeout(() => void this.#run(), this.#retryMs);
    this.#retry.unref();
  }
}

/** `ExportResultCode.SUCCESS` of OpenTelemetry. */
const SUCCESS = 0;

/** An estimate: two bytes for each character of a text. */
function sizeOf({ attributes }: ReadableSpan): number {
  let bytes = SPAN_BYTES;
  for (const value of Object.values(attributes)) bytes += typeof value === "string" ? value.length * 2 : 16;
  return bytes;
}
