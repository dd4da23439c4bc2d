import type { JsonObject } from "../../../formats/json.ts";
import type { OwnFormat } from "../../contract/native-format.ts";
import type { Ask, Provider, ProviderChannel } from "../../contract/provider.ts";
import { compatible } from "../../shared/openai-compatible.ts";
import { dashscopeImageHeaders, dashscopeImagePath, dashscopeImages } from "./images.ts";
import { dashscopeRankings } from "./rerank.ts";

const DEFAULT_BASE_URL = "https://dashscope.aliyuncs.com";
const GENERATION = "/api/v1/services/aigc";
const SEES_OR_HEARS = /vl|omni|audio|ocr|qvq/;

/** Models that always think, open ones that think unless told otherwise, and those that speak: whole answers are refused. */
const ONLY_STREAMS = /^(qwq|qvq|qwen3(\.\d+)?-(next-)?\d+b)|-thinking|omni/;

/** The address of DashScope's own API. */
const ownBase = ({ baseUrl }: Pick<ProviderChannel, "baseUrl">): string =>
  (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "").replace(/\/compatible-mode\/v1$/, "");

/** A wish for an effort switches thought on or off, unless the client says so itself. */
function switchThought({ reasoning_effort: effort, enable_thinking }: JsonObject): JsonObject {
  if (effort == null) return {};
  return { reasoning_effort: undefined, ...(enable_thinking == null && { enable_thinking: effort !== "none" }) };
}

/** The wish for a search switches it on. */
const switchSearch = ({ enable_search }: JsonObject): JsonObject => ({
  web_search_options: undefined,
  ...(enable_search == null && { enable_search: true }),
});

/** The address that imitates OpenAI: chats in that format go there as they come. */
const imitation = compatible({
  type: 17,
  name: "Alibaba Qwen",
  objects: true,
  marksCache: true,
  owner: "ali",
  base: DEFAULT_BASE_URL,
  root: "/compatible-mode/v1",
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
    further: switchThought,
    search: { members: switchSearch, takes: [] },
    met: () => ["reasoning_effort"],
  },
});

/** What the address that imitates OpenAI does not have. */
const OWN: Readonly<Partial<Record<Ask["capability"], OwnFormat>>> = {
  images: dashscopeImages(ownBase),
  rerank: dashscopeRankings,
};

/** Alibaba's DashScope. `other` is the value of the plugin header. */
export const dashscope: Provider = {
  ...imitation,
  dialects: ["dashscope", "openai-chat"],
  capabilities: [...imitation.capabilities, "images", "rerank"],
  ownFormat: ({ capability }) => OWN[capability] ?? null,
  models: [...imitation.models, "qwen-image", "wan2.2-t2i-plus", "qwen3-rerank"],
  url(channel, ask) {
    if (ask.capability === "rerank") return `${ownBase(channel)}/api/v1/services/rerank/text-rerank/text-rerank`;
    if (ask.capability === "images") return ownBase(channel) + dashscopeImagePath(ask.model);
    if (ask.dialect !== "dashscope" || ask.capability !== "chat") return imitation.url(channel, ask);
    return `${ownBase(channel)}${GENERATION}/${SEES_OR_HEARS.test(ask.model) ? "multimodal-generation" : "text-generation"}/generation`;
  },
  authHeaders: (channel, key, ask) => ({
    authorization: `Bearer ${key}`,
    ...(ask?.dialect === "dashscope" && ask.stream && { "x-dashscope-sse": "enable" }),
    ...(ask?.capability === "images" && dashscopeImageHeaders(ask.model)),
    ...(channel.other && { "x-dashscope-plugin": channel.other }),
  }),
  vectorsAsNumbers: true,
  onlyStreams: (model) => ONLY_STREAMS.test(model),
};
