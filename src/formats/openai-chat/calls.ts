import type { Signature, ToolCallPart } from "../conversation/conversation.ts";
import { carrySignature } from "../conversation/signature.ts";
import type { JsonObject } from "../json.ts";

/** A tool call of an assistant message. `extra`: where its signature goes. */
export function callOf({ id, name, input, kind }: ToolCallPart, extra: JsonObject): JsonObject {
  if (kind === "custom") return { id, type: "custom", custom: { name, input }, ...extra };
  return { id, type: "function", function: { name, arguments: input.trim() === "" ? "{}" : input }, ...extra };
}

/** A call's signature as clients get it and send it back; Gemini's stands there as Google's own chat address writes it. */
export function callExtra(signature: Signature | undefined): JsonObject {
  if (!signature) return {};
  const value = signature.dialect === "gemini" ? signature.value : carrySignature(signature, "openai-chat");
  return { extra_content: { google: { thought_signature: value } } };
}
