import type { Reply, ReplyChoice } from "../../conversation/collect-reply.ts";
import type { Citation, Part } from "../../conversation/conversation.ts";
import { finishAfter, NO_USAGE, type ReplyContext } from "../../conversation/reply.ts";
import { carryCallId, EMPTY_PROOF } from "../../conversation/signature.ts";
import { finishReasonOf, refusalOf } from "../../helpers/finish-reasons.ts";
import { mediaOf, mediaText } from "../../helpers/media-text.ts";
import { type JsonObject, textOf } from "../../json.ts";
import { searchedIn } from "../../tools/web-search.ts";
import { blockOf, partsOf, searchBlocks, thinkingBlock } from "../request/blocks.ts";
import { containerOf, explanationOf, partIdsOf } from "./stored-parts.ts";
import { readTier, readUsage, usageObject } from "./usage.ts";

/**
 * Reads a complete message; null when it has no content.
 * Source: https://docs.anthropic.com/en/api/messages
 */
export function decodeReply(body: JsonObject): Reply | null {
  if (!Array.isArray(body.content)) return null;
  const parts = partsOf(body.content).filter((part) => part.type !== "tool-call" || part.name !== "");
  const native = textOf(body.stop_reason);
  const calls = parts.filter(({ type }) => type === "tool-call").length;
  const { serviceTier = null, ...processing } = readTier(body.usage);
  return {
    id: textOf(body.id) ?? "",
    model: textOf(body.model) ?? "",
    createdAt: null,
    choices: [
      {
        index: 0,
        parts,
        citations: citationsIn(parts),
        logprobs: null,
        finish: {
          reason: finishAfter(finishReasonOf("anthropic", native ?? "end_turn"), calls),
          native,
          stopSequence: textOf(body.stop_sequence),
          ...partIdsOf(containerOf(body)),
          ...explanationOf(body),
        },
      },
    ],
    usage: readUsage(body.usage),
    serviceTier,
    ...(Object.keys(processing).length > 0 && { processing }),
  };
}

/** Collects the citations of text blocks; each covers the whole block that cites it. */
function citationsIn(parts: readonly Part[]): Citation[] {
  let textLength = 0;
  return parts.flatMap((part) => {
    if (part.type !== "text") return [];
    const start = textLength;
    textLength += part.text.length;
    return (part.citations ?? []).map((citation) => ({ ...citation, start, end: textLength }));
  });
}

/**
 * Writes a complete message.
 * Source: https://docs.anthropic.com/en/api/messages
 */
export function encodeReply(reply: Reply, context: ReplyContext): JsonObject {
  const choice = reply.choices[0];
  return {
    id: messageId(reply.id, context),
    type: "message",
    role: "assistant",
    model: context.model,
    content: choice ? contentOf(choice, context) : [],
    stop_reason: stopReason(choice?.finish ?? { reason: "stop", native: null, stopSequence: null }),
    stop_sequence: choice?.finish.stopSequence ?? null,
    ...detailsMember(choice?.finish),
    usage: usageObject(
      reply.usage ?? NO_USAGE,
      reply.serviceTier,
      choice?.parts.reduce(countSearches, 0),
      reply.processing,
    ),
  };
}

/** The upstream's id if it is a message id, else one made from the request id. */
export const messageId = (id: string, { requestId }: ReplyContext): string =>
  id.startsWith("msg_") ? id : `msg_${requestId.replace(/[^A-Za-z0-9]/g, "")}`;

/** The provider's words about its refusal, as clients of Messages read them; null: none. */
export function stopDetails(finish: Pick<ReplyChoice["finish"], "reason" | "message">): JsonObject | null {
  const explanation = refusalOf(finish);
  return explanation === null ? null : { type: "refusal", category: null, explanation };
}

/** Stop reasons that only Anthropic has: the client must send the turn back to continue it, or the context is full. */
const OWN_REASONS: ReadonlySet<string> = new Set(["pause_turn", "model_context_window_exceeded"]);

/** A finish reason in Anthropic's words. */
export function stopReason({ reason, native, stopSequence }: ReplyChoice["finish"]): string {
  if (native !== null && OWN_REASONS.has(native)) return native;
  if (stopSequence !== null && reason !== "content_filter") return "stop_sequence";
  switch (reason) {
    case "length":
      return "max_tokens";
    case "tool_calls":
      return "tool_use";
    case "content_filter":
      return "refusal";
    case "unknown":
      return native ?? "end_turn";
    default:
      return "end_turn";
  }
}

const detailsMember = (finish: ReplyChoice["finish"] | undefined): JsonObject => {
  const details = finish && stopDetails(finish);
  return details ? { stop_details: details } : {};
};

/** Counts the queries of other providers' web searches, which their usage does not report. */
const countSearches = (sum: number, part: Part): number =>
  part.type === "native" && part.dialect !== "anthropic" ? sum + (searchedIn(part)?.queries.length ?? 0) : sum;

/** Content blocks of a choice. Citations that the upstream sent apart from the text are attached to its last block. */
function contentOf({ parts, citations }: ReplyChoice, { newId }: ReplyContext): JsonObject[] {
  const last = parts.findLast(({ type }) => type === "text");
  const placed = parts.some((part) => part.type === "text" && part.citations);
  return parts.flatMap((part) => {
    if (part.type !== "text") return answerBlocks(part, newId);
    const own = part.citations ?? (part === last && !placed ? citations : []);
    const block = blockOf(part);
    return block ? [own.length > 0 ? { ...block, citations: own.map(citationBlock) } : block] : [];
  });
}

/** A citation as Anthropic's text blocks have it. */
export const citationBlock = ({ native, url, title, citedText }: Citation): JsonObject =>
  native?.dialect === "anthropic"
    ? native.value
    : { type: "web_search_result_location", url, title, cited_text: citedText ?? "", encrypted_index: EMPTY_PROOF };

/**
 * Blocks of one part. The signature of a Gemini call travels in a thinking block before it, which clients send back.
 */
function answerBlocks(part: Part, newId: ReplyContext["newId"]): JsonObject[] {
  const searched = part.type === "native" && part.dialect !== "anthropic" ? searchedIn(part) : null;
  if (searched) return searchBlocks(searched, newId);
  if (part.type === "reasoning") return [thinkingBlock(part.text, part.signature, part.encrypted)];
  // A Messages response cannot hold media; clients that render Markdown show it.
  const media = mediaOf(part);
  const shown = media && mediaText(media);
  if (media) return shown ? [{ type: "text", text: shown }] : [];
  if (part.type === "tool-call") {
    const call = { ...blockOf(part), id: carryCallId(part.id) };
    return part.signature ? [thinkingBlock("", part.signature), call] : [call];
  }
  const block = blockOf(part);
  return block ? [block] : [];
}
