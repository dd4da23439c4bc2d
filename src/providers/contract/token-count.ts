import { countOf, type JsonObject, recordOf } from "../../formats/json.ts";
import type { Ask, ProviderChannel } from "./provider.ts";

/** Counts the tokens of a chat without running it, free of charge. */
export type TokenCount = Readonly<{
  url(channel: ProviderChannel, ask: Ask): string;
  /** The body of the count for the body of the chat. */
  encode(chat: JsonObject, ask: Ask): JsonObject;
  /** Tokens of the prompt; null: the answer makes no sense. */
  decode(answer: JsonObject): number | null;
}>;

/** What decides how an answer is made, not how long the prompt is: Anthropic's count refuses it. */
const SAMPLING: readonly string[] = [
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
  "inference_geo",
];

/** Anthropic's count_tokens: https://docs.claude.com/en/api/messages-count-tokens */
export const encodeAnthropicCount = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([name]) => !SAMPLING.includes(name)));

export const decodeAnthropicCount = ({ input_tokens }: JsonObject): number | null => countOf(input_tokens);

/** Gemini's countTokens, whole requests wrapped: https://ai.google.dev/api/tokens */
export const encodeGeminiCount = (chat: JsonObject, { model }: Ask): JsonObject => ({
  generateContentRequest: { ...chat, model: `models/${model}` },
});

const VERTEX_MEMBERS: readonly string[] = [
  "contents",
  "systemInstruction",
  "system_instruction",
  "tools",
  "generationConfig",
  "generation_config",
];

/** Vertex AI's countTokens takes the members of a request themselves, and only these. */
export const encodeVertexCount = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([name]) => VERTEX_MEMBERS.includes(name)));

export const decodeGeminiCount = ({ totalTokens }: JsonObject): number | null => countOf(totalTokens);

/**
 * Bedrock's CountTokens with the body of InvokeModel:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 */
export const encodeBedrockCount = (chat: JsonObject): JsonObject => ({
  input: { invokeModel: { body: Buffer.from(JSON.stringify({ max_tokens: 1, ...chat })).toString("base64") } },
});

export const decodeBedrockCount = (answer: JsonObject): number | null => countOf(recordOf(answer)?.inputTokens);
