import { countOf, type JsonObject, recordOf, recordsOf } from "../json.ts";
import type { ReportedUsage } from "../usage.ts";

/** Gemini's usage: thoughts stand beside the candidates' tokens, tools' prompts beside the prompt (providers.md 4.2). */
export function readUsage(value: unknown): ReportedUsage | null {
  const usage = recordOf(value);
  if (!usage) return null;
  const prompt = countOf(usage.promptTokenCount) ?? 0;
  const thoughts = countOf(usage.thoughtsTokenCount) ?? 0;
  const total = countOf(usage.totalTokenCount);
  const tools = countOf(usage.toolUsePromptTokenCount) ?? 0;
  const written =
    countOf(usage.candidatesTokenCount) ?? (total === null ? 0 : Math.max(0, total - prompt - tools - thoughts));
  return {
    promptTokens: prompt + tools,
    completionTokens: written + thoughts,
    cachedTokens: countOf(usage.cachedContentTokenCount) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: thoughts,
    audioInputTokens: modality(usage.promptTokensDetails, "AUDIO"),
    audioOutputTokens: modality(usage.candidatesTokensDetails, "AUDIO"),
  };
}

function modality(details: unknown, name: string): number {
  let sum = 0;
  for (const entry of recordsOf(details)) if (entry.modality === name) sum += countOf(entry.tokenCount) ?? 0;
  return sum;
}

/** Usage in Gemini's words. */
export const usageObject = (usage: ReportedUsage): JsonObject => ({
  promptTokenCount: usage.promptTokens,
  candidatesTokenCount: Math.max(0, usage.completionTokens - usage.reasoningTokens),
  totalTokenCount: usage.promptTokens + usage.completionTokens,
  ...(usage.cachedTokens > 0 && { cachedContentTokenCount: usage.cachedTokens }),
  ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
});
