import type { CallEnding, Usage } from "../billing/types.ts";
import type { ChannelEntry } from "../channels/entry.ts";
import type { JsonObject } from "../dialects/json.ts";
import {
  chunkOf,
  DONE_EVENT,
  doneEventStart,
  errorEventIn,
  mentionsUsage,
  readUsageEvents,
  usageEvent,
} from "../dialects/openai-chat/stream.ts";
import { splitEvents, wholeEventsLength } from "../lib/sse.ts";
import { bufferOf, type OpenStream } from "./attempt.ts";
import { drainCapMs, drains } from "./broken-stream.ts";
import type { Call } from "./call.ts";
import type { RelayContext } from "./context.ts";
import { errorObject, RelayError } from "./errors.ts";
import { settle } from "./settle.ts";
import { OutputTally } from "./tally.ts";
import type { Watched } from "./watch.ts";

const PING = Buffer.from(": PING\n\n");
const EMPTY = Buffer.alloc(0);
/** How long the rest of an upstream's body is read after its end marker, so that the connection can be used again. */
const REST_MS = 2_000;

/**
 * Passes a stream of events to the client, whole events at a time and as bytes: only blocks that mention usage are looked
 * into. Reads the upstream no faster than the client takes it, settles the call before the client sees its end, and
 * applies the rule for broken streams when either side leaves.
 */
export class StreamPump implements Watched, UnderlyingDefaultSource<Uint8Array> {
  readonly #tally = new OutputTally();
  readonly #keepUsage: boolean;
  readonly #idleMs: number;
  /** 0: no pings. */
  readonly #pingMs: number;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Bytes of an event whose end has not come yet. */
  #partial: Buffer = EMPTY;
  #ready: Buffer | null;
  readonly #channel: ChannelEntry;
  #ended: boolean;
  #usage: Usage | null = null;
  #firstChunk: JsonObject | null = null;
  /** When the present wait, for the upstream or for the client, began. */
  #waitingSince = performance.now();
  #toldAt = this.#waitingSince;
  /** A loop over `#next` is running. */
  #busy = false;
  #reading = false;
  #drainUntil = Number.POSITIVE_INFINITY;
  #clientGone = false;
  #timedOut = false;
  #settled = false;

  constructor(
    private readonly context: RelayContext,
    private readonly call: Call,
    private readonly source: OpenStream,
  ) {
    const { config, settings } = context.services;
    this.#keepUsage = call.admitted.summary.wantsUsage;
    this.#idleMs = config.streamingTimeoutMs;
    this.#pingMs = settings.get("general_setting.ping_interval_enabled")
      ? settings.get("general_setting.ping_interval_seconds") * 1000
      : 0;
    this.#channel = source.channel;
    this.#ready = source.first;
    this.#ended = source.ended;
    call.stop = () => this.#clientLeft();
    context.watch.add(this);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** The client takes more: reads until there is a block of whole events for it. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#busy = true;
    try {
      const block = await this.#next();
      if (this.#clientGone) return await this.#drain();
      if (block) controller.enqueue(block);
      if (this.#settled) controller.close();
    } catch (error) {
      // Without this net an unforeseen fault would leave the quota held and the client waiting.
      this.context.services.log.error({ error, requestId: this.call.requestId }, "a stream failed");
      this.source.exchange.abort();
      controller.error(error);
      await this.#end("upstream_failed", "internal error");
    } finally {
      this.#busy = false;
      this.#waitingSince = performance.now();
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
    } else if (!this.#busy && waitedMs >= this.#idleMs) {
      // The client holds its connection open and takes nothing.
      this.#clientLeft();
    } else if (this.#reading && this.#pingMs > 0 && !this.#clientGone && nowMs - this.#toldAt >= this.#pingMs) {
      this.#toldAt = nowMs;
      this.#controller?.enqueue(PING);
    }
  }

  /** The next block for the client; null when the client has left. The last block is given after the call is settled. */
  async #next(): Promise<Buffer | null> {
    for (;;) {
      const bytes = this.#ready ?? (this.#ended ? null : await this.#read());
      this.#ready = null;
      if (bytes === null) return this.#finish();
      const block = this.#wholeEvents(bytes);
      if (block.length === 0) continue;
      const done = doneEventStart(block);
      if (done >= 0) return this.#complete(this.#inspect(block.subarray(0, done)), block.subarray(done));
      const passed = this.#inspect(block);
      if (passed.length === 0) continue;
      this.#toldAt = this.#waitingSince;
      return passed;
    }
  }

  /** Null: the upstream ended, well or badly. */
  async #read(): Promise<Buffer | null> {
    this.#reading = true;
    this.#waitingSince = performance.now();
    try {
      const { value, done } = await this.source.reader.readMany();
      if (done) this.#ended = true;
      const [first] = value;
      if (!first) return done ? null : EMPTY;
      return value.length === 1 ? bufferOf(first) : Buffer.concat(value);
    } catch {
      this.#ended = true;
      return null;
    } finally {
      this.#reading = false;
    }
  }

  #wholeEvents(bytes: Buffer): Buffer {
    const all = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes]);
    const length = wholeEventsLength(all);
    this.#partial = length === all.length ? EMPTY : all.subarray(length);
    return length === all.length ? all : all.subarray(0, length);
  }

  /** Notes what the block says about usage; without the events that the client did not ask for. */
  #inspect(block: Buffer): Buffer {
    if (this.#keepUsage && !this.#firstChunk) this.#firstChunk = chunkOf(splitEvents(block.toString("utf8"))[0] ?? "");
    this.#tally.push(block);
    if (!mentionsUsage(block)) return block;
    const { usage, block: passed } = readUsageEvents(block, this.#keepUsage);
    this.#usage = usage ?? this.#usage;
    return passed;
  }

  /** The upstream's body is over without an end marker: fine if a finish reason was seen, else it broke off. */
  async #finish(): Promise<Buffer | null> {
    const rest = this.#partial.length > 0 ? this.#inspect(Buffer.concat([this.#partial, Buffer.from("\n\n")])) : EMPTY;
    this.#partial = EMPTY;
    const finished = this.#tally.sawFinish && !this.#timedOut;
    if (finished || this.#clientGone) return this.#complete(rest, Buffer.from(DONE_EVENT));
    const timedOut = this.#timedOut;
    const error = timedOut
      ? new RelayError(504, "stream_idle_timeout", `The upstream sent nothing for ${this.#idleMs / 1000} s.`)
      : new RelayError(502, "stream_broken", "The upstream ended the stream before it was complete.");
    await this.#end(timedOut ? "idle_timeout" : "upstream_failed", error.message);
    const told = `data: ${JSON.stringify(errorObject(error, this.call.requestId))}\n\n${DONE_EVENT}`;
    return Buffer.concat([rest, Buffer.from(told)]);
  }

  async #complete(last: Buffer, done: Buffer): Promise<Buffer | null> {
    const failed = errorEventIn(last) !== null;
    const missing = this.#keepUsage && this.#usage === null && !failed;
    const settled = this.#end(
      failed ? "upstream_failed" : "complete",
      failed ? "error event in the stream" : undefined,
    );
    const usage = settled instanceof Promise ? await settled : settled;
    if (!this.#ended) void this.#readRest();
    if (this.#clientGone) return null;
    return missing && usage
      ? Buffer.concat([last, Buffer.from(usageEvent(this.#firstChunk, usage)), done])
      : joined(last, done);
  }

  /** Settles the call, once. */
  #end(ending: CallEnding, error?: string): Usage | Promise<Usage> | null {
    if (this.#settled) return null;
    this.#settled = true;
    this.context.watch.remove(this);
    const drained = this.#clientGone && drains(this.#channel);
    return settle(this.context, this.call, {
      ending: this.#clientGone ? "client_left" : ending,
      reported: this.#usage,
      drained,
      tally: this.#tally,
      ...(error !== undefined && { error }),
    });
  }

  #clientLeft(): void {
    if (this.#clientGone || this.#settled) return;
    this.#clientGone = true;
    this.call.clientLeft = true;
    if (drains(this.#channel)) {
      this.#drainUntil = performance.now() + drainCapMs(this.#channel);
    } else {
      this.source.exchange.abort();
    }
    if (!this.#busy) void this.#drain();
  }

  /** Reads to the end without a client, then settles. */
  async #drain(): Promise<void> {
    while (!this.#settled) await this.#next();
  }

  /** What follows the end marker is read and dropped. */
  async #readRest(): Promise<void> {
    const { exchange, reader } = this.source;
    const limit = setTimeout(() => exchange.abort(), REST_MS);
    try {
      while (!(await reader.read()).done);
    } catch {
      // The call is settled: how the connection ends no longer matters.
    }
    clearTimeout(limit);
  }
}

const joined = (a: Buffer, b: Buffer): Buffer => (a.length === 0 ? b : Buffer.concat([a, b]));
