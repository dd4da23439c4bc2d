import type { ReportedUsage } from "../../../formats/conversation/usage.ts";
import { countOf, recordOf } from "../../../formats/json.ts";
import { imageTokens } from "../../../formats/openai-chat/response/usage.ts";

/**
 * The usage that a `response.done` (or a completed transcription) reports; null if none. Cached audio and images count
 * only as cached tokens, because they have the price of cached input.
 */
export function readRealtimeUsage(value: unknown): ReportedUsage | null {
  const usage = recordOf(value);
  const promptTokens = countOf(usage?.input_tokens);
  if (!usage || promptTokens === null) return null;
  const input = recordOf(usage.input_token_details);
  const output = recordOf(usage.output_token_details);
  const cachedAudio = countOf(recordOf(input?.cached_tokens_details)?.audio_tokens) ?? 0;
  return {
    promptTokens,
    completionTokens: countOf(usage.output_tokens) ?? 0,
    cachedTokens: countOf(input?.cached_tokens) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: Math.max(0, (countOf(input?.audio_tokens) ?? 0) - cachedAudio),
    audioOutputTokens: countOf(output?.audio_tokens) ?? 0,
    ...imageTokens(input, output),
  };
}
