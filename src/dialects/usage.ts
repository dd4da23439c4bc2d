/**
 * Tokens as an upstream reported them, in one shape for every dialect: prompt includes cached, cache-written and audio
 * input; completion includes reasoning and audio output.
 */
export type ReportedUsage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheCreationTokens: number;
  reasoningTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
};
