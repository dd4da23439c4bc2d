import type { ReportedUsage } from "../../conversation/usage.ts";
import type { JsonObject } from "../../json.ts";

/** Usage in Responses' words. */
export const usageObject = (usage: ReportedUsage): JsonObject => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: {
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheCreationTokens,
  },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
});
