import type { ReasoningPart, Signature } from "../../conversation/conversation.ts";
import { CLAUDE_DETAILS, carrySignature, readSignature } from "../../conversation/signature.ts";
import { type JsonObject, numberOf, recordsOf, textOf } from "../../json.ts";

/** The `format` of each signature's provider in `reasoning_details`. */
const FORMATS: Readonly<Record<string, string>> = {
  anthropic: CLAUDE_DETAILS,
  gemini: "google-gemini-v1",
  "openai-responses": "openai-responses-v1",
};

/**
 * The reasoning of an assistant message: `reasoning_details` or `thinking_blocks` (with signatures), else the plain
 * text.
 */
export function readReasoning(message: JsonObject): ReasoningPart[] {
  const signed = [
    ...mergeFragments(recordsOf(message.reasoning_details)).flatMap(detailOf),
    ...recordsOf(message.thinking_blocks).flatMap(blockOf),
  ];
  const text = textOf(message.reasoning_content) ?? textOf(message.reasoning);
  if (signed.length > 0) {
    // A client that retained only the signature has the text in the plain field.
    const bare = signed.find((part) => part.text === "" && !part.encrypted);
    if (bare && text && signed.every((part) => part.text === "")) bare.text = text;
    return signed;
  }
  // Some services require the field back even if it is empty, so an empty text counts.
  return text === null ? [] : [{ type: "reasoning", text }];
}

/** Clients may store the fragments of a stream unmerged: fragments with the same index belong together. */
function mergeFragments(details: readonly JsonObject[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const detail of details) {
    const last = merged.at(-1);
    const goesOn = last && numberOf(detail.index) !== null && detail.index === last.index;
    if (!goesOn || detail.type === "reasoning.encrypted" || last.type === "reasoning.encrypted")
      merged.push({ ...detail });
    else {
      const { text, summary, type: _, ...rest } = detail;
      const shown = last.type === "reasoning.summary" ? "summary" : "text";
      Object.assign(last, rest, { [shown]: (textOf(last[shown]) ?? "") + (textOf(text) ?? textOf(summary) ?? "") });
    }
  }
  return merged;
}

function detailOf(detail: JsonObject): ReasoningPart[] {
  const signature = signatureOf(detail, textOf(detail.signature) || textOf(detail.data));
  switch (detail.type) {
    case "reasoning.text":
      return [{ type: "reasoning", text: textOf(detail.text) ?? "", ...signature }];
    case "reasoning.summary":
      return [{ type: "reasoning", text: textOf(detail.summary) ?? "", summary: true, ...signature }];
    case "reasoning.encrypted":
      return [{ type: "reasoning", text: "", encrypted: true, ...signature }];
    default:
      return [];
  }
}

/** A chat service's own signature is useless without its format name and id: both become part of its id. */
function signatureOf(detail: JsonObject, value: string | null): { signature?: Signature } {
  if (!value) return {};
  const read = readSignature(value, "openai-chat");
  if (read.dialect !== "openai-chat") return { signature: read };
  return { signature: { ...read, id: `${textOf(detail.format) ?? ""}/${textOf(detail.id) ?? ""}` } };
}

/** Reads the `thinking_blocks` with which some gateways forward Anthropic's reasoning. */
function blockOf(block: JsonObject): ReasoningPart[] {
  if (block.type === "redacted_thinking") {
    const signature = readSignature(textOf(block.data) ?? "", "anthropic");
    return [{ type: "reasoning", text: "", encrypted: true, signature }];
  }
  const signature = textOf(block.signature);
  const text = textOf(block.thinking) ?? "";
  return [{ type: "reasoning", text, ...(signature && { signature: readSignature(signature, "anthropic") }) }];
}

/** Writes the entry of `reasoning_details` that returns a signature in the next turn. */
export function reasoningDetail(part: Omit<ReasoningPart, "type">, index: number): JsonObject {
  const { signature } = part;
  const value = signature && carrySignature(signature, "openai-chat");
  const common = { ...naming(signature), index };
  if (part.encrypted) return { type: "reasoning.encrypted", data: value ?? "", ...common };
  const signed = value !== undefined && { signature: value };
  if (part.summary) return { type: "reasoning.summary", summary: part.text, ...signed, ...common };
  return { type: "reasoning.text", text: part.text, ...signed, ...common };
}

function naming(signature: Signature | undefined): JsonObject {
  if (!signature) return {};
  if (signature.dialect !== "openai-chat") return { format: FORMATS[signature.dialect] };
  const [, format, id] = /^([^/]*)\/(.*)$/s.exec(signature.id ?? "") ?? [];
  return { ...(format && { format }), ...(id && { id }) };
}
