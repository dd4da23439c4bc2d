import { parseJson, recordOf } from "../../../formats/json.ts";
import { completeEventsLength, eventData, splitEvents } from "../../../lib/http/sse.ts";

/** The HTTP status of a failure, which stands in a comment of its event. */
const FAILED_STATUS = /^:\s*HTTP_STATUS\/([45]\d\d)\s*$/m;
const MARK = Buffer.from(":HTTP_STATUS/");

/**
 * Puts the HTTP status that DashScope writes in a comment of an event into the event's data, as `status_code`, where it is a
 * failure. All else passes as it is; JSON without a stream becomes an event.
 */
export function dashscopeEvents(): Transformer<Uint8Array, Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  return {
    transform(bytes, controller) {
      rest = rest.length === 0 ? bytes.slice() : Buffer.concat([rest, bytes]);
      const length = completeEventsLength(rest);
      if (length === 0) return;
      controller.enqueue(withStatus(rest.subarray(0, length)));
      rest = rest.subarray(length);
    },
    flush(controller) {
      if (rest.length === 0) return;
      const text = Buffer.from(rest).toString("utf8");
      const isJson = text.trimStart().startsWith("{");
      controller.enqueue(isJson ? Buffer.from(`data: ${text.replaceAll("\n", " ").trim()}\n\n`) : withStatus(rest));
    },
  };
}

function withStatus(bytes: Uint8Array): Uint8Array {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(MARK) < 0) return bytes;
  const text = Buffer.from(bytes).toString("utf8");
  if (!FAILED_STATUS.test(text)) return bytes;
  return Buffer.from(splitEvents(text).map(asError).join(""));
}

function asError(event: string): string {
  const [, status] = FAILED_STATUS.exec(event) ?? [];
  const data = status === undefined ? null : recordOf(parseJson(eventData(event) ?? ""));
  return data ? `event: error\ndata: ${JSON.stringify({ ...data, status_code: Number(status) })}\n\n` : event;
}
