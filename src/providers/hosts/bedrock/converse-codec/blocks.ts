import type { Dropped } from "../../../../formats/conversation/codec.ts";
import type { MediaPart, Part, ReasoningPart, ToolResultPart } from "../../../../formats/conversation/conversation.ts";
import { recordDroppedNative } from "../../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../../formats/helpers/compact.ts";
import { type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import { callIdFor } from "../../../../formats/tools/short-name.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";

/** Writes a part as Converse content blocks; a part that Converse cannot hold is dropped and recorded. */
export function blocksOf(part: Part, dropped: Dropped): JsonObject[] {
  switch (part.type) {
    case "text":
      // Blank texts are rejected.
      return part.text.trim() === "" ? [] : [{ text: part.text }];
    case "refusal":
      return [{ text: part.text }];
    case "reasoning":
      return reasoningOf(part);
    case "tool-call": {
      const input = recordOf(parseJson(part.input || "{}")) ?? { input: part.input };
      return [{ toolUse: { toolUseId: callIdFor("converse", part.id), name: part.name, input } }];
    }
    case "tool-result":
      return [{ toolResult: resultOf(part, dropped) }];
    case "native":
      recordDroppedNative(part, dropped);
      return [];
    default: {
      const media = mediaOf(part);
      if (!media) dropped.add(part.type === "image" ? "image_url" : part.type);
      return media ? [media] : [];
    }
  }
}

/** Reasoning returns only with a signature by Bedrock. */
function reasoningOf({ text, signature, encrypted }: ReasoningPart): JsonObject[] {
  if (signature?.dialect !== "converse") return [];
  if (encrypted) return [{ reasoningContent: { redactedContent: signature.value } }];
  return [{ reasoningContent: { reasoningText: { text, signature: signature.value } } }];
}

function resultOf({ callId, parts, isError }: ToolResultPart, dropped: Dropped): JsonObject {
  const content = parts.flatMap((part) => blocksOf(part, dropped));
  return compact({
    toolUseId: callIdFor("converse", callId),
    content: content.length > 0 ? content : [{ text: "(empty)" }],
    status: isError ? "error" : null,
  });
}

const DOCUMENTS = lookupTable<string>({
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
});

/** Media must be inside the request: the gateway fetches URLs first. */
function mediaOf({ type, source, name }: MediaPart): JsonObject | null {
  if (source.kind === "text") return { text: source.text };
  if (source.kind !== "base64") return null;
  const { mediaType, data } = source;
  const bytes = { bytes: data };
  if (type === "document") {
    const format = DOCUMENTS[mediaType.split(";")[0] ?? ""];
    return format ? { document: { format, name: documentName(name), source: bytes } } : null;
  }
  const format = mediaType.split("/")[1]?.replace("jpg", "jpeg") ?? "";
  if (type === "image") return { image: { format, source: bytes } };
  return type === "video" ? { video: { format: format === "quicktime" ? "mov" : format, source: bytes } } : null;
}

/** A document name with the allowed characters: letters, digits, single spaces, hyphens and brackets. */
const documentName = (name = "document"): string =>
  name
    .replace(/\.[A-Za-z0-9]+$/, "")
    .replace(/[^A-Za-z0-9 ()[\]-]/g, " ")
    .replace(/\s+/g, " ")
    .trim() || "document";
