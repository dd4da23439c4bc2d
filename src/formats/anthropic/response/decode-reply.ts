import type { Reply } from "../../conversation/collect-reply.ts";
import type { Citation, Part } from "../../conversation/conversation.ts";
import { finishAfter } from "../../conversation/reply.ts";
import { type JsonObject, textOf } from "../../json.ts";
import { partsOf } from "../request/blocks.ts";
import { finishOf } from "./stream-decoder.ts";
import { readTier, readUsage } from "./usage.ts";

/**
 * Reads a complete message; null when it has no content.
 * Source: https://docs.anthropic.com/en/api/messages
 */
export function decodeReply(body: JsonObject): Reply | null {
  if (!Array.isArray(body.content)) return null;
  const parts = partsOf(body.content).filter((part) => part.type !== "tool-call" || part.name !== "");
  const native = textOf(body.stop_reason);
  const calls = parts.filter(({ type }) => type === "tool-call").length;
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
          reason: finishAfter(finishOf(native ?? "end_turn"), calls),
          native,
          stopSequence: textOf(body.stop_sequence),
        },
      },
    ],
    usage: readUsage(body.usage),
    serviceTier: readTier(body.usage).serviceTier ?? null,
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
