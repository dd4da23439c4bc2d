import { completeEventsLength } from "../../lib/http/sse.ts";
import type { Framing } from "../../providers/contract/chat.ts";
import { ResponseTooLargeError } from "./exchange.ts";

const EMPTY = Buffer.alloc(0);
/** The longest incomplete event separator: it may be split anywhere. */
const MAX_CUT_END_BYTES = 3;

/** Splits the chunks of a stream into complete events. Every byte is inspected and copied a few times at most. */
export class EventBuffer {
  /** The chunks of an event that is still incomplete. */
  #chunks: Uint8Array[] = [];
  /** Bytes of the incomplete event; changed only here. */
  pendingBytes = 0;

  /** Adds bytes; returns the complete events that were not returned before. */
  push(bytes: Uint8Array): Buffer {
    const last = this.#chunks.at(-1);
    // Where the bytes end none, those before them need not be joined.
    const endsNone = last && completeEventsLength(Buffer.concat([last.subarray(-MAX_CUT_END_BYTES), bytes])) === 0;
    if (endsNone) {
      this.#chunks.push(bytes);
      this.pendingBytes += bytes.length;
      return EMPTY;
    }
    const all = last
      ? Buffer.concat([...this.#chunks, bytes])
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = completeEventsLength(all);
    this.#chunks = length === all.length ? [] : [all.subarray(length)];
    this.pendingBytes = all.length - length;
    return length === all.length ? all : all.subarray(0, length);
  }

  /** Returns and clears the incomplete event. */
  takePending(): Buffer {
    const pending = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.pendingBytes = 0;
    return pending;
  }
}

/**
 * Converts the body of a streamed response from the provider's framing to server-sent events; null without a body. The
 * stream fails with ResponseTooLargeError if an event exceeds `maxEventBytes`.
 */
export function toEventStream(
  { body }: Pick<Response, "body">,
  framing: Framing,
  maxEventBytes: number,
): ReadableStream<Uint8Array> | null {
  return body?.pipeThrough(new TransformStream(new BoundedEvents(framing(), maxEventBytes))) ?? null;
}

/** Limits how much a transformer reads before it outputs something. */
class BoundedEvents implements Transformer<Uint8Array, Uint8Array> {
  #pendingBytes = 0;

  constructor(
    private readonly inner: Transformer<Uint8Array, Uint8Array>,
    private readonly maxBytes: number,
  ) {}

  async transform(bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): Promise<void> {
    this.#pendingBytes += bytes.length;
    await this.inner.transform?.(bytes, this.#observed(controller));
    if (this.#pendingBytes > this.maxBytes) throw new ResponseTooLargeError();
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void | PromiseLike<void> {
    return this.inner.flush?.(controller);
  }

  #observed(controller: TransformStreamDefaultController<Uint8Array>): TransformStreamDefaultController<Uint8Array> {
    return {
      desiredSize: controller.desiredSize,
      enqueue: (event) => {
        this.#pendingBytes = 0;
        controller.enqueue(event);
      },
      error: (reason) => controller.error(reason),
      terminate: () => controller.terminate(),
    };
  }
}
