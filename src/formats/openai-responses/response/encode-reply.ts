import { type Reply, stepsOf } from "../../conversation/collect-reply.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import type { ReplyContext } from "../../conversation/reply.ts";
import type { JsonObject } from "../../json.ts";
import { ResponsesStreamEncoder } from "./stream-encoder.ts";

/**
 * Writes a complete response, as it would end a stream. Source:
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export function encodeReply(reply: Reply, context: ReplyContext, request: Conversation): JsonObject {
  const encoder = new ResponsesStreamEncoder(context, request);
  for (const step of stepsOf(reply)) encoder.push(step);
  return encoder.finish(reply.usage);
}
