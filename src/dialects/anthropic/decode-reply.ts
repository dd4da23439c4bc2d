import type { Reply } from "../collect-reply.ts";
import type { Citation, Part } from "../conversation.ts";
import { type JsonObject, textOf } from "../json.ts";
import { partsOf } from "./blocks.ts";
import { finishOf } from "./stream-decoder.ts";
import { readTier, readUsage } from "./usage.ts";

/** Reads a complete message (providers.md 2.3.2); null when it has no content. */
export function decodeReply(body: JsonObject): Reply | null {
  if (!Array.isArray(body.content)) return null;
  const parts = partsOf(body.content);
  const native = textOf(body.stop_reason);
  const called = parts.some(({ type }) => type === "tool-call");
  return {
    id: textOf(body.id) ?? "",
    model: textOf(body.model) ?? "",
    createdAt: null,
    choices: [
      {
        index: 0,
        parts,
        citations: parts.flatMap(citationsOf),
        logprobs: null,
        finish: {
          reason: called ? "tool_calls" : finishOf(native ?? "end_turn"),
          native,
          stopSequence: textOf(body.stop_sequence),
        },
      },
    ],
    usage: readUsage(body.usage),
    serviceTier: readTier(body.usage).serviceTier ?? null,
  };
}

const citationsOf = (part: Part): Citation[] => (part.type === "text" ? (part.citations ?? []) : []);
