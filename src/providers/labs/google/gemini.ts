import { recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import type { OwnFormat } from "../../contract/native-format.ts";
import type { Ask, Provider, ProviderChannel } from "../../contract/provider.ts";
import { decodeGeminiCount, encodeGeminiCount } from "../../contract/token-count.ts";
import { geminiEmbeddings } from "./embeddings.ts";
import { googleImages, isImagen } from "./images.ts";
import { googleSpeech } from "./speech.ts";

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const DEFAULT_VERSION = "v1beta";
const OWN: Readonly<Partial<Record<Ask["capability"], OwnFormat>>> = {
  images: googleImages,
  embeddings: geminiEmbeddings,
  speech: googleSpeech,
};

export const GEMINI_MODELS: readonly string[] = [
  "gemini-3.7-flash",
  "gemini-3.6-flash",
  "gemini-3.5-flash",
  "gemini-3.5-flash-lite",
  "gemini-3.1-pro-preview",
  "gemini-3-pro-preview",
  "gemini-3-flash-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
  "gemini-2.5-flash-image",
  "imagen-4.0-generate-001",
  "gemini-flash-latest",
  "gemini-pro-latest",
  "gemini-embedding-001",
];

/** Google's Gemini API. `other` may name the API's version. */
export const gemini: Provider = {
  type: 24,
  name: "Google Gemini",
  owner: "google",
  dialects: ["gemini"],
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat", "embeddings", "images", "speech"],
  ownFormat: ({ capability }) => OWN[capability] ?? null,
  keyHint: "AIza…",
  models: [...GEMINI_MODELS, "gemini-embedding-2", "gemini-2.5-flash-preview-tts"],
  url: (channel, { capability, model, stream, apiVersion }) => {
    const method = capability === "embeddings" ? "batchEmbedContents" : geminiMethod(model, stream);
    return `${rootOf(channel, apiVersion)}/models/${encodeURIComponent(model)}:${method}`;
  },
  tokenCount: () => ({
    url: (channel, { model, apiVersion }) =>
      `${rootOf(channel, apiVersion)}/models/${encodeURIComponent(model)}:countTokens`,
    encode: encodeGeminiCount,
    decode: decodeGeminiCount,
  }),
  modelListUrl: (channel) => `${rootOf(channel)}/models?pageSize=1000`,
  readModelList: (answer) =>
    recordsOf(recordOf(answer)?.models).flatMap(({ name }) => textOf(name)?.replace(/^models\//, "") ?? []),
  authHeaders: (_channel, key) => ({ "x-goog-api-key": key }),
  streamUsage: true,
  combinesTools: true,
  inlineMedia: true,
};

/** The method of a call, streams as server-sent events. */
export function geminiMethod(model: string, stream: boolean): string {
  if (isImagen(model)) return "predict";
  return stream ? "streamGenerateContent?alt=sse" : "generateContent";
}

const rootOf = ({ baseUrl, other }: ProviderChannel, version?: string): string =>
  `${(baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "")}/${version || other || DEFAULT_VERSION}`;
