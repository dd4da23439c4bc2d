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
  converse: "Bedrock Converse",
  hunyuan: "Hunyuan",
  qianfan: "Qianfan v1",
  spark: "Spark",
  chatglm: "ChatGLM v3",
  dify: "Dify",
  palm: "PaLM 2",
  "ai-proxy": "AI Proxy",
} as const;
export type ProviderName = keyof typeof PROVIDERS;

/** Rows that concern one field of a request or response. */
export const FURTHER = {
  "result-image": "Image in a tool result",
  "result-error": "Failed tool call",
  strict: "Strict tool schema",
  custom: "Free-text (custom) tool",
  search: "Web search by the provider",
  document: "Document (PDF) inside the request",
  "audio-input": "Audio inside the request",
  citations: "Citations",
  several: "Several choices (n)",
  logprobs: "Log probabilities",
  blocked: "Blocked answers marked as blocked",
  user: "End-user id",
  tier: "Service tier",
  metadata: "Metadata",
} as const;
export type FurtherName = keyof typeof FURTHER;

/** The rows of the matrix. */
export const FEATURES = {
  text: "Text, system prompt",
  "image-data": "Image inside the request",
  "image-url": "Image by URL",
  tools: "Tool call, streamed",
  "tool-results": "Tool result",
  parallel: "Parallel tool calls",
  "must-call": "Required tool call",
  reasoning: "Reasoning",
  schema: "JSON schema",
  stop: "Stop sequences",
  limit: "Output limit",
  error: "Errors, also in streams",
  usage: "Token usage",
  cached: "Cached tokens in usage",
  ...FURTHER,
} as const;
export type FeatureName = keyof typeof FEATURES;

const CLAUDE = {
  "audio-input": "No audio input",
  several: "One choice per request",
  logprobs: "No log probabilities",
  metadata: "No metadata but the end-user id",
} as const;

/** What text-only services lack. */
const LACKS = {
  "image-data": "No image input",
  "image-url": "No image input",
  tools: "No tools",
  "tool-results": "No tool results: they are sent as text",
  parallel: "At most one tool call per response",
  "must-call": "A tool call cannot be required",
  reasoning: "No reasoning control",
  schema: "No response schema",
  stop: "No stop sequences",
  limit: "No output limit",
  usage: "Reports no usage: tokens are counted locally",
  cached: "Does not report cached tokens",
  "result-image": "No image input",
  "result-error": "No tool results: they are sent as text",
  strict: "No tools",
  custom: "No tools",
  search: "No web search",
  document: "No document input",
  "audio-input": "No audio input",
  citations: "No citations with URLs",
  several: "One choice per request",
  logprobs: "No log probabilities",
  blocked: "Does not mark blocked answers",
  user: "No end-user id",
  tier: "No service tiers",
  metadata: "No metadata field",
} as const satisfies Partial<Record<FeatureName, string>>;

type Reasons = Readonly<Partial<Record<FeatureName, string>>>;

/** All that such services lack, but for what this one has; and why, where that needs other words. */
const plain = (has: readonly FeatureName[], otherwise: Reasons = {}): Reasons =>
  Object.fromEntries(
    Object.entries({ ...LACKS, ...otherwise }).filter(([feature]) => !has.includes(feature as FeatureName)),
  );

/** Why a provider cannot do it; whoever asks all the same reads of it in `X-Sluice-Dropped` where something was left out. */
export const CANNOT: Readonly<Partial<Record<ProviderName, Reasons>>> = {
  "openai-chat": { search: "Only special models search, such as OpenAI's `-search-preview`" },
  "openai-responses": {
    logprobs: "Models that OpenAI serves only here always reason and return no log probabilities",
    stop: "No stop sequences",
    "audio-input": "No audio input",
    several: "One choice per request",
  },
  anthropic: CLAUDE,
  bedrock: {
    ...CLAUDE,
    tier: "No service tiers",
    search: "Bedrock does not run Anthropic's own tools",
  },
  gemini: {
    user: "No end-user id",
    metadata: "No metadata field",
  },
  ollama: {
    cached: "Does not report cached tokens",
    search: "No web search",
    strict: "Tool schemas are not enforced",
    "must-call": "A tool call cannot be required",
    document: "No document input",
    "audio-input": "No audio input",
    citations: "No citations with URLs",
    several: "One choice per request",
    blocked: "Never blocks an answer",
    user: "No end-user id",
    tier: "No service tiers",
    metadata: "No metadata field",
  },
  cohere: {
    search: "No web search",
    document: "Documents as text only",
    "audio-input": "No audio input",
    several: "One choice per request",
    logprobs: "Log probabilities come with token ids, without the tokens' text",
    blocked: "Does not mark blocked answers",
    user: "No end-user id",
    tier: "No service tiers",
    metadata: "No metadata field",
  },
  converse: {
    search: "No web search",
    "audio-input": "No audio input",
    citations: "Citations point into documents and have no URLs",
    several: "One choice per request",
    logprobs: "No log probabilities",
    user: "No end-user id",
  },
  hunyuan: {
    cached: "Does not report cached tokens",
    strict: "Tool schemas are not enforced",
    limit: "No output limit",
    "must-call": "Only one named tool can be required",
    schema: "No response schema",
    document: "No document input",
    "audio-input": "No audio input",
    several: "One choice per request",
    logprobs: "No log probabilities",
    user: "No end-user id",
    tier: "No service tiers",
    metadata: "No metadata field",
  },
  qianfan: plain(["tools", "custom", "tool-results", "result-error", "stop", "limit", "usage", "blocked", "user"], {
    strict: "Tool schemas are not enforced",
  }),
  spark: plain(["tools", "custom", "usage", "user"], {
    strict: "Tool schemas are not enforced",
    limit: "Accepts the limit, but does not report that it was reached",
    blocked: "Answers with an error instead",
  }),
  chatglm: plain(["usage"], { blocked: "Marks them in streams only" }),
  dify: plain(["image-data", "image-url", "usage", "user"]),
  palm: plain(["several", "blocked"]),
  "ai-proxy": plain([], {
    text: "Knowledge bases get only the last message, without instructions",
    citations: "Sources are part of the answer's text",
  }),
  dashscope: {
    "must-call": "A tool call cannot be required",
    strict: "Tool schemas are not enforced",
    document: "No document input",
    blocked: "Answers with an error instead",
    user: "No end-user id",
    tier: "No service tiers",
    metadata: "No metadata field",
  },
  mistral: {
    search: "No web search",
    citations: "References have no URLs",
    logprobs: "No log probabilities",
    blocked: "Does not mark blocked answers",
    user: "No end-user id",
    tier: "No service tiers",
  },
};

/** What a client format has no words for, whatever the provider. */
export const UNSUPPORTED: Readonly<
  Partial<Record<"chat" | "responses" | "messages" | "gemini" | "interactions", readonly FeatureName[]>>
> = {
  chat: ["result-image", "result-error"],
  responses: ["result-error", "stop", "audio-input", "several"],
  messages: ["custom", "audio-input", "several", "logprobs", "metadata"],
  gemini: ["custom", "strict", "user", "metadata"],
  interactions: ["custom", "strict", "several", "logprobs", "user", "metadata"],
};
