import { type Reply, stepsOf } from "../../conversation/collect-reply.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { NO_USAGE, type ReplyContext } from "../../conversation/reply.ts";
import type { JsonObject } from "../../json.ts";
import { InteractionsStreamEncoder } from "./stream-encoder.ts";

/** Writes a complete interaction. */
export function encodeReply(reply: Reply, context: ReplyContext, request: Conversation): JsonObject {
  const encoder = new InteractionsStreamEncoder(context, request);
  for (const step of stepsOf(reply)) encoder.push(step);
  return encoder.finish(reply.usage ?? NO_USAGE);
}
