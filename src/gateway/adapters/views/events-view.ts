import type { Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { errorEventIn } from "../../../formats/openai-chat/response/stream.ts";
import { eventData, splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import { errorObject } from "../../request/error-response.ts";
import { bytesOf, type OutputChunk, type StreamView } from "../../upstream/adapter.ts";

/** The last event of an image is `….completed`, that of speech and transcripts `….done`. */
const LAST_EVENT = /\.(completed|done)$/;
const LAST_MARKS = [".completed", ".done"].map((mark) => Buffer.from(mark));

/**
 * Passes a stream of images, speech or a transcript through as bytes; parses only blocks with a last event, for its
 * usage.
 */
export class EventsView implements StreamView {
  readonly meter = new OutputMeter();
  readonly ended = false;
  usage: Usage | null = null;
  failed: string | null = null;
  finished = false;

  /** `meter` reads the usage of a last event. */
  constructor(private readonly usageIn: (event: JsonObject) => Usage | null) {
    this.meter.other();
  }

  take(block: Buffer): Uint8Array {
    if (LAST_MARKS.some((mark) => block.includes(mark))) this.#readLast(block);
    if (!this.finished && errorEventIn(block) !== null) {
      this.failed = "error event in the stream";
      this.finished = true;
    }
    return block;
  }

  close(last: OutputChunk): Uint8Array {
    return bytesOf(last);
  }

  broken(error: GatewayError, requestId: string): Uint8Array {
    return Buffer.from(
      `event: error\ndata: ${JSON.stringify({ type: "error", ...errorObject(error, requestId) })}\n\n`,
    );
  }

  #readLast(block: Uint8Array): void {
    for (const event of splitEvents(textOfBytes(block))) {
      const data = recordOf(parseJson(eventData(event) ?? ""));
      if (!data || !LAST_EVENT.test(textOf(data.type) ?? "")) continue;
      this.finished = true;
      this.usage = this.usageIn(data) ?? this.usage;
    }
  }
}

/** A complete response as the stream that the client requested: its last events. */
export function responseAsEvents(capability: string, answer: JsonObject): string {
  const { data, usage, text } = answer;
  const events: JsonObject[] =
    capability === "transcriptions"
      ? [{ type: "transcript.text.done", text, ...(usage !== undefined && { usage }) }]
      : (Array.isArray(data) ? data : []).map((item: JsonObject) => ({
          type: capability === "image-edits" ? "image_edit.completed" : "image_generation.completed",
          ...item,
          ...(usage !== undefined && { usage }),
        }));
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
