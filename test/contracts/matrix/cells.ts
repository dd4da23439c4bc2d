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

/** Rows that are seen in one place of a request or an answer. */
export const FURTHER = {
  "result-image": "Image among a tool's results",
  "result-error": "Failed tool",
  strict: "Strict schema of a tool",
  custom: "Free-text tool",
  search: "Search of the web by the provider",
  document: "Document (PDF) inside the request",
  "audio-input": "Sound inside the request",
  citations: "Citations",
  several: "Several answers (n)",
  logprobs: "Log probabilities",
  blocked: "Blocked answers marked as such",
  user: "The end user's id",
  tier: "Service tier",
  metadata: "Metadata",
} as const;
export type FurtherName = keyof typeof FURTHER;

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
  ...FURTHER,
} as const;
export type FeatureName = keyof typeof FEATURES;

const CLAUDE = {
  "audio-input": "Claude takes no sound",
  several: "Claude gives one answer",
  logprobs: "Claude tells no log probabilities",
  metadata: "Claude takes no metadata but the end user's id",
} as const;

/** What services of plain talk lack, in the words of all of them. */
const LACKS = {
  "image-data": "Its API takes no images",
  "image-url": "Its API takes no images",
  tools: "Its API knows no tools",
  "tool-results": "Its API knows no results of tools: they are told in words",
  parallel: "Its API makes one call at most",
  "must-call": "Its API has no way to demand a call",
  reasoning: "Its API has no switch for thought",
  schema: "Its API has no field for a schema",
  stop: "Its API has no stop sequences",
  limit: "Its API has no limit of the answer",
  usage: "Its API tells no tokens: they are counted here",
  cached: "Its API does not tell cached tokens",
  "result-image": "Its API takes no images",
  "result-error": "Its API knows no results of tools: they are told in words",
  strict: "Its API knows no tools",
  custom: "Its API knows no tools",
  search: "Its API cannot be asked for a search",
  document: "Its API takes no documents",
  "audio-input": "Its API takes no sound",
  citations: "Its API cites no addresses",
  several: "Its API gives one answer",
  logprobs: "Its API tells no log probabilities",
  blocked: "Its API does not mark blocked answers",
  user: "Its API has no place for an end user's id",
  tier: "Its API has no service tiers",
  metadata: "Its API has no place for metadata",
} as const satisfies Partial<Record<FeatureName, string>>;

type Reasons = Readonly<Partial<Record<FeatureName, string>>>;

/** All that such services lack, but for what this one has; and why, where that needs other words. */
const plain = (has: readonly FeatureName[], otherwise: Reasons = {}): Reasons =>
  Object.fromEntries(
    Object.entries({ ...LACKS, ...otherwise }).filter(([feature]) => !has.includes(feature as FeatureName)),
  );

/** Why a provider cannot do it; whoever asks all the same reads of it in `X-Sluice-Dropped` where something was left out. */
export const CANNOT: Readonly<Partial<Record<ProviderName, Reasons>>> = {
  "openai-chat": { search: "Chats are searched for by models of their own alone, such as OpenAI's `-search-preview`" },
  "openai-responses": {
    logprobs: "What OpenAI serves as Responses alone always reasons, and tells no log probabilities then",
    stop: "OpenAI's Responses has no stop sequences",
    "audio-input": "OpenAI's Responses takes no sound",
    several: "OpenAI's Responses gives one answer",
  },
  anthropic: CLAUDE,
  bedrock: {
    ...CLAUDE,
    tier: "Bedrock takes no tier in a request for Claude",
    search: "Bedrock runs none of Anthropic's tools",
  },
  gemini: {
    user: "Gemini has no place for an end user's id",
    metadata: "Gemini has no place for metadata",
  },
  ollama: {
    cached: "Ollama does not tell cached tokens",
    search: "Ollama's chats search nothing",
    strict: "Ollama holds no call to its schema",
    "must-call": "Ollama has no choice of tools",
    document: "Ollama reads no documents",
    "audio-input": "Ollama takes no sound in chats",
    citations: "Ollama cites nothing",
    several: "Ollama gives one answer",
    blocked: "Ollama blocks nothing",
    user: "Ollama has no place for an end user's id",
    tier: "Ollama has no service tiers",
    metadata: "Ollama has no place for metadata",
  },
  cohere: {
    search: "Cohere's chat searches nothing by itself",
    document: "Cohere's chat takes documents as text alone",
    "audio-input": "Cohere's chat takes no sound",
    several: "Cohere gives one answer",
    logprobs: "Cohere tells probabilities by numbers of tokens, without their texts",
    blocked: "Cohere does not mark blocked answers",
    user: "Cohere's chat has no place for an end user's id",
    tier: "Cohere's chat has no service tiers",
    metadata: "Cohere's chat has no place for metadata",
  },
  converse: {
    search: "Converse runs no tools",
    "audio-input": "Converse takes no sound",
    citations: "Converse cites places in documents, which have no addresses",
    several: "Converse gives one answer",
    logprobs: "Converse tells no log probabilities",
    user: "Converse has no place for an end user's id",
  },
  hunyuan: {
    cached: "Hunyuan's own API does not tell cached tokens",
    strict: "Hunyuan holds no call to its schema",
    limit: "Hunyuan's own API has no limit of the answer",
    "must-call": "Hunyuan can be made to call one tool alone",
    schema: "Hunyuan's own API has no field for a schema",
    document: "Hunyuan's own API takes no documents",
    "audio-input": "Hunyuan's own API takes no sound",
    several: "Hunyuan gives one answer",
    logprobs: "Hunyuan tells no log probabilities",
    user: "Hunyuan has no place for an end user's id",
    tier: "Hunyuan has no service tiers",
    metadata: "Hunyuan has no place for metadata",
  },
  qianfan: plain(["tools", "custom", "tool-results", "result-error", "stop", "limit", "usage", "blocked", "user"], {
    strict: "Its API holds no call to its schema",
  }),
  spark: plain(["tools", "custom", "usage", "user"], {
    strict: "Its API holds no call to its schema",
    limit: "Its API takes the limit, and does not tell that it was reached",
    blocked: "Its API answers with an error instead",
  }),
  chatglm: plain(["usage"], { blocked: "Its API marks them in streams alone" }),
  dify: plain(["image-data", "image-url", "usage", "user"]),
  palm: plain(["several", "blocked"]),
  "ai-proxy": plain([], {
    text: "Libraries hear the last words alone, without instructions",
    citations: "Sources stand in the text of the answer",
  }),
  dashscope: {
    "must-call": "DashScope's own API has no way to demand a call",
    strict: "DashScope holds no call to its schema",
    document: "DashScope's chat takes no documents",
    blocked: "DashScope answers with an error instead",
    user: "DashScope has no place for an end user's id",
    tier: "DashScope has no service tiers",
    metadata: "DashScope has no place for metadata",
  },
  mistral: {
    search: "Mistral's chat searches nothing by itself",
    citations: "Mistral's references have no addresses",
    logprobs: "Mistral tells no log probabilities",
    blocked: "Mistral does not mark blocked answers",
    user: "Mistral's chat has no place for an end user's id",
    tier: "Mistral's chat takes no service tier",
  },
};

/** What a client format has no words for, whatever the provider. */
export const UNSAID: Readonly<Partial<Record<"chat" | "responses" | "messages" | "gemini", readonly FeatureName[]>>> = {
  chat: ["result-image", "result-error"],
  responses: ["result-error", "stop", "audio-input", "several"],
  messages: ["custom", "audio-input", "several", "logprobs", "metadata"],
  gemini: ["custom", "strict", "user", "metadata"],
};
