import type { Framing } from "../../providers/contract/chat.ts";
import { ResponseTooLargeError } from "../upstream/read-body.ts";

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
