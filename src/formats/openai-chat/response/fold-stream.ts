import { splitEvents } from "../../../lib/http/sse.ts";
import { isBlank, textOfBytes } from "../../../lib/values/bytes.ts";
import { replyOf } from "../../conversation/collect-reply.ts";
import type { ReplyContext } from "../../conversation/reply.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../json.ts";
import { openaiChatCodec } from "../index.ts";
import { encodeReply } from "./reply.ts";
import { chunkOf } from "./stream.ts";

const FIELDS = /^(?:data|event|id|retry)?:/;
const PROBE_BYTES = 16;

/** Whether a body is a stream of events, whatever its media type says. */
export function isEventStream(body: Uint8Array): boolean {
  let start = 0;
  while (start < body.length && isBlank(body[start])) start += 1;
  return FIELDS.test(textOfBytes(body, start, start + PROBE_BYTES));
}

/** The complete chat that the events of a stream make; null if they make none, or it is broken off. */
export function foldChat(body: Uint8Array, context: ReplyContext): JsonObject | null {
  const reply = replyOf(openaiChatCodec, textOfBytes(body), context.newId);
  return reply && encodeReply(reply, context);
}

/** The complete text completion that the events of a stream make; null if they make none, or it is broken off. */
export function foldCompletion(body: Uint8Array): JsonObject | null {
  const chunks = splitEvents(textOfBytes(body))
    .map(chunkOf)
    .filter((chunk) => chunk !== null);
  const choices = new Map<number, JsonObject>();
  for (const choice of chunks.flatMap((chunk) => recordsOf(chunk.choices))) {
    const index = numberOf(choice.index) ?? 0;
    const known = choices.get(index);
    const text = (textOf(known?.text) ?? "") + (textOf(choice.text) ?? "");
    choices.set(index, {
      ...known,
      ...choice,
      text,
      finish_reason: choice.finish_reason ?? known?.finish_reason ?? null,
    });
  }
  const all = [...choices.values()];
  if (all.length === 0 || all.some(({ finish_reason: reason }) => reason === null)) return null;
  const usage = chunks.findLast((chunk) => recordOf(chunk.usage))?.usage;
  return { ...chunks[0], choices: all, ...(usage !== undefined && { usage }) };
}
