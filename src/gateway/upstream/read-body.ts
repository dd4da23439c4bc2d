import type { Config } from "../../server/config.ts";
import type { Exchange } from "./exchange.ts";

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

const NOTHING = new Uint8Array(0);
/** Up to this content length a body arrives in so few chunks that the runtime collects it faster than a reader. */
const GATHERED_BYTES = 256 * 1024;
/** Maximum size of an error response, which is only read for its message. */
const MAX_ERROR_BYTES = 256 * 1024;

/** A reader of the body; null without a body. */
export const readerOf = (body: ReadableStream<Uint8Array> | null): ByteReader | null => body?.getReader() ?? null;

/**
 * Reads a complete response and ends its exchange. Rejects ResponseTooLargeError beyond the limit, after closing the
 * connection, or with the connection's error.
 */
export async function readBody(
  response: Response,
  exchange: Exchange,
  { maxResponseBodyBytes: maxBytes, streamingTimeoutMs }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  exchange.expectBody(streamingTimeoutMs);
  const announced = Number(response.headers.get("content-length") ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(exchange);
  const bytes = announced <= GATHERED_BYTES ? await response.bytes() : await gather(response, exchange, maxBytes);
  if (bytes === null) throw tooLarge(exchange);
  exchange.end();
  return bytes;
}

/** The beginning of an error response as text, long enough for a message; ends the exchange. */
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
      return Buffer.concat(chunks).toString();
    }
    if (value) chunks.push(value);
    size += value?.length ?? 0;
  }
  await reader?.cancel().catch(() => {});
  exchange.end();
  return Buffer.concat(chunks).toString("utf8", 0, MAX_ERROR_BYTES);
}

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
async function gather(
  response: Response,
  exchange: Exchange,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader: ByteReader<ArrayBuffer> | undefined = response.body?.getReader();
  if (!reader) return NOTHING;
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
    if (done) return chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks);
  }
}

function tooLarge(exchange: Exchange): ResponseTooLargeError {
  exchange.abort();
  return new ResponseTooLargeError();
}
