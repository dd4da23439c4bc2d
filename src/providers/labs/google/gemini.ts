import { GEMINI_TIERS } from "../../../formats/gemini/request/encode-request.ts";
import { INTERACTIONS } from "../../../formats/gemini-interactions/steps.ts";
import { countOf, type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { isUnknownEndpoint } from "../../../formats/openai-chat/errors.ts";
import { readNamesIn } from "../../../formats/openai-chat/model-list.ts";
import { resolveBase } from "../../contract/base-address.ts";
import { chatApi, type NativeFormat } from "../../contract/chat.ts";
import type { CallParams, Provider, ProviderChannel } from "../../contract/provider.ts";
import { geminiEmbeddings } from "./embeddings.ts";
import { googleImages, isImagen } from "./images.ts";
import { googleSongs, isPredictedSong } from "./songs.ts";
import { googleSpeech } from "./speech.ts";
import { veoVideos } from "./videos.ts";

/** The body of Gemini's countTokens, which wraps the complete request: https://ai.google.dev/api/tokens */
const encodeGeminiCount = (chat: JsonObject, { model }: CallParams): JsonObject => ({
  generateContentRequest: { ...chat, model: `models/${model}` },
});

const VERTEX_MEMBERS: ReadonlySet<string> = new Set([
  "contents",
  "systemInstruction",
  "system_instruction",
  "tools",
  "generationConfig",
  "generation_config",
]);

/** The body of Vertex AI's countTokens, which takes only these members of a request, unwrapped. */
export const encodeVertexCount = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([name]) => VERTEX_MEMBERS.has(name)));

/** Tokens of the prompt in a response of countTokens; null: it is invalid. */
export const decodeGeminiCount = ({ totalTokens }: JsonObject): number | null => countOf(totalTokens);

export const GEMINI_BASE_URL = "https://generativelanguage.googleapis.com";
const DEFAULT_VERSION = "v1beta";
const OWN: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  images: googleImages,
  embeddings: geminiEmbeddings,
  speech: googleSpeech,
  songs: googleSongs,
};

export const GEMINI_MODELS: readonly string[] = [
  "gemini-3.8-flash",
  "gemini-3.7-flash",
  "gemini-3.6-flash",
  "gemini-3.5-flash",
  "gemini-3.5-flash-lite",
  "gemini-3.1-pro-preview",
  "gemini-3-flash-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
  "gemini-3.1-flash-image",
  "gemini-3-pro-image",
  "gemini-flash-latest",
  "gemini-pro-latest",
  "gemini-embedding-001",
];

const { tasks, videos } = veoVideos({
  orderUrl: (channel, { model }) => `${rootOf(channel)}/models/${encodeURIComponent(model)}:predictLongRunning`,
  poll: (channel, name) => ({ method: "GET", url: `${rootOf(channel)}/${encodePath(name)}`, body: "" }),
  finished(response) {
    const filtered = recordOf(response.generateVideoResponse) ?? {};
    const videos = recordsOf(filtered.generatedSamples).map(({ video }) => ({ uri: textOf(recordOf(video)?.uri) }));
    return { videos, filtered };
  },
  source(channel, _name, { uri }) {
    // The file's name alone: the key goes to the channel's address only.
    const [, file] = /\/files\/([\w-]+)/.exec(textOf(uri) ?? "") ?? [];
    const url = `${rootOf(channel)}/files/${file}:download?alt=media`;
    return file ? { request: { method: "GET", url, body: "" }, read: null } : null;
  },
  answersWithMedia: false,
  parameters: [],
});

/** Google's Gemini API. `other` may be an API version. */
export const gemini: Provider = {
  type: 24,
  name: "Google Gemini",
  owner: "google",
  defaultBaseUrl: GEMINI_BASE_URL,
  capabilities: ["chat", "embeddings", "images", "speech", "songs", "video", "live"],
  nativeFormat: ({ capability }) => OWN[capability] ?? null,
  embedsMedia: true,
  keyHint: "AIza…",
  models: [
    ...GEMINI_MODELS,
    "gemini-embedding-2",
    "gemini-2.5-flash-preview-tts",
    "lyria-3.5",
    "lyria-3-clip-preview",
    "veo-3.1-generate-preview",
    "veo-3.1-fast-generate-preview",
    "veo-3.1-lite-generate-preview",
  ],
  url: (channel, { capability, dialect, model, stream, apiVersion, key = "" }) => {
    // The key is part of the URL, as in Google's clients.
    if (capability === "live") return `${liveUrl(channel)}?key=${encodeURIComponent(key)}`;
    if (dialect === INTERACTIONS) return `${rootOf(channel)}/interactions`;
    const method = capability === "embeddings" ? "batchEmbedContents" : geminiMethod(model, stream);
    return `${rootOf(channel, apiVersion)}/models/${encodeURIComponent(model)}:${method}`;
  },
  modelList: {
    url: (channel) => `${rootOf(channel)}/models?pageSize=1000`,
    read: (response) => readNamesIn("models")(response).map((name) => name.replace(/^models\//, "")),
  },
  authHeaders: (_channel, key) => ({ "x-goog-api-key": key }),
  // Proxies of Gemini's API often have `generateContent` alone.
  onRejected: ({ status, error, params }) =>
    params.dialect === INTERACTIONS && isUnknownEndpoint(status, error) ? "interactions" : null,
  facts: {
    documented: { source: "https://ai.google.dev/api", version: "v1beta", day: "2026-11-29" },
    tiers: GEMINI_TIERS,
    chat: { hostedToolsWithFunctions: true, inlineMediaOnly: true },
  },
  chat: chatApi({
    formats: ["gemini", INTERACTIONS],
    // Which revision of the Interactions API the client speaks.
    clientHeaders: ["api-revision"],
    tokenCount: () => ({
      url: (channel, { model, apiVersion }) =>
        `${rootOf(channel, apiVersion)}/models/${encodeURIComponent(model)}:countTokens`,
      encode: encodeGeminiCount,
      decode: decodeGeminiCount,
    }),
  }),
  tasks,
  videos,
};

/** The method of a call; streams are server-sent events. */
export function geminiMethod(model: string, stream: boolean): string {
  if (isImagen(model) || isPredictedSong(model)) return "predict";
  return stream ? "streamGenerateContent?alt=sse" : "generateContent";
}

/** The service of the Live API, https://ai.google.dev/api/live. */
const liveUrl = ({ baseUrl, other }: ProviderChannel): string => {
  const { service, version } = addressOf(baseUrl);
  return `${service}/ws/google.ai.generativelanguage.${other || version}.GenerativeService.BidiGenerateContent`;
};

const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

function rootOf({ baseUrl, other }: ProviderChannel, requested?: string): string {
  const { service, version } = addressOf(baseUrl);
  return `${service}/${requested || other || version}`;
}

/** A version, with what Google's pages print after it: the compatible API, a model with its method. */
const VERSION = /\/(v\d\w*)(\/openai|\/models(\/.*)?|\/interactions)?$/;

const ADDRESSES = { fallback: GEMINI_BASE_URL, root: "" };

/** The address without a version, and the version that it names. */
export function addressOf(baseUrl: string): Readonly<{ service: string; version: string }> {
  const { api } = resolveBase(baseUrl, ADDRESSES);
  const [, version = DEFAULT_VERSION] = VERSION.exec(api) ?? [];
  return { service: api.replace(VERSION, ""), version };
}
