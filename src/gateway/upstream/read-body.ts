import type { GatewayContext } from "../call/context.ts";
import type { Exchange } from "./exchange.ts";

/** The upstream's response is larger than the gateway takes. */
export class ResponseTooLargeError extends Error {
  override name = "ResponseTooLargeError";

  constructor() {
    super("the response is too large");
  }
}

type BodyLimits = Readonly<{ maxBytes: number; idleMs: number }>;

/** Limits on a response that is read whole before anything of it is used. */
export const bodyLimits = ({ services: { config } }: GatewayContext): BodyLimits => ({
  maxBytes: config.maxResponseBodyBytes,
  idleMs: config.streamingTimeoutMs,
});

/** What one read brings. */
type Chunks<Memory extends ArrayBufferLike> = { value: Uint8Array<Memory>[]; done: boolean };

/** The runtime's stream reader, which hands out all chunks that came since the last read, at once where there are any. */
export type ByteReader<Memory extends ArrayBufferLike = ArrayBufferLike> = {
  readMany(): Chunks<Memory> | Promise<Chunks<Memory>>;
  read(): Promise<{ value?: Uint8Array<Memory> | undefined; done: boolean }>;
};

const NOTHING = new Uint8Array(0);
/** Up to this announced length a body arrives in so few pieces that the runtime gathers it cheaper than a reader. */
const GATHERED_BYTES = 256 * 1024;
/** An error response is only read for its message. */
const MAX_ERROR_BYTES = 256 * 1024;

/** Reads a body chunk by chunk; null: there is none. */
export const readerOf = (body: ReadableStream<Uint8Array> | null): ByteReader | null => body?.getReader() ?? null;

/**
 * Reads a whole response and ends its exchange. Each read must bring something within `idleMs`. Rejects
 * ResponseTooLargeError beyond `maxBytes`, after which the connection is closed, or what the connection fails with.
 */
export async function readBody(
  response: Response,
  exchange: Exchange,
  { maxBytes, idleMs }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  exchange.expectBody(idleMs);
  const announced = Number(response.headers.get("content-length") ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(exchange);
  const bytes = announced <= GATHERED_BYTES ? await response.bytes() : await gather(response, exchange, maxBytes);
  if (bytes === null) throw tooLarge(exchange);
  exchange.end();
  return bytes;
}

/** The beginning of an error response as text, as much as a message can need; ends the exchange. */
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

/** The body as it comes, for a client that gets it as it is: ends the exchange, also when neither side moves for `idleMs`. */
export function passBody(response: Response, exchange: Exchange, idleMs: number): ReadableStream<Uint8Array> | null {
  const reader = response.body?.getReader();
  if (reader) return passRest(reader, [], exchange, idleMs);
  exchange.end();
  return null;
}

/** A body that has begun: its first chunk, and all of it as it comes. */
export type OpenBody = Readonly<{ first: Uint8Array; stream: ReadableStream<Uint8Array> }>;

/** Waits for the first bytes of a body, `idleMs` at most; null: it has none, and the exchange has ended. */
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
