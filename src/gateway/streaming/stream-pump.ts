import type { CallEnding } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import type { Reason } from "../../lib/reason.ts";
import type { Call } from "../call/call.ts";
import { GatewayError, shuttingDown } from "../call/errors.ts";
import type { HasDeadline } from "../call/progress.ts";
import type { CallTools, Uses } from "../call/services.ts";
import type { Ending } from "../money/price-usage.ts";
import type { Reservation } from "../money/reserve.ts";
import { concatChunks, type OutputChunk, type StreamView } from "../upstream/adapter.ts";
import { drainsOnDisconnect } from "../upstream/attempt.ts";
import { EventBuffer } from "../upstream/event-buffer.ts";
import type { OpenStream } from "../upstream/receive.ts";

/** priceUsage → settleCall, once a response is complete. Resolves with the billed usage. */
export type EndCall<Context> = (context: Context, call: Call, reserved: Reservation, ending: Ending) => Promise<Usage>;

/** What these functions work with. */
export type StreamPumpContext = Uses<"config" | "log" | "settings"> &
  Pick<CallTools, "bodies" | "deadlines" | "metrics">;

const DEFAULT_DRAIN_CAP_MS = 60_000;
const MAX_DRAIN_CAP_MS = 600_000;

function drainCapMs({ setting }: ChannelEntry): number {
  const seconds = Number(setting.drain_cap_seconds ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MAX_DRAIN_CAP_MS) : DEFAULT_DRAIN_CAP_MS;
}

const EVENT_END = Buffer.from("\n\n");
const EMPTY = Buffer.alloc(0);
/** How long to read the rest of an upstream's body after its end marker, so that the connection can be reused. */
const REST_MS = 2_000;

/**
 * Forwards a stream of events to the client, complete events at a time, through its view. Reads the upstream no faster
 * than the client accepts, settles the call before the client receives the end, and applies the rule for broken streams
 * if either side disconnects.
 */
export class StreamPump<Context extends StreamPumpContext>
  implements HasDeadline, Bun.DirectUnderlyingSource<Uint8Array>
{
  readonly type = "direct";
  place = -1;
  readonly #view: StreamView;
  readonly #idleMs: number;
  readonly #writeMs: number;
  /** 0: no pings. */
  readonly #pingMs: number;
  #controller: ReadableStreamDirectController | null = null;
  readonly #events = new EventBuffer();
  /** Read but not yet forwarded. */
  #ready: Uint8Array[];
  readonly #channel: ChannelEntry;
  #ended: boolean;
  /** When the current wait, for the upstream or the client, began. */
  #waitingSince = performance.now();
  #lastWriteAt = this.#waitingSince;
  /** The loop that reads the upstream is running. */
  #running = false;
  #reading = false;
  /** Ends the wait for a client that does not read; set during such a wait. */
  #stopWaiting: (() => void) | null = null;
  #drainUntil = Number.POSITIVE_INFINITY;
  #clientDisconnected = false;
  /** The client keeps its connection open but reads nothing. */
  #isStalled = false;
  #timedOut = false;
  /** The process shuts down before the stream ends. */
  #isCutOff = false;
  /** An event exceeded the maximum size. */
  #isTooLarge = false;
  #settled = false;

  constructor(
    private readonly context: Context,
    private readonly call: Call,
    private readonly reserved: Reservation,
    private readonly source: OpenStream,
    private readonly endCall: EndCall<Context>,
  ) {
    const { config, settings } = context.services;
    this.#view = source.view;
    this.#idleMs = config.streamingTimeoutMs;
    this.#writeMs = config.writeTimeoutMs;
    this.#pingMs = settings.values["general_setting.ping_interval_enabled"]
      ? settings.values["general_setting.ping_interval_seconds"] * 1000
      : 0;
    this.#channel = source.channel;
    this.#ready = [source.first];
    this.#ended = source.ended;
    call.progress.client.onLeave = () => this.#clientLeft();
    context.deadlines.add(this);
    context.metrics.streamBegan();
    context.bodies.keep(call.request);
  }

  /** Called once: forwards everything, and resolves when the client has all of it and the call is settled. */
  async pull(controller: ReadableStreamDirectController): Promise<void> {
    this.#controller = controller;
    try {
      await this.#run();
      if (!this.#clientDisconnected) controller.close();
      else if (this.#isStalled) this.call.progress.client.disconnect();
    } catch (error) {
      // Without this handler an unexpected error would leave the quota held and the client waiting.
      this.#logFault(error);
      this.source.exchange.abort();
      controller.close(error instanceof Error ? error : undefined);
      await this.#end("upstream_failed", { code: "gateway_internal" });
      this.call.progress.cache?.recording?.end();
    }
  }

  cancel(): void {
    this.#clientLeft();
  }

  check(nowMs: number): void {
    const waitedMs = nowMs - this.#waitingSince;
    if (nowMs >= this.#drainUntil || (this.#reading && waitedMs >= this.#idleMs)) {
      this.#timedOut = true;
      this.source.exchange.abort();
    } else if (this.#stopWaiting && waitedMs >= this.#writeMs) {
      this.#isStalled = true;
      this.#clientLeft();
    } else if (
      this.#reading &&
      this.#pingMs > 0 &&
      !this.#clientDisconnected &&
      nowMs - this.#lastWriteAt >= this.#pingMs
    ) {
      this.#lastWriteAt = nowMs;
      this.#controller?.write(this.call.endpoint.codec.ping);
    }
  }

  cutOff(): void {
    if (this.#settled) return;
    this.#isCutOff = true;
    this.source.exchange.abort();
    this.#stopWaiting?.();
  }

  /** Forwards blocks until the call is settled; after the client has disconnected, only reads. */
  async #run(): Promise<void> {
    this.#running = true;
    const recording = this.call.progress.cache?.recording;
    while (!this.#settled) {
      if (this.#ready.length === 0 && !this.#ended) {
        this.#reading = true;
        this.#waitingSince = performance.now();
        try {
          const read = this.source.reader.readMany();
          const { value, done } = read instanceof Promise ? await read : read;
          this.#ready = value;
          this.#ended = done;
        } catch {
          this.#ended = true;
        }
        this.#reading = false;
      }
      const bytes = this.#ready.shift();
      if (!bytes && !this.#ended) continue;
      const block = bytes ? this.#pass(bytes) : await this.#finish();
      // The call is settled before the client has the end.
      const passed = bytes && this.#view.ended ? await this.#complete(block) : block;
      if (passed.length > 0) recording?.add(passed);
      if (this.#clientDisconnected || passed.length === 0) continue;
      this.#lastWriteAt = this.#waitingSince;
      const written = this.#controller?.write(passed);
      if (written instanceof Promise) await this.#taken(written);
    }
    recording?.end();
  }

  /** What the client receives for new bytes. */
  #pass(bytes: Uint8Array): OutputChunk {
    const events = this.#events.push(bytes);
    if (this.#events.pendingBytes > this.context.services.config.maxResponseBodyBytes) this.#stopTooLarge();
    if (events.length === 0) return events;
    const passed = this.#view.take(events);
    this.call.trace?.addPassed(passed);
    return passed;
  }

  /** Waits until a slow client has read what was written, or has disconnected. */
  #taken(written: Promise<unknown>): Promise<void> {
    this.#waitingSince = performance.now();
    return new Promise((resolve) => {
      this.#stopWaiting = () => {
        this.#stopWaiting = null;
        resolve();
      };
      written.then(this.#stopWaiting, this.#stopWaiting);
    });
  }

  /** The upstream's body ended without an end marker: fine if the response is complete, else the stream is broken. */
  async #finish(): Promise<OutputChunk> {
    const pending = this.#events.takePending();
    const rest = pending.length > 0 ? this.#view.take(Buffer.concat([pending, EVENT_END])) : EMPTY;
    const finished = this.#view.ended || (this.#view.finished && !this.#timedOut);
    if (finished || this.#clientDisconnected) return this.#complete(rest);
    const error = this.#breakError();
    await this.#end(this.#isCutOff ? "shutdown" : this.#timedOut ? "idle_timeout" : "upstream_failed", error.reason);
    return concatChunks(rest, this.#view.broken(error, this.call.requestId));
  }

  #breakError(): GatewayError {
    if (this.#isCutOff) return shuttingDown();
    if (this.#isTooLarge) return new GatewayError(502, "response_too_large", { code: "gateway_too_large" });
    if (this.#timedOut) {
      return new GatewayError(504, "stream_idle_timeout", {
        code: "gateway_stream_idle",
        params: { seconds: this.#idleMs / 1000 },
      });
    }
    return new GatewayError(502, "stream_broken", { code: "gateway_stream_broken" });
  }

  /** An event exceeds the maximum size: stops the upstream and drops the event. */
  #stopTooLarge(): void {
    this.#isTooLarge = true;
    this.#ended = true;
    this.#ready = [];
    this.#events.takePending();
    this.source.exchange.abort();
  }

  /** `last` contains the end: settles, then appends what the format requires. */
  async #complete(last: OutputChunk): Promise<OutputChunk> {
    const { failed } = this.#view;
    const settled = this.#end(failed === null ? "complete" : "upstream_failed", failed ?? undefined, !this.#ended);
    if (!this.#ended) void this.#readRest();
    return settled ? this.#view.close(last, await settled) : last;
  }

  /** Settles the call, once. `readsRest`: the deadlines go on for what follows the end marker. */
  #end(ending: CallEnding, error?: Reason, readsRest = false): Promise<Usage> | null {
    if (this.#settled) return null;
    this.#settled = true;
    if (!readsRest) this.context.deadlines.remove(this);
    this.context.metrics.streamEnded();
    this.context.bodies.release(this.call.request);
    if (this.#ended) this.source.exchange.end();
    const drained = this.#clientDisconnected && drainsOnDisconnect(this.#channel);
    return this.endCall(this.context, this.call, this.reserved, {
      ending: this.#clientDisconnected ? "client_left" : ending,
      reported: this.#view.usage,
      drained,
      meter: this.#view.meter,
      ...(error !== undefined && { error }),
    });
  }

  #clientLeft(): void {
    if (this.#clientDisconnected || this.#settled) return;
    this.#clientDisconnected = true;
    this.call.progress.client.hasLeft = true;
    if (drainsOnDisconnect(this.#channel)) {
      this.#drainUntil = performance.now() + drainCapMs(this.#channel);
    } else {
      this.source.exchange.abort();
    }
    this.#stopWaiting?.();
    // A stream whose client disconnected before it began has no loop yet that could settle it.
    if (!this.#running) this.#run().catch((error) => this.#logFault(error));
  }

  #logFault(error: unknown): void {
    this.context.services.log.error({ error, requestId: this.call.requestId }, "a stream failed");
  }

  /** Reads and drops what follows the end marker; the deadline wheel stops it if it takes too long. */
  async #readRest(): Promise<void> {
    this.#drainUntil = performance.now() + REST_MS;
    try {
      while (!(await this.source.reader.read()).done);
    } catch {
      // The call is settled: how the connection ends no longer matters.
    }
    this.context.deadlines.remove(this);
    this.source.exchange.end();
  }
}
