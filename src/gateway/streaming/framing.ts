import { zhipuEventsToSse } from "../../providers/chinese-labs/zhipu/events.ts";
import type { Framing } from "../../providers/contract/provider.ts";
import { eventStreamToSse } from "../../providers/hosts/bedrock/event-stream.ts";
import { ResponseTooLargeError } from "../upstream/read-body.ts";

const DATA = Buffer.from("data: ");
const EVENT_END = Buffer.from("\n\n");
const LF = 10;

/**
 * The body of a streamed response as server-sent events, whatever its own framing; null when it has none. It fails with
 * ResponseTooLargeError where an event takes more than `maxEventBytes`.
 */
export function toEventStream(
  { body }: Pick<Response, "body">,
  framing: Framing,
  maxEventBytes: number,
): ReadableStream<Uint8Array> | null {
  if (!body || framing === "sse") return body;
  return body.pipeThrough(new TransformStream(new BoundedEvents(TRANSFORMERS[framing](), maxEventBytes)));
}

const TRANSFORMERS: Readonly<Record<Exclude<Framing, "sse">, () => Transformer<Uint8Array, Uint8Array>>> = {
  ndjson: () => new LinesToEvents(),
  "aws-events": eventStreamToSse,
  "zhipu-events": zhipuEventsToSse,
};

/** Bounds what a transformer takes in before it puts something out. */
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

/** One JSON text a line: each becomes the data of an event. */
class LinesToEvents implements Transformer<Uint8Array, Uint8Array> {
  #partial: Uint8Array[] = [];

  transform(bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      this.#emit(bytes.subarray(start, end), controller);
      start = end + 1;
    }
    if (start < bytes.length) this.#partial.push(bytes.slice(start));
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#emit(new Uint8Array(0), controller);
  }

  #emit(rest: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    const line = Buffer.concat([...this.#partial, rest]);
    this.#partial = [];
    if (line.toString().trim() !== "") controller.enqueue(Buffer.concat([DATA, line, EVENT_END]));
  }
}
