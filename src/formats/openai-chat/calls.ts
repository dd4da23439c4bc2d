import type { Signature, ToolCallPart } from "../conversation/conversation.ts";
import { carrySignature } from "../conversation/signature.ts";
import type { JsonObject } from "../json.ts";

/** Writes a tool call of an assistant message. `extra` holds its signature. */
export function callOf({ id, name, input, kind }: ToolCallPart, extra: JsonObject): JsonObject {
  if (kind === "custom") return { id, type: "custom", custom: { name, input }, ...extra };
  return { id, type: "function", function: { name, arguments: input.trim() === "" ? "{}" : input }, ...extra };
}

/**
 * Where clients receive and return a call's signature; Gemini's is in the member that Google's OpenAI-compatible
 * endpoint uses.
 */
export function callExtra(signature: Signature | undefined): JsonObject {
  if (!signature) return {};
  const value = signature.dialect === "gemini" ? signature.value : carrySignature(signature, "openai-chat");
  return { extra_content: { google: { thought_signature: value } } };
}
