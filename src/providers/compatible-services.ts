import { type JsonObject, recordOf, recordsOf } from "../formats/json.ts";
import { qianfan } from "./chinese-labs/baidu/qianfan-v2.ts";
import { deepSeek } from "./chinese-labs/deepseek.ts";
import { minimaxEmbeddings, minimaxSpeech } from "./chinese-labs/minimax/embeddings-and-speech.ts";
import { minimaxImages } from "./chinese-labs/minimax/images.ts";
import { moka } from "./chinese-labs/moka.ts";
import { ark } from "./chinese-labs/volcengine.ts";
import type { Provider } from "./contract/provider.ts";
import { furtherServices } from "./further-services.ts";
import { cloudflare } from "./hosts/cloudflare/cloudflare.ts";
import { openRouterBalance } from "./hosts/openrouter-balance.ts";
import { grokDialectOf, grokQuirks } from "./labs/xai/quirks.ts";
import { siliconImages, xaiEdits, xaiImages } from "./shared/nearly-openai-images.ts";
import { type Compatible, compatible } from "./shared/openai-compatible.ts";
import { webPlugin, zhipuSearch, zhipuSearchTool } from "./shared/web-search.ts";

const EVERYTHING = ["chat", "completions", "embeddings"] as const;
const MEDIA = ["images", "speech", "transcriptions"] as const;
const CHAT_AND_EMBEDDINGS = ["chat", "embeddings"] as const;

/** Zhipu leaves the choice to the model: tools that none may be called of stay away. */
const onlyAutomaticTools = (body: JsonObject): JsonObject => ({
  ...(body.tool_choice != null && body.tool_choice !== "auto" && { tool_choice: undefined }),
  ...(body.tool_choice === "none" && { tools: undefined }),
  ...(body.temperature === 0 && { temperature: undefined, do_sample: false }),
});
const metByZhipu = ({ tool_choice, temperature }: JsonObject): string[] => [
  ...(tool_choice === "none" ? ["tool_choice", "tools"] : []),
  ...(temperature === 0 ? ["temperature"] : []),
];

/** Kimi wants the thoughts of calls back, and takes a blank but no empty text. */
const blankThoughts = (body: JsonObject): JsonObject => {
  const messages = recordsOf(body.messages);
  if (!messages.some(({ reasoning_content }) => reasoning_content === "")) return {};
  return {
    messages: messages.map((message) =>
      message.reasoning_content === "" ? { ...message, reasoning_content: " " } : message,
    ),
  };
};

/** Fields as the reasoning models of Kimi have them fixed. */
const fixedSampling = (body: JsonObject): JsonObject =>
  /^kimi-k[23]/.test(String(body.model))
    ? {
        temperature: undefined,
        top_p: undefined,
        n: undefined,
        presence_penalty: undefined,
        frequency_penalty: undefined,
      }
    : {};

const tables: readonly Compatible[] = [
  {
    type: 19,
    name: "360",
    owner: "360",
    base: "https://api.360.cn",
    capabilities: CHAT_AND_EMBEDDINGS,
    models: ["360gpt2-pro", "360gpt-pro", "360gpt-turbo", "360gpt2-o1"],
  },
  {
    type: 20,
    name: "OpenRouter",
    owner: "openrouter",
    base: "https://openrouter.ai/api",
    capabilities: [...EVERYTHING, "rerank"],
    keyHint: "sk-or-…",
    headers: { "http-referer": "https://github.com/sluice", "x-title": "Sluice" },
    quirks: {
      search: {
        members: webPlugin,
        takes: ["search_context_size", "user_location"],
        tool: () => "openrouter_search",
      },
    },
    marksCache: true,
    balance: openRouterBalance,
    models: [
      "openai/gpt-5.4",
      "anthropic/claude-sonnet-5",
      "google/gemini-3.6-flash",
      "deepseek/deepseek-v3.2",
      "meta-llama/llama-3.3-70b-instruct",
    ],
  },
  {
    type: 22,
    name: "FastGPT",
    owner: "fastgpt",
    base: "https://api.fastgpt.in/api",
    keyHint: "fastgpt-…",
    models: ["fastgpt"],
    noListPrice: "own_app",
  },
  {
    type: 25,
    name: "Moonshot",
    objects: true,
    owner: "moonshot",
    base: "https://api.moonshot.cn",
    balance: {
      path: "/v1/users/me/balance",
      read: (answer) => recordOf(recordOf(answer)?.data)?.available_balance,
      currency: ({ baseUrl }) => (baseUrl.includes("moonshot.ai") ? "USD" : "CNY"),
    },
    models: [
      "kimi-k3",
      "kimi-k2.7-code",
      "kimi-k2.7-code-highspeed",
      "kimi-k2.6",
      "moonshot-v1-8k",
      "moonshot-v1-32k",
      "moonshot-v1-128k",
      "moonshot-v1-auto",
    ],
    quirks: {
      temperature: [0, 1],
      further: (body) => ({ ...fixedSampling(body), ...blankThoughts(body) }),
    },
  },
  {
    type: 26,
    name: "Zhipu GLM-4V",
    objects: true,
    owner: "zhipu",
    base: "https://open.bigmodel.cn",
    root: "/api/paas/v4",
    capabilities: [...CHAT_AND_EMBEDDINGS, "rerank", "moderations", ...MEDIA],
    keyHint: "id.secret",
    models: [
      "glm-5.3",
      "glm-5.2",
      "glm-5.1",
      "glm-5",
      "glm-4.7",
      "glm-4.7-flash",
      "glm-4.6",
      "glm-4.6v",
      "glm-4.5",
      "glm-4.5-air",
      "glm-4-plus",
      "glm-4-flash-250414",
      "glm-4v-plus",
      "embedding-3",
    ],
    quirks: {
      topP: [0.01, 0.99],
      temperature: [0, 1],
      limitField: "max_tokens",
      refused: ["n", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias"],
      further: onlyAutomaticTools,
      search: { members: zhipuSearch, takes: [], tool: zhipuSearchTool },
      met: metByZhipu,
    },
  },
  {
    type: 31,
    name: "01.AI",
    owner: "01.ai",
    base: "https://api.lingyiwanwu.com",
    models: ["yi-lightning", "yi-vision-v2", "yi-large", "yi-medium"],
  },
  {
    type: 35,
    name: "MiniMax",
    owner: "minimax",
    base: "https://api.minimax.chat",
    capabilities: ["chat", "images", "embeddings", "speech"],
    own: {
      images: { path: "/image_generation", format: minimaxImages },
      embeddings: { format: minimaxEmbeddings },
      speech: { path: "/t2a_v2", format: minimaxSpeech },
    },
    models: [
      "MiniMax-M3",
      "MiniMax-M2.7",
      "MiniMax-M2.5",
      "MiniMax-M2.1",
      "MiniMax-M2",
      "MiniMax-M1",
      "MiniMax-Text-01",
      "image-01",
      "embo-01",
      "speech-2.5-hd-preview",
    ],
    quirks: { temperature: [0.01, 1], topP: [0.01, 1], refused: ["n"] },
  },
  {
    type: 38,
    name: "Jina",
    owner: "jina",
    base: "https://api.jina.ai",
    capabilities: ["embeddings", "rerank"],
    keyHint: "jina_…",
    models: [
      "jina-reranker-v3",
      "jina-reranker-m0",
      "jina-reranker-v2-base-multilingual",
      "jina-embeddings-v5-text-small",
      "jina-embeddings-v4",
      "jina-embeddings-v3",
      "jina-clip-v2",
    ],
    // It refuses what it does not know; clients of OpenAI's ask for base64 unasked.
    quirks: {
      vectors: ({ encoding_format, embedding_type }) => ({
        changes: {
          ...(encoding_format != null && { encoding_format: undefined }),
          ...(encoding_format === "base64" && { embedding_type: embedding_type ?? "base64" }),
        },
        unsaid: ["user"],
      }),
    },
  },
  {
    type: 40,
    name: "SiliconCloud",
    objects: true,
    owner: "siliconflow",
    base: "https://api.siliconflow.cn",
    capabilities: [...EVERYTHING, "rerank", ...MEDIA],
    own: { images: { format: siliconImages } },
    balance: {
      path: "/v1/user/info",
      read: (answer) => recordOf(recordOf(answer)?.data)?.totalBalance,
      currency: ({ baseUrl }) => (baseUrl.includes("siliconflow.com") ? "USD" : "CNY"),
    },
    models: [
      "deepseek-ai/DeepSeek-V3.2",
      "deepseek-ai/DeepSeek-R1",
      "Qwen/Qwen3-235B-A22B-Instruct-2507",
      "Qwen/Qwen3-32B",
      "zai-org/GLM-4.6",
      "moonshotai/Kimi-K2-Instruct-0905",
      "MiniMaxAI/MiniMax-M2",
      "BAAI/bge-m3",
      "Qwen/Qwen3-Embedding-8B",
    ],
  },
  {
    type: 47,
    name: "Xinference",
    owner: "xinference",
    base: null,
    capabilities: [...EVERYTHING, "rerank", "image-edits", "translations", ...MEDIA],
    keyHint: "none",
    models: [],
    noListPrice: "own_server",
  },
  {
    type: 48,
    name: "xAI",
    owner: "xai",
    base: "https://api.x.ai",
    capabilities: [...EVERYTHING, "images", "image-edits"],
    own: { images: { format: xaiImages }, "image-edits": { format: xaiEdits } },
    responses: true,
    keyHint: "xai-…",
    models: [
      "grok-4.6",
      "grok-4.5",
      "grok-4.3",
      "grok-4.20-reasoning",
      "grok-4.20-non-reasoning",
      "grok-4-1-fast-reasoning",
      "grok-4-1-fast-non-reasoning",
      "grok-4",
      "grok-code-fast-1",
      "grok-3",
      "grok-3-mini",
    ],
    quirks: grokQuirks,
    dialectOf: grokDialectOf,
  },
];

/** Every service that speaks OpenAI's chat format and needs no more than a table. */
export const compatibleServices: readonly Provider[] = [
  ...tables.map(compatible),
  ...furtherServices,
  cloudflare,
  ark,
  deepSeek,
  moka,
  qianfan,
];
