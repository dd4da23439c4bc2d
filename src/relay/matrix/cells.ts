/** The columns of the matrix: provider dialects by the channel that speaks them. */
export const PROVIDERS = {
  "openai-chat": "OpenAI-compatible (Chat)",
  "openai-responses": "OpenAI (Responses)",
  anthropic: "Anthropic",
  gemini: "Gemini",
  bedrock: "Bedrock Claude",
  ollama: "Ollama",
  cohere: "Cohere",
  dashscope: "DashScope",
  mistral: "Mistral",
} as const;
export type ProviderName = keyof typeof PROVIDERS;

/** The rows of the matrix. */
export const FEATURES = {
  text: "Text, system prompt",
  "image-data": "Image inside the request",
  "image-url": "Image by address",
  tools: "Tool call, streamed",
  "tool-results": "Tool result",
  parallel: "Parallel tool calls",
  "must-call": "A tool must be called",
  reasoning: "Reasoning",
  schema: "JSON schema",
  stop: "Stop sequences",
  limit: "Limit of the answer",
  error: "Errors, also within a stream",
  usage: "Token usage",
  cached: "Cached tokens in usage",
} as const;
export type FeatureName = keyof typeof FEATURES;

/** Why a provider cannot do it; whoever asks all the same reads of it in `X-Sluice-Dropped` where something was left out. */
export const CANNOT: Readonly<Partial<Record<ProviderName, Readonly<Partial<Record<FeatureName, string>>>>>> = {
  "openai-responses": { stop: "OpenAI's Responses has no stop sequences" },
  ollama: {
    cached: "Ollama does not tell cached tokens",
    "must-call": "Ollama has no choice of tools",
  },
  dashscope: { "must-call": "DashScope's own API has no way to demand a call" },
};

/** What a client format has no words for, whatever the provider. */
export const UNSAID: Readonly<Partial<Record<"chat" | "responses" | "messages" | "gemini", readonly FeatureName[]>>> = {
  responses: ["stop"],
};
