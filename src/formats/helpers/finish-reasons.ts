import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { FinishReason, ReplyError } from "../conversation/reply.ts";
import { serviceError } from "../conversation/service-error.ts";

/** Why an answer is a failure, as an HTTP status: 400 if the request caused it, so that a retry fails again. */
type Failure = 400 | 502 | 503;

/** OpenAI's chats and what compatible services add: GLM, DeepSeek, OpenRouter, Mistral, Qwen, Hunyuan, Ollama, vLLM and others. */
const CHAT = lookupTable<FinishReason | Failure>({
  ...names("stop", "stop stop_sequence end_turn eos eos_token end complete completed normal finished done load null"),
  ...names("length", "length max_tokens max_length max_output_tokens model_length model_context_window_exceeded"),
  ...names("tool_calls", "tool_calls tool_call function_call tool_use"),
  ...names("content_filter", "content_filter content_filtered sensitive refusal safety blocked"),
  ...names(502, "error failed network_error"),
  // DeepSeek, vLLM
  ...names(503, "insufficient_system_resource abort"),
});

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const ANTHROPIC = lookupTable<FinishReason | Failure>({
  ...names("stop", "end_turn stop_sequence"),
  // Anthropic paused at a server tool and expects the turn back to continue it. Other formats have no such reason:
  // "stop" would mean that the answer is complete, so it becomes "length", which clients know how to continue.
  ...names("length", "max_tokens model_context_window_exceeded pause_turn compaction"),
  ...names("tool_calls", "tool_use"),
  ...names("content_filter", "refusal"),
});

/** https://ai.google.dev/api/generate-content#FinishReason */
const GEMINI = lookupTable<FinishReason | Failure>({
  ...names("stop", "STOP FINISH_REASON_UNSPECIFIED"),
  ...names("length", "MAX_TOKENS"),
  ...names("content_filter", "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR"),
  ...names("content_filter", "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION"),
  ...names(502, "OTHER MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE"),
  ...names(502, "NO_IMAGE IMAGE_OTHER"),
  ...names(400, "MISSING_THOUGHT_SIGNATURE"),
});

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
const CONVERSE = lookupTable<FinishReason | Failure>({
  ...names("stop", "end_turn stop_sequence"),
  ...names("length", "max_tokens model_context_window_exceeded"),
  ...names("tool_calls", "tool_use"),
  ...names("content_filter", "guardrail_intervened content_filtered refusal"),
  ...names(502, "malformed_model_output malformed_tool_use"),
});

/** https://docs.cohere.com/v2/reference/chat */
const COHERE = lookupTable<FinishReason | Failure>({
  ...names("stop", "COMPLETE STOP_SEQUENCE"),
  ...names("length", "MAX_TOKENS ERROR_LIMIT"),
  ...names("tool_calls", "TOOL_CALL"),
  ...names("content_filter", "ERROR_TOXIC"),
  ...names(502, "ERROR USER_CANCEL"),
  ...names(503, "TIMEOUT"),
});

/** By the format of the provider; every other one has the reasons of OpenAI's chats. */
const BY_FORMAT = lookupTable<typeof CHAT>({
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  converse: CONVERSE,
  cohere: COHERE,
});

function names<T extends FinishReason | Failure>(meaning: T, list: string): Record<string, T> {
  return Object.fromEntries(list.split(" ").map((name) => [name, meaning]));
}

const meaningOf = (format: string, native: string): FinishReason | Failure =>
  (BY_FORMAT[format] ?? CHAT)[native] ?? "unknown";

/** What a provider's finish reason means; "error" if the answer is a failure, "unknown" if no service documents it. */
export function finishReasonOf(format: string, native: string): FinishReason {
  const meaning = meaningOf(format, native);
  return typeof meaning === "number" ? "error" : meaning;
}

/** Why the provider refused, in its own words; null: it says nothing, or has not refused. */
export const refusalOf = ({ reason, message }: Readonly<{ reason: FinishReason; message?: string }>): string | null =>
  (reason === "content_filter" && message) || null;

/** The error that an answer is whose finish reason is a failure. `message`: the provider's explanation. */
export function finishError(format: string, native: string, message?: string): ReplyError {
  const meaning = meaningOf(format, native);
  const status = typeof meaning === "number" ? meaning : 502;
  return serviceError(status, native, message ?? `The provider ended the answer with ${native}.`);
}
