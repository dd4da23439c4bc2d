import { createHash, createHmac } from "node:crypto";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { readOpenAiModelList } from "../../../formats/openai-chat/model-list.ts";
import { trimSlashes } from "../../contract/base-address.ts";
import { chatApi, type NativeFormat } from "../../contract/chat.ts";
import type { Provider } from "../../contract/provider.ts";
import { embeddingList, inputsOf } from "../../shared/embeddings.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { bodySha256 } from "../../shared/signed-body.ts";
import { hunyuanCodec } from "./codec.ts";

const SERVICE = "hunyuan";
const VERSION = "2023-09-01";
const SIGNED = "content-type;host;x-tc-action";

type Signed = Readonly<{
  /** The API action. */
  action: string;
  host: string;
  /** The exact bytes of the request body. */
  /** Of the body, SHA-256 in hexadecimal digits. */
  digest: string;
  contentType: string;
  secretId: string;
  secretKey: string;
  /** Unix time in seconds. */
  timestamp: number;
}>;

/**
 * The headers of Tencent's API with a TC3-HMAC-SHA256 signature. Source:
 * https://cloud.tencent.com/document/api/1729/101843
 */
function tencentHeaders(request: Signed): Record<string, string> {
  const { action, host, digest, contentType, secretId, secretKey, timestamp } = request;
  const day = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${day}/${SERVICE}/tc3_request`;
  const headers = `content-type:${contentType}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const canonical = ["POST", "/", "", headers, SIGNED, digest].join("\n");
  const text = ["TC3-HMAC-SHA256", timestamp, scope, sha256(canonical)].join("\n");
  const key = [day, SERVICE, "tc3_request"].reduce<string | Buffer>(
    (made, part) => hmac(made, part),
    `TC3${secretKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  return {
    "x-tc-action": action,
    "x-tc-version": VERSION,
    "x-tc-timestamp": String(timestamp),
    authorization: `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

const responseOf = (answer: JsonObject): JsonObject => recordOf(answer.Response) ?? {};

/** Embeddings by Hunyuan's own API (GetEmbedding), which reports failures with status 200. */
const hunyuanEmbeddings: NativeFormat = {
  encode(call, _model, dropped) {
    recordDropped(call, ["input", "encoding_format"], dropped);
    return { InputList: inputsOf(call) };
  },
  decode(answer) {
    const { Data, Usage } = responseOf(answer);
    if (!Array.isArray(Data)) return null;
    const ordered = recordsOf(Data).toSorted((one, other) => Number(one.Index) - Number(other.Index));
    const usage = recordOf(Usage);
    return embeddingList(
      ordered.map(({ Embedding }) => Embedding),
      numberOf(usage?.PromptTokens) ?? numberOf(usage?.TotalTokens),
    );
  },
  failure(answer) {
    if (!recordOf(responseOf(answer).Error)) return null;
    const error = hunyuanCodec.decodeError(200, answer);
    return error && { message: error.message, code: textOf(error.code) ?? "", status: error.status };
  },
};

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
  facts: {
    documented: {
      source: "https://cloud.tencent.com/document/api/1729/101837",
      version: "2023-09-01",
      day: "2026-11-29",
    },
    // https://cloud.tencent.com/document/api/1729/101837
    // https://cloud.tencent.com/document/product/1729/111007
    chat: {
      systemTurns: "first",
      reasoning: [
        { models: /-t1|thinking/, off: "lowest", offCosts: "They always reason." },
        {
          models: /a13b|hunyuan-2|hunyuan-turbos-latest|^hy\d/,
          on: { enable_thinking: true },
          off: { enable_thinking: false },
        },
      ],
    },
    addresses: { printed: [[/\/anthropic(\/v1)?$/, "/v1"]] },
    errors: {
      no_credit: [
        { code: "ResourceUnavailable.InArrears" },
        { code: "ResourceUnavailable.LowBalance" },
        { code: "FailedOperation.ResourcePackExhausted" },
        { code: "FailedOperation.FreeResourcePackExhausted" },
      ],
    },
  },
});

const ACTION = "x-tc-action";

const isSigned = (key: string): boolean => key.includes("|");

/** Tencent Hunyuan: its own signed API, or, with a plain key, the OpenAI-compatible one. */
export const hunyuan: Provider = {
  ...compatible,
  defaultBaseUrl: DEFAULT_BASE_URL,
  url(channel, params) {
    if (!isSigned(params.key ?? "")) return compatible.url(channel, params);
    return `${trimSlashes(channel.baseUrl || DEFAULT_BASE_URL)}/`;
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
  async sign(request, _channel, key, { nowSeconds }) {
    const { url, headers } = request;
    if (!isSigned(key)) return {};
    const parts = key.split("|").map((part) => part.trim());
    const [secretId = "", secretKey = ""] = parts.slice(-2);
    const action = headers[ACTION] ?? "ChatCompletions";
    const contentType = headers["content-type"] ?? "application/json";
    const { host } = new URL(url);
    const timestamp = nowSeconds();
    const digest = await bodySha256(request);
    return { headers: tencentHeaders({ action, host, digest, contentType, secretId, secretKey, timestamp }) };
  },
};
