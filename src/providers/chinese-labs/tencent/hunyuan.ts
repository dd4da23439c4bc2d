import type { Provider } from "../../contract/provider.ts";
import { compatible } from "../../shared/openai-compatible.ts";
import { hunyuanEmbeddings } from "./embeddings.ts";
import { tencentHeaders } from "./signature.ts";

const DEFAULT_BASE_URL = "https://hunyuan.tencentcloudapi.com";
const IMITATION_BASE_URL = "https://api.hunyuan.cloud.tencent.com";

/** The address that imitates OpenAI: it takes keys that sign nothing. */
const imitation = compatible({
  type: 23,
  name: "Tencent Hunyuan",
  owner: "tencent",
  base: IMITATION_BASE_URL,
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

/** Tencent Hunyuan: its own API, signed; with a plain key the address that imitates OpenAI. */
export const hunyuan: Provider = {
  ...imitation,
  dialects: ["hunyuan", "openai-chat"],
  dialectOf: (_model, key) => (isSigned(key) ? "hunyuan" : "openai-chat"),
  defaultBaseUrl: DEFAULT_BASE_URL,
  url(channel, ask) {
    if (!isSigned(ask.key ?? "")) return imitation.url(channel, ask);
    return `${(channel.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "")}/`;
  },
  modelListUrl: (channel) => (channel.baseUrl.includes("tencentcloudapi") ? null : imitation.modelListUrl(channel)),
  authHeaders: (channel, key, ask): Record<string, string> =>
    isSigned(key)
      ? { [ACTION]: ask?.capability === "embeddings" ? "GetEmbedding" : "ChatCompletions" }
      : imitation.authHeaders(channel, key, ask),
  ownFormat: ({ capability }, key) => (capability === "embeddings" && isSigned(key) ? hunyuanEmbeddings : null),
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
