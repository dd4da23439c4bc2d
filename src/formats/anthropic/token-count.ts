import { countOf, type JsonObject } from "../json.ts";

/** Members that affect generation but not the length of the prompt: Anthropic's count_tokens rejects them. */
const GENERATION_MEMBERS: ReadonlySet<string> = new Set([
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
  "inference_geo",
]);

/** The body of Anthropic's count_tokens for a chat: https://docs.claude.com/en/api/messages-count-tokens */
export const encodeAnthropicCount = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([name]) => !GENERATION_MEMBERS.has(name)));

/** Prompt tokens in a count_tokens response; null if it is invalid. */
export const decodeAnthropicCount = ({ input_tokens }: JsonObject): number | null => countOf(input_tokens);
