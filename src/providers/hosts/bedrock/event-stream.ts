import { EventStreamCodec } from "@smithy/eventstream-codec";
import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";

const fromUtf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const toUtf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
/** Total length, header length, checksum of both. */
const PRELUDE_BYTES = 12;

/** Anthropic's error types by Bedrock exception; each type has its HTTP status. */
const TYPES = lookupTable<string>({
  throttlingException: "rate_limit_error",
  serviceUnavailableException: "overloaded_error",
  modelTimeoutException: "timeout_error",
  validationException: "invalid_request_error",
});

/**
 * Converts Bedrock's binary frames to server-sent events. The base64 of a chunk's `bytes` is the event that the model's
 * own API would send, other payloads are events themselves, and an exception frame becomes an error object in
 * Anthropic's shape.
 */
export function eventStreamToSse(): Transformer<Uint8Array, Uint8Array> {
  const codec = new EventStreamCodec(toUtf8, fromUtf8);
  let rest: Uint8Array = new Uint8Array(0);
  return {
    transform(bytes, controller) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      while (rest.length >= PRELUDE_BYTES) {
        const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
        if (rest.length < length) return;
        controller.enqueue(Buffer.from(eventOf(codec, rest.slice(0, length))));
        rest = rest.subarray(length);
      }
    },
  };
}

function eventOf(codec: EventStreamCodec, frame: Uint8Array): string {
  const { headers, body } = codec.decode(frame);
  const payload = toUtf8(body);
  if (headers[":message-type"]?.value === "event") {
    const inner = textOf(recordOf(parseJson(payload))?.bytes);
    const data = inner === null ? payload : Buffer.from(inner, "base64").toString("utf8");
    // Converse has the event name in the frame; its payloads have no type.
    const name =
      textOf(recordOf(parseJson(data))?.type) ?? (inner === null ? textOf(headers[":event-type"]?.value) : null);
    return `${name ? `event: ${name}\n` : ""}data: ${data}\n\n`;
  }
  const kind = String(headers[":exception-type"]?.value ?? "");
  const type = TYPES[kind] ?? "api_error";
  const message = textOf(recordOf(parseJson(payload))?.message) ?? (payload || kind);
  return `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message } })}\n\n`;
}
