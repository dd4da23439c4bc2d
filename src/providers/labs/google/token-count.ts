import { countOf, type JsonObject } from "../../../formats/json.ts";
import type { CallParams } from "../../contract/provider.ts";

/** The body of Gemini's countTokens, which wraps the complete request: https://ai.google.dev/api/tokens */
export const encodeGeminiCount = (chat: JsonObject, { model }: CallParams): JsonObject => ({
  generateContentRequest: { ...chat, model: `models/${model}` },
});

const VERTEX_MEMBERS: ReadonlySet<string> = new Set([
  "contents",
  "systemInstruction",
  "system_instruction",
  "tools",
  "generationConfig",
  "generation_config",
]);

/** The body of Vertex AI's countTokens, which takes only these members of a request, unwrapped. */
export const encodeVertexCount = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([name]) => VERTEX_MEMBERS.has(name)));

/** Tokens of the prompt in a response of countTokens; null: it is invalid. */
export const decodeGeminiCount = ({ totalTokens }: JsonObject): number | null => countOf(totalTokens);
