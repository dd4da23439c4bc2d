import type { Reply, ReplyChoice } from "../collect-reply.ts";
import type { Citation, Part } from "../conversation.ts";
import type { JsonObject } from "../json.ts";
import { imageText } from "../openai-chat/encode-reply.ts";
import type { FinishReason, ReplyContext } from "../reply.ts";
import type { ReportedUsage } from "../usage.ts";
import { blockOf, thinkingBlock } from "./blocks.ts";
import { usageObject } from "./usage.ts";

/** Writes a complete message (providers.md 2.3.2). */
export function encodeReply(reply: Reply, context: ReplyContext): JsonObject {
  const choice = reply.choices[0];
  return {
    id: messageId(reply.id, context),
    type: "message",
    role: "assistant",
    model: context.model,
    content: choice ? contentOf(choice) : [],
    stop_reason: stopReason(choice?.finish ?? { reason: "stop", stopSequence: null }),
    stop_sequence: choice?.finish.stopSequence ?? null,
    usage: usageObject(reply.usage ?? NO_USAGE, reply.serviceTier),
  };
}

const NO_USAGE: ReportedUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** The upstream's id when it is a message's, else the request's. */
export const messageId = (id: string, { requestId }: ReplyContext): string =>
  id.startsWith("msg_") ? id : `msg_${requestId.replace(/[^A-Za-z0-9]/g, "")}`;

export function stopReason({
  reason,
  stopSequence,
}: Pick<ReplyChoice["finish"], "stopSequence"> & { reason: FinishReason }): string {
  if (stopSequence !== null) return "stop_sequence";
  switch (reason) {
    case "length":
      return "max_tokens";
    case "tool_calls":
      return "tool_use";
    case "content_filter":
      return "refusal";
    default:
      return "end_turn";
  }
}

/** Sources that the upstream told beside the text belong to its last piece. */
function contentOf({ parts, citations }: ReplyChoice): JsonObject[] {
  const last = parts.findLast(({ type }) => type === "text");
  const placed = parts.some((part) => part.type === "text" && part.citations);
  return parts.flatMap((part) => {
    if (part.type !== "text") return answerBlocks(part);
    const own = part.citations ?? (part === last && !placed ? citations : []);
    const block = blockOf(part);
    return block ? [own.length > 0 ? { ...block, citations: own.map(citationBlock) } : block] : [];
  });
}

export const citationBlock = ({ native, url, title, citedText }: Citation): JsonObject =>
  native?.dialect === "anthropic"
    ? native.value
    : { type: "web_search_result_location", url, title, cited_text: citedText ?? "", encrypted_index: "" };

/** A signed call of Gemini's carries its signature in a thought before it, which clients send back. */
function answerBlocks(part: Part): JsonObject[] {
  if (part.type === "reasoning") return [thinkingBlock(part.text, part.signature, part.encrypted)];
  // An answer holds no images: clients that read Markdown see them.
  if (part.type === "image") return [{ type: "text", text: imageText(part) }];
  const block = blockOf(part);
  if (!block) return [];
  return part.type === "tool-call" && part.signature ? [thinkingBlock("", part.signature), block] : [block];
}
