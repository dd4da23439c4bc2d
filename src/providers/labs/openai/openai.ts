import { readOpenAiModelList } from "../../../formats/openai-chat/model-list.ts";
import { searchesAlways } from "../../../formats/openai-chat/response/search-usage.ts";
import { decodeResponsesCount, encodeResponsesCount } from "../../../formats/openai-responses/token-count.ts";
import { chatApi } from "../../contract/chat.ts";
import { EVERY_CAPABILITY, openaiPath, type Provider, type ProviderChannel } from "../../contract/provider.ts";
import type { TokenCount } from "../../contract/token-count.ts";
import { onResponsesRejected } from "../../shared/responses-rejection.ts";
import { OPENAI_MODELS } from "./models.ts";
import { onlyFormatOf, prepareForOpenAi } from "./reasoning-models.ts";
import { openaiVideos } from "./videos.ts";

const DEFAULT_BASE_URL = "https://api.openai.com";
const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com";

/** OpenAI, and every compatible server with its own base URL. */
export const openai: Provider = {
  type: 1,
  name: "OpenAI",
  owner: "openai",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: [...EVERY_CAPABILITY, "video"],
  keyHint: "sk-…",
  models: OPENAI_MODELS,
  url: (channel, params) => versionedBase(channel) + openaiPath(params),
  files: { url: (channel, path) => versionedBase(channel) + path },
  modelList: { url: (channel) => `${versionedBase(channel)}/models`, read: readOpenAiModelList },
  authHeaders({ openaiOrganization }, key) {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (openaiOrganization) headers["openai-organization"] = openaiOrganization;
    return headers;
  },
  prepare: prepareForOpenAi,
  onRejected: onResponsesRejected,
  chat: chatApi({
    formats: ["openai-chat", "openai-responses"],
    formatOf: onlyFormatOf,
    searchesInResponses: (model) => !searchesAlways(model),
    features: { customTools: true, compaction: true },
    countFormat: "openai-responses",
    tokenCount: (format) => (format === "openai-responses" ? tokenCount : null),
  }),
  ...openaiVideos(versionedBase),
};

const tokenCount: TokenCount = {
  url: (channel) => `${versionedBase(channel)}/responses/input_tokens`,
  encode: encodeResponsesCount,
  decode: decodeResponsesCount,
};

/** The base URL with its `/v1`, which operators may omit; Cloudflare's gateway has none. */
function versionedBase(channel: ProviderChannel): string {
  const base = (channel.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "");
  return base.startsWith(CLOUDFLARE_GATEWAY) || base.endsWith("/v1") ? base : `${base}/v1`;
}
