import type { JsonObject } from "../../../formats/json.ts";
import { chatApi } from "../../contract/chat.ts";
import type { NativeFormat } from "../../contract/native-format.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { dashscopeCodec } from "./codec.ts";
import { dashscopeImageHeaders, dashscopeImagePath, dashscopeImages } from "./images.ts";
import { dashscopeRerank } from "./rerank.ts";

const DEFAULT_BASE_URL = "https://dashscope.aliyuncs.com";
const GENERATION = "/api/v1/services/aigc";
const MULTIMODAL = /vl|omni|audio|ocr|qvq/;

/**
 * Models that only stream: those that always reason, open models that reason by default, and those with audio output.
 */
const ONLY_STREAMS = /^(qwq|qvq|qwen3(\.\d+)?-(next-)?\d+b)|-thinking|omni/;

/** The base URL of DashScope's own API. */
const ownBase = ({ baseUrl }: Pick<ProviderChannel, "baseUrl">): string =>
  (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/\/compatible-mode\/v1$/, "");

/** A requested effort turns reasoning on or off, unless the client sets `enable_thinking` itself. */
function switchReasoning({ reasoning_effort: effort, enable_thinking }: JsonObject): JsonObject {
  if (effort == null) return {};
  return { reasoning_effort: undefined, ...(enable_thinking == null && { enable_thinking: effort !== "none" }) };
}

/** A requested search turns it on. */
const switchSearch = ({ enable_search }: JsonObject): JsonObject => ({
  web_search_options: undefined,
  ...(enable_search == null && { enable_search: true }),
});

/** The OpenAI-compatible API: chats in that format are forwarded to it unchanged. */
const compatible = openAiCompatible({
  type: 17,
  name: "Alibaba Qwen",
  files: true,
  cacheMarkers: true,
  owner: "ali",
  baseUrl: DEFAULT_BASE_URL,
  apiRoot: "/compatible-mode/v1",
  capabilities: ["chat", "embeddings"],
  models: [
    "qwen3-max",
    "qwen3.5-plus",
    "qwen-plus",
    "qwen-flash",
    "qwen-turbo",
    "qwen-max",
    "qwen-long",
    "qwen3-coder-plus",
    "qwen3-vl-plus",
    "qwen-vl-max",
    "qwq-plus",
    "text-embedding-v4",
  ],
  quirks: {
    topP: [0.001, 0.999],
    temperature: [0, 1.99],
    rewrite: switchReasoning,
    search: { fields: switchSearch, supports: [] },
    expressed: () => ["reasoning_effort"],
  },
});

/** Calls that the OpenAI-compatible API lacks. */
const OWN: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  images: dashscopeImages(ownBase),
  rerank: dashscopeRerank,
};

/** Alibaba's DashScope. `other` is the value of the plugin header. */
export const dashscope: Provider = {
  ...compatible,
  capabilities: [...compatible.capabilities, "images", "rerank"],
  nativeFormat: ({ capability }) => OWN[capability] ?? null,
  models: [...compatible.models, "qwen-image", "wan2.2-t2i-plus", "qwen3-rerank"],
  url(channel, params) {
    if (params.capability === "rerank") return `${ownBase(channel)}/api/v1/services/rerank/text-rerank/text-rerank`;
    if (params.capability === "images") return ownBase(channel) + dashscopeImagePath(params.model);
    if (params.dialect !== "dashscope" || params.capability !== "chat") return compatible.url(channel, params);
    return `${ownBase(channel)}${GENERATION}/${MULTIMODAL.test(params.model) ? "multimodal-generation" : "text-generation"}/generation`;
  },
  authHeaders: (channel, key, params) => ({
    authorization: `Bearer ${key}`,
    ...(params?.dialect === "dashscope" && params.stream && { "x-dashscope-sse": "enable" }),
    ...(params?.capability === "images" && dashscopeImageHeaders(params.model)),
    ...(channel.other && { "x-dashscope-plugin": channel.other }),
  }),
  prepare(body, params) {
    if (params.capability !== "embeddings") return compatible.prepare?.(body, params) ?? null;
    // Clients of OpenAI's request base64 by default; DashScope returns numbers only.
    if (body.encoding_format !== "base64") return null;
    return { model: params.model, changes: { encoding_format: "float" }, dropped: [] };
  },
  chat: chatApi({
    ...compatible.chat,
    formats: ["dashscope", "openai-chat"],
    codec: dashscopeCodec,
    streaming: { mode: (model) => (ONLY_STREAMS.test(model) ? "always" : "optional") },
  }),
};
