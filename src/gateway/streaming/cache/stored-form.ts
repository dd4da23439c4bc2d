import { type Reply, replyOf, stepsOf } from "../../../formats/conversation/collect-reply.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";
import { randomId } from "../../../lib/http/request.ts";
import { codecOf } from "../../../providers/registry.ts";
import type { CacheRule } from "../../../settings/option/cache-rules.ts";
import type { Call } from "../../call/call.ts";
import type { CachedResponse } from "./cached-responses.ts";

/** A response as its client gets it; `reply`: decoded, where that was needed. */
export type ResponseInFormat = Readonly<{ text: string; contentType: string; reply: Reply | null }>;

/** Withheld by the provider's content filter or by a guardrail, in formats without a codec here. */
const FILTERED = /"finish_reason"\s*:\s*"content_filter"/;

/**
 * Whether a complete response may be given again: it can be read, nothing of it was withheld, and it calls no tools where the rule
 * has none.
 */
export function isWorthKeeping({ endpoint, summary }: Call, text: string, rule: Pick<CacheRule, "tools">): boolean {
  const { codec, capability } = endpoint;
  if (capability !== "chat") {
    const answer = recordOf(parseJson(text));
    return (summary.stream || (answer !== null && answer.error == null)) && !FILTERED.test(text);
  }
  const reply = replyOf(codecOf(codec.dialect), text, randomId);
  if (!reply || reply.choices.length === 0) return false;
  return reply.choices.every(
    ({ finish, parts }) =>
      (finish.reason === "stop" || finish.reason === "length" || (rule.tools && finish.reason === "tool_calls")) &&
      parts.length > 0 &&
      parts.every(({ type }) => type !== "refusal" && (rule.tools || type !== "tool-call")),
  );
}

/**
 * The response as the call wants it: as it was, or a stream from a complete one and the other way round; null: it cannot be read.
 * It is decoded only for that, or where `logsContent` its text is logged.
 */
export function inFormatOf(call: Call, found: CachedResponse, logsContent: boolean): ResponseInFormat | null {
  const { endpoint, summary, requestId, createdAt } = call;
  const { codec, capability } = endpoint;
  const { text, contentType, isStream, withUsage, usage } = found;
  const isAsStored = isStream === summary.stream && (!isStream || withUsage === summary.wantsUsage);
  if (capability !== "chat" || (isAsStored && !logsContent)) return { text, contentType, reply: null };
  const reply = replyOf(codecOf(codec.dialect), text, randomId);
  if (!reply) return null;
  if (isAsStored) return { text, contentType, reply };
  const request = call.conversation?.() ?? codec.decodeRequest(call.body.json);
  const about = { model: summary.model, requestId, createdAt, newId: randomId };
  const complete: Reply = { ...reply, usage: reply.usage ?? usage };
  if (!summary.stream) {
    return {
      text: JSON.stringify(codec.encodeReply(complete, about, request)),
      contentType: "application/json",
      reply,
    };
  }
  const encoder = codec.streamEncoder(about, request);
  const events =
    [...stepsOf(complete)].map((step) => encoder.push(step)).join("") + encoder.end(complete.usage ?? usage);
  return { text: events, contentType: codec.streamType, reply };
}
