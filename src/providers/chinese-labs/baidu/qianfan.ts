import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, parseJson, recordOf, textOf } from "../../../formats/json.ts";
import { createTokenCache } from "../../../lib/security/token-cache.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi, type NativeFormat } from "../../contract/chat.ts";
import type { Provider, ProviderChannel, SigningTools } from "../../contract/provider.ts";
import { TokenRefused } from "../../contract/token-refused.ts";
import { inputsOf } from "../../shared/embeddings.ts";
import { ernieCodec } from "./ernie-codec.ts";

/** Embeddings by Qianfan's v1 API: almost OpenAI's responses, but failures have status 200. */
const qianfanEmbeddings: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, ["input", "user", "encoding_format"], dropped);
    return compact({ input: inputsOf(call), user_id: textOf(call.user) });
  },
  // Its own name of the list is one that OpenAI's clients don't know.
  decode: (answer) => (Array.isArray(answer.data) ? { ...answer, object: "list" } : null),
  failure(answer) {
    if (typeof answer.error_code !== "number") return null;
    const error = ernieCodec.decodeError(200, answer);
    return error && { message: error.message, code: textOf(error.code) ?? "", status: error.status };
  },
};

const DEFAULT_BASE_URL = "https://aip.baidubce.com";
const STEM = "/rpc/2.0/ai_custom/v1/wenxinworkshop";
/** Access tokens expire after thirty days. */
const LIFE_SECONDS = 2_592_000;
const RENEW_BEFORE_SECONDS = 3600;

/**
 * The last path segment by model; other models have their name in lower case. Source:
 * https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t
 */
const SLUGS = lookupTable<string>({
  "ERNIE-4.0-8K": "completions_pro",
  "ERNIE-4.0": "completions_pro",
  "ERNIE-Bot-4": "completions_pro",
  "ERNIE-3.5-8K": "completions",
  "ERNIE-Bot": "completions",
  "ERNIE-Bot-8K": "ernie_bot_8k",
  "ERNIE-Bot-turbo": "eb-instant",
  "ERNIE-Lite-8K-0922": "eb-instant",
  "ERNIE-Lite-8K-0308": "ernie-lite-8k",
  "ERNIE-Speed": "ernie_speed",
  "ERNIE-Speed-8K": "ernie_speed",
  "BLOOMZ-7B": "bloomz_7b1",
  "bge-large-zh": "bge_large_zh",
  "bge-large-en": "bge_large_en",
  "tao-8k": "tao_8k",
});
const MODELS = [
  "ERNIE-4.0-8K",
  "ERNIE-4.0-Turbo-8K",
  "ERNIE-3.5-8K",
  "ERNIE-3.5-128K",
  "ERNIE-Lite-8K",
  "ERNIE-Speed-8K",
  "ERNIE-Speed-128K",
  "ERNIE-Tiny-8K",
  "ERNIE-Character-8K",
  "Embedding-V1",
  "bge-large-zh",
  "bge-large-en",
  "tao-8k",
];

const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: "",
  printed: [[/\/rpc\/2\.0(\/.*)?$/, ""]],
};

const rootOf = ({ baseUrl }: ProviderChannel): string => resolveBase(baseUrl, ADDRESSES).api;

/** The access token is invalid, or has expired. */
const BAD_TOKEN: ReadonlySet<string> = new Set(["110", "111"]);

const tokens = createTokenCache(RENEW_BEFORE_SECONDS);

/** Baidu Qianfan's v1 API: the key is exchanged for an access token, which goes into the URL. */
export const qianfanV1: Provider = {
  type: 15,
  name: "Baidu Qianfan",
  owner: "baidu",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat", "embeddings"],
  nativeFormat: ({ capability }) => (capability === "embeddings" ? qianfanEmbeddings : null),
  keyHint: "apiKey|secretKey",
  models: MODELS,
  url(channel, { capability, model }) {
    const slug = encodeURIComponent(SLUGS[model] ?? model.toLowerCase());
    return `${rootOf(channel)}${STEM}/${capability === "embeddings" ? "embeddings" : "chat"}/${slug}`;
  },
  authHeaders: () => ({}),
  async sign({ url }, channel, key, tools) {
    const token = key.includes("|") ? await tokens.get(key, () => askToken(channel, key, tools)) : key;
    return { url: `${url}?access_token=${encodeURIComponent(token)}` };
  },
  onRejected({ status, error, key }) {
    return status === 401 && tokens.forget(key, BAD_TOKEN.has(String(error.code))) ? "retry" : null;
  },
  // 17 and 19 are limits of free use, 18 is a rate limit; accounts in arrears lose access.
  facts: {
    documented: { source: "https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t", version: "v1", day: "2026-11-29" },
    errors: { no_credit: [{ code: "account_overdue" }] },
  },
  chat: chatApi({ formats: ["ernie"], codec: ernieCodec, streaming: { includesUsage: false } }),
};

async function askToken(channel: ProviderChannel, key: string, { post }: SigningTools) {
  const [id = "", secret = ""] = key.split("|").map((part) => part.trim());
  const query = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
  const { text, status } = await post(`${rootOf(channel)}/oauth/2.0/token?${query}`, {}, "");
  const answer = recordOf(parseJson(text));
  const token = textOf(answer?.access_token);
  if (token === null) {
    const reason = textOf(answer?.error_description) ?? textOf(answer?.error);
    throw new TokenRefused(status, reason);
  }
  return { text: token, lifeSeconds: typeof answer?.expires_in === "number" ? answer.expires_in : LIFE_SECONDS };
}
