import { eventStreamToSse } from "../dialects/aws-events.ts";
import { zhipuEventsToSse } from "../dialects/zhipu/events.ts";
import type { Framing } from "../providers/provider.ts";

const DATA = Buffer.from("data: ");
const EVENT_END = Buffer.from("\n\n");
const LF = 10;

/** The body of a streamed answer as server-sent events, whatever its own framing; null when it has none. */
export function framed(response: Pick<Response, "body">, framing: Framing = "sse"): ReadableStream<Uint8Array> | null {
  switch (framing) {
    case "sse":
      return response.body;
    case "ndjson":
      return response.body?.pipeThrough(new TransformStream(new LinesToEvents())) ?? null;
    case "aws-events":
      return response.body?.pipeThrough(new TransformStream(eventStreamToSse())) ?? null;
    case "zhipu-events":
      return response.body?.pipeThrough(new TransformStream(zhipuEventsToSse())) ?? null;
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
