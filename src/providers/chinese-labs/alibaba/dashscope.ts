import { type Catalog, shippedCatalog } from "../../../catalog/catalog.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi, type NativeFormat } from "../../contract/chat.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { imageCount, imageList } from "../../shared/images.ts";
import { openAiCompatible } from "../../shared/openai-compatible.ts";
import { dashscopeCodec, QWEN_REASONING } from "./codec.ts";
import { dashscopeEvents } from "./events.ts";
import { wanVideos } from "./videos.ts";

/** Rerank in DashScope's own format. */
const dashscopeRerank: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["query", "documents", "top_n", "return_documents"], dropped);
    const documents = Array.isArray(call.documents) ? call.documents : [];
    const texts = documents.map((document) => textOf(document) ?? textOf(recordOf(document)?.text) ?? "");
    const parameters = compact({ top_n: numberOf(call.top_n), return_documents: call.return_documents });
    return { model, input: { query: call.query, documents: texts }, parameters };
  },
  decode({ output, usage }) {
    const { results } = recordOf(output) ?? {};
    if (!Array.isArray(results)) return null;
    const total = numberOf(recordOf(usage)?.total_tokens);
    return {
      object: "list",
      results: recordsOf(results),
      ...(total !== null && { usage: { total_tokens: total } }),
    };
  },
};

/** Models that respond immediately, in the shape of a chat; the others create a job to poll. */
const SYNCHRONOUS = /^(qwen-image|z-image|wan2\.[5-9])/;

const isSynchronous = (model: string): boolean => SYNCHRONOUS.test(model);

const RUNNING: ReadonlySet<unknown> = new Set(["PENDING", "RUNNING"]);
const FAILED: ReadonlySet<unknown> = new Set(["FAILED", "CANCELED", "UNKNOWN"]);

/** Image generation by Alibaba's DashScope; `base` returns the base URL of its own API. */
const dashscopeImages = (base: (channel: { baseUrl: string }) => string): NativeFormat => ({
  encode(order, model, dropped) {
    recordDropped(order, ["prompt", "n", "size", "response_format"], dropped);
    if (order.response_format === "b64_json") dropped.add("response_format");
    const prompt = textOf(order.prompt) ?? "";
    const size = textOf(order.size)?.replace("x", "*");
    const parameters = { n: imageCount(order), ...(size && size !== "auto" && { size }) };
    const input = isSynchronous(model) ? { messages: [{ role: "user", content: [{ text: prompt }] }] } : { prompt };
    return { model, input, parameters };
  },
  decode({ output }) {
    const made = recordOf(output);
    const results = recordsOf(made?.results).map(({ url }) => url);
    const shown = recordsOf(made?.choices).flatMap(({ message }) =>
      recordsOf(recordOf(message)?.content).map(({ image }) => image),
    );
    return imageList([...results, ...shown].flatMap((url) => (textOf(url) ? [{ url }] : [])));
  },
  failure(answer) {
    const output = recordOf(answer.output);
    const failed = FAILED.has(output?.task_status) ? output : recordsOf(output?.results).find(({ code }) => code);
    if (!failed || (failed !== output && this.decode(answer, {}) !== null)) return null;
    return {
      message: textOf(failed.message) ?? "The picture could not be made.",
      code: textOf(failed.code) ?? "failed",
    };
  },
  pending(channel, answer) {
    const output = recordOf(answer.output);
    const id = textOf(output?.task_id);
    return id && RUNNING.has(output?.task_status) ? `${base(channel)}/api/v1/tasks/${encodeURIComponent(id)}` : null;
  },
});

/** The path of image generation for a model, after the base URL. */
const dashscopeImagePath = (model: string): string =>
  `/api/v1/services/aigc/${isSynchronous(model) ? "multimodal-generation/generation" : "text2image/image-synthesis"}`;

/** Models with jobs reject requests without the asynchronous header. */
const dashscopeImageHeaders = (model: string): Record<string, string> =>
  isSynchronous(model) ? {} : { "x-dashscope-async": "enable" };

const DEFAULT_BASE_URL = "https://dashscope.aliyuncs.com";
const GENERATION = "/api/v1/services/aigc";
const API_ROOT = "/compatible-mode/v1";
/** The coding plan has a host, or a path, of its own; DashScope's and Anthropic's APIs stand at the address of the compatible one. */
const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: API_ROOT,
  printed: [
    [/^(https:\/\/coding[\w.-]*)(\/v1|\/apps\/anthropic(\/v1)?)?$/, "$1/v1"],
    [/\/(api\/v1(\/services\/.*)?|compatible-api\/v1|apps\/anthropic(\/v1)?|api\/v2\/apps\/.*)$/, API_ROOT],
  ],
};

/** Models that take more than text have a path of their own: https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope */
const takesMedia = (model: string, catalog: Catalog): boolean =>
  catalog.find(model).input_modalities?.some((modality) => modality !== "text") ?? false;

/** The base URL of DashScope's own API. */
const ownBase = ({ baseUrl }: Pick<ProviderChannel, "baseUrl">): string => resolveBase(baseUrl, ADDRESSES).service;

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
  owner: "ali",
  baseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat", "embeddings"],
  models: [
    "qwen3-max",
    "qwen3.6-plus",
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
  facts: {
    documented: {
      source: "https://help.aliyun.com/zh/model-studio/qwen-api-reference",
      version: "v1",
      day: "2026-11-29",
    },
    hosts: [
      { region: "CN", url: "https://dashscope.aliyuncs.com" },
      { region: "SG", url: "https://dashscope-intl.aliyuncs.com" },
      { region: "US", url: "https://dashscope-us.aliyuncs.com" },
      { region: "CN", url: "https://coding.dashscope.aliyuncs.com/v1", plan: "Coding Plan" },
      { region: "SG", url: "https://coding-intl.dashscope.aliyuncs.com/v1", plan: "Coding Plan" },
    ],
    // The system message is the first: https://help.aliyun.com/zh/model-studio/qwen-api-reference
    chat: { cacheMarks: true, systemTurns: "first", reasoning: QWEN_REASONING },
    requests: {
      topP: [0.001, 0.999],
      temperature: [0, 1.99],
      search: { fields: switchSearch, supports: [] },
    },
    addresses: ADDRESSES,
    // https://help.aliyun.com/zh/model-studio/error-code
    errors: { no_credit: [{ code: "Arrearage" }, { type: "Arrearage" }, { code: "AllocationQuota.FreeTierOnly" }] },
  },
});

const WAN_VIDEO_MODELS = ["wan2.5-t2v-preview", "wan2.5-i2v-preview", "wan2.2-t2v-plus", "wan2.2-i2v-plus"] as const;

/** Calls that the OpenAI-compatible API lacks. */
const OWN: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  images: dashscopeImages(ownBase),
  rerank: dashscopeRerank,
};

/** Alibaba's DashScope. `other` is the value of the plugin header. */
export const dashscope: Provider = {
  ...compatible,
  ...wanVideos(ownBase),
  capabilities: [...compatible.capabilities, "images", "rerank", "video"],
  nativeFormat: ({ capability }) => OWN[capability] ?? null,
  models: [...compatible.models, "qwen-image", "wan2.2-t2i-plus", "qwen3-rerank", ...WAN_VIDEO_MODELS],
  url(channel, params) {
    if (params.capability === "rerank") return `${ownBase(channel)}/api/v1/services/rerank/text-rerank/text-rerank`;
    if (params.capability === "images") return ownBase(channel) + dashscopeImagePath(params.model);
    if (params.dialect !== "dashscope" || params.capability !== "chat") return compatible.url(channel, params);
    const service = takesMedia(params.model, params.catalog ?? shippedCatalog) ? "multimodal" : "text";
    return `${ownBase(channel)}${GENERATION}/${service}-generation/generation`;
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
    // Coding plans, and other addresses without DashScope's root, have the compatible API alone.
    formatAt(baseUrl) {
      const { api, service } = resolveBase(baseUrl, ADDRESSES);
      return api === service ? "openai-chat" : null;
    },
    codec: dashscopeCodec,
    streaming: {
      framing: dashscopeEvents,
      framedFormat: "dashscope",
      mode: (model, catalog = shippedCatalog) => (catalog.find(model).streams_only ? "always" : "optional"),
    },
  }),
};
