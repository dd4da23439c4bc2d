import { compact } from "../../../formats/helpers/compact.ts";
import { parseJson } from "../../../formats/json.ts";
import { completeEventsLength } from "../../../lib/http/sse.ts";

/**
 * Converts Zhipu's v3 events to events with JSON data: their data is plain text whose lines are lines of the answer,
 * and the last event has the usage in a field of its own. `event`, `text` and `meta` become members of the data.
 */
export function zhipuEventsToSse(): Transformer<Uint8Array, Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  const emit = (bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    const text = Buffer.from(bytes).toString("utf8").replace(/\r\n?/g, "\n");
    const events = text.split("\n\n").flatMap((event) => asJson(event) ?? []);
    if (events.length > 0) controller.enqueue(Buffer.from(events.join("")));
  };
  return {
    transform(bytes, controller) {
      rest = rest.length === 0 ? bytes.slice() : Buffer.concat([rest, bytes]);
      const length = completeEventsLength(rest);
      if (length === 0) return;
      emit(rest.subarray(0, length), controller);
      rest = rest.subarray(length);
    },
    flush: (controller) => emit(rest, controller),
  };
}

function asJson(event: string): string | null {
  // Errors are plain JSON, even if a stream was requested.
  if (event.trimStart().startsWith("{")) return `data: ${event.replaceAll("\n", " ").trim()}\n\n`;
  const fields = new Map<string, string[]>();
  for (const line of event.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    fields.set(name, [...(fields.get(name) ?? []), line.slice(colon + 1)]);
  }
  const name = fields.get("event")?.[0]?.trim();
  // The v4 API streams standard events.
  if (!name) return event.trim() === "" ? null : `${event}\n\n`;
  // The data begins right after the colon: a space there belongs to the answer.
  const data = {
    event: name,
    text: fields.get("data")?.join("\n") ?? "",
    meta: parseJson(fields.get("meta")?.[0] ?? ""),
  };
  return `event: ${name}\ndata: ${JSON.stringify(compact(data))}\n\n`;
}
