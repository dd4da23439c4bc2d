import { readOpenAiModelList } from "../../../formats/openai-chat/model-list.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { hunyuanCodec } from "./codec.ts";
import { hunyuanEmbeddings } from "./embeddings.ts";
import { tencentHeaders } from "./signature.ts";

const DEFAULT_BASE_URL = "https://hunyuan.tencentcloudapi.com";
const COMPATIBLE_BASE_URL = "https://api.hunyuan.cloud.tencent.com";

/** The OpenAI-compatible API: its requests are not signed. */
const compatible = openAiCompatible({
  type: 23,
  name: "Tencent Hunyuan",
  owner: "tencent",
  baseUrl: COMPATIBLE_BASE_URL,
  capabilities: ["chat", "embeddings"],
  keyHint: "appid|secretId|secretKey or sk-…",
  models: [
    "hunyuan-turbos-latest",
    "hunyuan-t1-latest",
    "hunyuan-2.0-thinking",
    "hunyuan-2.0-instruct",
    "hunyuan-a13b",
    "hunyuan-lite",
    "hunyuan-standard",
    "hunyuan-standard-256K",
    "hunyuan-large",
    "hunyuan-functioncall",
    "hunyuan-vision",
    "hunyuan-turbos-vision",
    "hunyuan-embedding",
  ],
});

const ACTION = "x-tc-action";

const isSigned = (key: string): boolean => key.includes("|");

/** Tencent Hunyuan: its own signed API, or, with a plain key, the OpenAI-compatible one. */
export const hunyuan: Provider = {
  ...compatible,
  defaultBaseUrl: DEFAULT_BASE_URL,
  url(channel, params) {
    if (!isSigned(params.key ?? "")) return compatible.url(channel, params);
    return `${(channel.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "")}/`;
  },
  modelList: {
    url: (channel) =>
      channel.baseUrl.includes("tencentcloudapi") ? null : (compatible.modelList?.url(channel) ?? null),
    read: readOpenAiModelList,
  },
  chat: chatApi({
    ...compatible.chat,
    formats: ["hunyuan", "openai-chat"],
    codec: hunyuanCodec,
    formatOf: (_model, key) => (isSigned(key) ? "hunyuan" : "openai-chat"),
  }),
  authHeaders: (channel, key, params): Record<string, string> =>
    isSigned(key)
      ? { [ACTION]: params?.capability === "embeddings" ? "GetEmbedding" : "ChatCompletions" }
      : compatible.authHeaders(channel, key, params),
  nativeFormat: ({ capability }, key) => (capability === "embeddings" && isSigned(key) ? hunyuanEmbeddings : null),
  async sign({ url, headers, body }, _channel, key, { nowSeconds }) {
    if (!isSigned(key)) return {};
    const parts = key.split("|").map((part) => part.trim());
    const [secretId = "", secretKey = ""] = parts.slice(-2);
    const action = headers[ACTION] ?? "ChatCompletions";
    const contentType = headers["content-type"] ?? "application/json";
    const { host } = new URL(url);
    const timestamp = nowSeconds();
    return { headers: tencentHeaders({ action, host, body, contentType, secretId, secretKey, timestamp }) };
  },
};
