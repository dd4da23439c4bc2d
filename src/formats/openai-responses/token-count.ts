import { countOf, type JsonObject } from "../json.ts";

/** Members that OpenAI's input_tokens has in common with a request; it rejects those that affect generation. */
const COUNTED_MEMBERS = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "truncation",
  "previous_response_id",
  "conversation",
];

/** The body of OpenAI's input_tokens for a request: https://platform.openai.com/docs/api-reference/responses/input-tokens */
export const encodeResponsesCount = (request: JsonObject): JsonObject =>
  Object.fromEntries(COUNTED_MEMBERS.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])));

/** Prompt tokens in an input_tokens response; null if it is invalid. */
export const decodeResponsesCount = ({ input_tokens }: JsonObject): number | null => countOf(input_tokens);
