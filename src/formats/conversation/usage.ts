/**
 * Tokens as an upstream reported them, in one shape for every dialect: prompt includes cached, cache-written and audio
 * input; completion includes reasoning and audio output.
 */
export type ReportedUsage = {
  /** Uses of tools that the provider runs itself and charges beside the tokens. */
  toolCalls?: ToolCalls;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheCreationTokens: number;
  /** Part of `cacheCreationTokens` that was written for an hour. */
  longCacheCreationTokens?: number;
  reasoningTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
  /** Where it tells pictures apart; parts of prompt and completion. */
  imageInputTokens?: number;
  imageOutputTokens?: number;
};

/** Tool, as price lists name it (web_search, google_search, file_search, code_interpreter) → number of uses. */
export type ToolCalls = Readonly<Record<string, number>>;
