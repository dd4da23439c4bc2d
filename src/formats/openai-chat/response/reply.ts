import { type Reply, type ReplyChoice, ReplyCollector } from "../../conversation/collect-reply.ts";
import type { Citation, MediaPart, Part, ReasoningPart, ToolCallPart } from "../../conversation/conversation.ts";
import type { FinishReason, ReplyContext, Usage } from "../../conversation/reply.ts";
import { refusalOf } from "../../helpers/finish-reasons.ts";
import { mediaOf, mediaText } from "../../helpers/media-text.ts";
import { compact, type JsonObject, recordOf, recordsOf } from "../../json.ts";
import { callExtra, callOf } from "../calls.ts";
import { reasoningDetail } from "../request/reasoning.ts";
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

/** Writes a complete chat completion. Source: https://platform.openai.com/docs/api-reference/chat/object */
export function encodeReply(reply: Reply, context: ReplyContext): JsonObject {
  const choices = reply.choices.length > 0 ? reply.choices : [EMPTY_CHOICE];
  return {
    id: chatId(reply.id, context),
    object: "chat.completion",
    created: reply.createdAt ?? context.createdAt,
    model: context.model,
    choices: choices.map(choiceOf),
    ...(reply.usage && { usage: usageObject(reply.usage) }),
    ...(reply.serviceTier !== null && { service_tier: reply.serviceTier }),
  };
}

const EMPTY_CHOICE: ReplyChoice = {
  index: 0,
  parts: [],
  citations: [],
  logprobs: null,
  finish: { reason: "stop", native: null, stopSequence: null },
};

/** The upstream's id if it is a chat completion's, else one made from the request id. */
export const chatId = (id: string, { requestId }: ReplyContext): string =>
  id.startsWith("chatcmpl") ? id : `chatcmpl-${requestId}`;

function choiceOf({ index, parts, citations, logprobs, finish }: ReplyChoice): JsonObject {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : partText(part))).join("");
  const refused = parts.flatMap((part) => (part.type === "refusal" ? [part.text] : [])).join("");
  const refusal = refused || (refusalOf(finish) ?? "");
  const reasoningParts = parts.filter((part): part is ReasoningPart => part.type === "reasoning");
  const thought = reasoningParts.map((part) => part.text).join("");
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const audio = parts.find((part): part is MediaPart => part.type === "audio" && part.source.kind === "base64");
  return {
    index,
    message: {
      role: "assistant",
      content: text === "" && (calls.length > 0 || refusal !== "") ? null : text,
      refusal: refusal === "" ? null : refusal,
      ...compact({
        reasoning_content: thought || null,
        reasoning_details: reasoningParts.length > 0 ? reasoningParts.map(reasoningDetail) : null,
        tool_calls: calls.length > 0 ? calls.map((call) => callOf(call, callExtra(call.signature))) : null,
        audio:
          audio?.source.kind === "base64"
            ? { id: `audio_${index}`, data: audio.source.data, expires_at: 0, transcript: text }
            : null,
      }),
      annotations: citations.flatMap((citation) => annotationOf(citation) ?? []),
    },
    logprobs: logprobs ? { content: logprobs, refusal: null } : null,
    finish_reason: chatFinish(finish),
  };
}

/** A part with media as text; none for audio, which messages can hold. */
const partText = (part: Part): string[] => {
  const media = mediaOf(part);
  return media ? [mediaText(media)] : [];
};

/** A citation as chat's annotations have it; null: it has no address. */
export const annotationOf = ({ url, title, start, end }: Citation): JsonObject | null =>
  url === null
    ? null
    : {
        type: "url_citation",
        url_citation: { url, title: title ?? url, start_index: start ?? 0, end_index: end ?? 0 },
      };

/** A finish reason in chat's words; one that has no meaning there in the provider's. */
export const chatFinish = ({ reason, native }: Readonly<{ reason: FinishReason; native: string | null }>): string =>
  reason === "error" || reason === "unknown" ? (native ?? "stop") : reason;

/** Usage in chat's shape: the prompt includes cached and cache-written tokens, the completion reasoning and audio. */
export function usageObject(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      audio_tokens: usage.audioInputTokens,
      ...(usage.cacheCreationTokens > 0 && { cache_write_tokens: usage.cacheCreationTokens }),
      ...(usage.imageInputTokens && { image_tokens: usage.imageInputTokens }),
      ...(usage.longCacheCreationTokens && {
        cache_creation_token_details: {
          ephemeral_5m_input_tokens: usage.cacheCreationTokens - usage.longCacheCreationTokens,
          ephemeral_1h_input_tokens: usage.longCacheCreationTokens,
        },
      }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioOutputTokens,
      ...(usage.imageOutputTokens && { image_tokens: usage.imageOutputTokens }),
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
