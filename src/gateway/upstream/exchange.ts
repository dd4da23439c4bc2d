import { readEvents } from "../../lib/http/sse.ts";
import type { Config } from "../../server/config.ts";
import type { DeadlineWheel, HasDeadline } from "../call/progress.ts";

/** Why the gateway stopped an exchange with an upstream. */
export type StopReason = "client_left" | "first_byte_timeout" | "idle_timeout" | "shutdown";

/** A response that never ends is cut off after this time, however steadily it arrives. */
const MAX_BODY_MS = 3_600_000;

/**
 * One exchange with an upstream: its abort signal, its deadlines, and the connection it occupies. It never uses the
 * client's own signal.
 */
export class Exchange implements HasDeadline {
  place = -1;
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #watch: DeadlineWheel;
  #deadlineMs = Number.POSITIVE_INFINITY;
  /** The longest pause while reading a body; 0: no body is being read. */
  #idleMs = 0;
  /** When a body must be complete. */
  #endMs = Number.POSITIVE_INFINITY;
  /** Gives back the connection that the exchange occupies until it ends. */
  release: (() => void) | null = null;
  stopped: StopReason | null = null;

  readonly #headMs: number;

  /** The first response must begin within `headMs`; 0: no limit. */
  constructor(watch: DeadlineWheel, headMs: number) {
    this.#watch = watch;
    this.#headMs = headMs;
    if (headMs > 0) this.#deadlineMs = performance.now() + headMs;
    watch.add(this);
  }

  check(nowMs: number): void {
    if (nowMs >= this.#deadlineMs) this.stop(this.#idleMs > 0 ? "idle_timeout" : "first_byte_timeout");
  }

  cutOff(): void {
    this.stop("shutdown");
  }

  /** Another request follows, with the same time limit for its headers. */
  expectHead(): void {
    this.#idleMs = 0;
    this.#deadlineMs = this.#headMs > 0 ? performance.now() + this.#headMs : Number.POSITIVE_INFINITY;
    this.#watch.add(this);
  }

  /** The headers have arrived: from now on every read must return something within `idleMs`. */
  expectBody(idleMs: number): void {
    const now = performance.now();
    this.#idleMs = idleMs;
    this.#endMs = now + MAX_BODY_MS;
    this.#deadlineMs = now + idleMs;
    if (this.place < 0) this.#watch.add(this);
  }

  /** A part of the body arrived, or its reader took one. */
  progressed(): void {
    if (this.#idleMs > 0) this.#deadlineMs = Math.min(performance.now() + this.#idleMs, this.#endMs);
  }

  /** Ends the time limits: something else observes the rest. */
  endTimeouts(): void {
    this.#watch.remove(this);
  }

  /** The response was read to its end, or will not be read any further. */
  end(): void {
    if (this.place >= 0) this.#watch.remove(this);
    this.release?.();
    this.release = null;
  }

  stop(reason: StopReason): void {
    if (this.stopped) return;
    this.stopped = reason;
    this.abort();
  }

  /** Closes the connection to the upstream; pending reads fail. */
  abort(): void {
    this.end();
    this.#controller.abort();
  }
}

/** Every connection to an origin was in use for as long as a caller may wait. */
export class UpstreamBusyError extends Error {
  override name = "UpstreamBusyError";
}

/** The upstream's response exceeds the maximum size. */
export class ResponseTooLargeError extends Error {
  override name = "ResponseTooLargeError";

  constructor() {
    super("the response is too large");
  }
}

/** Limits for a response that is read completely before use: its size, and how long each read may take. */
type BodyLimits = Pick<Config, "maxResponseBodyBytes" | "streamingTimeoutMs">;

/** The result of one read. */
type Chunks<Memory extends ArrayBufferLike> = { value: Uint8Array<Memory>[]; done: boolean };

/** The runtime's stream reader, whose `readMany` returns all available chunks, synchronously if there are any. */
export type ByteReader<Memory extends ArrayBufferLike = ArrayBufferLike> = {
  readMany(): Chunks<Memory> | Promise<Chunks<Memory>>;
  read(): Promise<{ value?: Uint8Array<Memory> | undefined; done: boolean }>;
  cancel?(): Promise<void>;
};

/** Up to this content length a body arrives in so few chunks that the runtime collects it faster than a reader. */
const GATHERED_BYTES = 256 * 1024;
/** Maximum size of an error response, which is only read for its message. */
const MAX_ERROR_BYTES = 256 * 1024;

/**
 * Reads a complete response and ends its exchange. Rejects ResponseTooLargeError beyond the limit, after closing the
 * connection, or with the connection's error.
 */
export async function readBody(
  response: Response,
  exchange: Exchange,
  { maxResponseBodyBytes: maxBytes, streamingTimeoutMs }: BodyLimits,
): Promise<Buffer<ArrayBuffer>> {
  exchange.expectBody(streamingTimeoutMs);
  const announced = Number(response.headers.get("content-length") ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(exchange);
  const isShort = announced <= GATHERED_BYTES;
  const bytes = isShort ? Buffer.from(await response.arrayBuffer()) : await gather(response, exchange, maxBytes);
  if (bytes === null) throw tooLarge(exchange);
  exchange.end();
  return bytes;
}

/**
 * The beginning of an error response as text, long enough for a message; ends the exchange. Of server-sent events, which some
 * servers answer with in spite of the status, it is what the first one carries.
 */
export async function readErrorText(response: Response, exchange: Exchange, idleMs: number): Promise<string> {
  exchange.expectBody(idleMs);
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (reader && size < MAX_ERROR_BYTES) {
    const { value, done } = await reader.read();
    exchange.progressed();
    if (done) {
      exchange.end();
      return outOfEvents(Buffer.concat(chunks).toString());
    }
    if (value) chunks.push(value);
    size += value?.length ?? 0;
  }
  await reader?.cancel().catch(() => {});
  exchange.end();
  return outOfEvents(Buffer.concat(chunks).toString("utf8", 0, MAX_ERROR_BYTES));
}

const EVENTS = /^(?:data|event|id|retry)?:/;

const outOfEvents = (text: string): string => (EVENTS.test(text) && readEvents(text)[0]?.data) || text;

/**
 * Streams the body to a client unchanged; ends the exchange when done, or if neither side makes progress for `idleMs`.
 */
export function passBody(response: Response, exchange: Exchange, idleMs: number): ReadableStream<Uint8Array> | null {
  const reader = response.body?.getReader();
  if (reader) return passRest(reader, [], exchange, idleMs);
  exchange.end();
  return null;
}

/** A body that has begun: its first chunk, and the whole body as a stream. */
export type OpenBody = Readonly<{ first: Uint8Array; stream: ReadableStream<Uint8Array> }>;

/** Waits up to `idleMs` for the first bytes of a body; null if it has none, in which case the exchange has ended. */
export async function openBody(response: Response, exchange: Exchange, idleMs: number): Promise<OpenBody | null> {
  exchange.expectBody(idleMs);
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); reader && read && !read.done; read = await reader.read()) {
    const { value } = read;
    if (value.length > 0) return { first: value, stream: passRest(reader, [value], exchange, idleMs) };
  }
  exchange.end();
  return null;
}

function passRest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  read: Uint8Array[],
  exchange: Exchange,
  idleMs: number,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start() {
        exchange.expectBody(idleMs);
      },
      async pull(controller) {
        const chunk = read.shift();
        if (chunk) return controller.enqueue(chunk);
        const { value, done } = await reader.read();
        exchange.progressed();
        if (value) controller.enqueue(value);
        if (!done) return;
        exchange.end();
        controller.close();
      },
      cancel() {
        exchange.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

/** null: the body is larger than `maxBytes`. */
async function gather(response: Response, exchange: Exchange, maxBytes: number): Promise<Buffer<ArrayBuffer> | null> {
  const reader: ByteReader<ArrayBuffer> | undefined = response.body?.getReader();
  if (!reader) return Buffer.alloc(0);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const read = reader.readMany();
    const { value, done } = read instanceof Promise ? await read : read;
    exchange.progressed();
    for (const chunk of value) {
      chunks.push(chunk);
      size += chunk.length;
    }
    if (size > maxBytes) return null;
    if (done) {
      const [only, ...others] = chunks;
      if (!only || others.length > 0) return Buffer.concat(chunks);
      return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
    }
  }
}

function tooLarge(exchange: Exchange): ResponseTooLargeError {
  exchange.abort();
  return new ResponseTooLargeError();
}
