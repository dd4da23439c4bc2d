import { readEvents } from "../../lib/http/sse.ts";
import { parseJson, recordOf } from "../json.ts";
import type { ProviderCodec } from "./codec.ts";
import { type Reply, ReplyCollector } from "./collect-reply.ts";

/**
 * Reads an upstream's complete body: JSON, or the text of all events for services that only stream. Null if it is
 * invalid or incomplete. `newId` makes ids for calls without one.
 */
export function replyOf(codec: ProviderCodec, text: string, newId: (prefix: string) => string): Reply | null {
  const parsed = parseJson(text);
  if (parsed !== undefined) {
    const answer = recordOf(parsed);
    return answer && codec.decodeReply(answer);
  }
  const decoder = codec.streamDecoder(newId);
  const collector = new ReplyCollector();
  let finished = false;
  const steps = readEvents(text).flatMap((event) => decoder.push(event));
  for (const step of [...steps, ...decoder.end()]) {
    collector.push(step);
    finished ||= step.type === "finish";
  }
  return collector.error || !finished ? null : collector.reply;
}
