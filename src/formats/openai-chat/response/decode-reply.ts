import { type Reply, ReplyCollector } from "../../conversation/collect-reply.ts";
import { type JsonObject, recordOf, recordsOf } from "../../json.ts";
import { ChatStreamDecoder } from "./stream-decoder.ts";

/** Reads a complete chat completion; null if it has no choices. */
export function decodeReply(body: JsonObject): Reply | null {
  if (!Array.isArray(body.choices)) return null;
  let made = 0;
  // Missing ids derive from the response's own, so that they differ between turns.
  const seed = String(body.id ?? body.created ?? "")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(-16);
  const decoder = new ChatStreamDecoder((prefix) => `${prefix}${seed}${made++}`);
  const collector = new ReplyCollector();
  // A complete response equals a stream of one chunk, except that its calls have no index.
  const choices = recordsOf(body.choices).map((choice) => {
    const message = recordOf(choice.message) ?? {};
    const calls = recordsOf(message.tool_calls).map((call, index) => ({ index, ...call }));
    return { ...choice, delta: { ...message, ...(calls.length > 0 && { tool_calls: calls }) } };
  });
  for (const step of decoder.push({ event: "", data: JSON.stringify({ ...body, choices }) })) collector.push(step);
  decoder.ended = true;
  for (const step of decoder.end()) collector.push(step);
  return collector.error ? null : collector.reply;
}
