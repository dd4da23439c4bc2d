/**
 * Token usage as reported by an upstream, in one shape for every dialect: the prompt includes cached, cache-written and
 * audio input; the completion includes reasoning and audio output.
 */
export type ReportedUsage = {
  /** Calls of tools that the provider runs and charges in addition to tokens. */
  toolCalls?: ToolCalls;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheCreationTokens: number;
  /** The part of `cacheCreationTokens` that was written with a lifetime of one hour. */
  longCacheCreationTokens?: number;
  reasoningTokens: number;
  audioInputTokens: number;
  audioOutputTokens: number;
  /** Image tokens, where reported separately; parts of prompt and completion. */
  imageInputTokens?: number;
  imageOutputTokens?: number;
  /** How many images were drawn, where the model decides that. */
  images?: number;
};

/** Number of calls by tool, as price lists name it (web_search, google_search, file_search, code_interpreter). */
export type ToolCalls = Readonly<Record<string, number>>;
