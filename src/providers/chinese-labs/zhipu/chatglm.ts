import { SignJWT } from "jose";
import { chatApi } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { zhipuCodec } from "./codec.ts";
import { zhipuEventsToSse } from "./events.ts";

const DEFAULT_BASE_URL = "https://open.bigmodel.cn";
const LIFE_MS = 300_000;
/** Models of the v3 API; all others are called by v4, which has OpenAI's format. */
const OLD = /^chatglm_/;

const v4Api = openAiCompatible({
  type: 16,
  name: "Zhipu ChatGLM",
  owner: "zhipu",
  baseUrl: DEFAULT_BASE_URL,
  apiRoot: "/api/paas/v4",
  capabilities: ["chat", "embeddings"],
  keyHint: "id.secret",
  models: ["glm-4.6", "glm-4.5", "glm-4.5-air", "chatglm_turbo", "chatglm_pro", "chatglm_std", "chatglm_lite"],
  quirks: { topP: [0.01, 0.99] },
});

/** Zhipu's older API: the key signs a short-lived token. Older models use their own format, newer ones the v4 API. */
export const chatglm: Provider = {
  ...v4Api,
  url(channel, params) {
    if (params.dialect !== "zhipu" || params.capability !== "chat") return v4Api.url(channel, params);
    const base = (channel.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "");
    return `${base}/api/paas/v3/model-api/${encodeURIComponent(params.model)}/${params.stream ? "sse-invoke" : "invoke"}`;
  },
  authHeaders: (channel, key, params): Record<string, string> =>
    key.includes(".") && params ? {} : v4Api.authHeaders(channel, key, params),
  chat: chatApi({
    ...v4Api.chat,
    formats: ["zhipu", "openai-chat"],
    codec: zhipuCodec,
    formatOf: (model) => (OLD.test(model) ? "zhipu" : "openai-chat"),
    streaming: { framing: zhipuEventsToSse },
  }),
  async sign({ url }, _channel, key, { nowSeconds }) {
    const token = await signedToken(key, nowSeconds() * 1000);
    // The v3 API expects the token without "Bearer".
    return token === null ? {} : { headers: { authorization: url.includes("/v3/") ? token : `Bearer ${token}` } };
  },
};

/** A token signed with the secret of `id.secret`, with times in milliseconds; null for other kinds of keys. */
async function signedToken(key: string, nowMs: number): Promise<string | null> {
  const [id = "", secret = ""] = key.split(".");
  if (secret === "") return null;
  return new SignJWT({ api_key: id, exp: nowMs + LIFE_MS, timestamp: nowMs })
    .setProtectedHeader({ alg: "HS256", sign_type: "SIGN" })
    .sign(new TextEncoder().encode(secret));
}
