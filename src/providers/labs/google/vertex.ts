import { decodeAnthropicCount, encodeAnthropicCount } from "../../../formats/anthropic/token-count.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import { GEMINI_TIERS } from "../../../formats/gemini/request/encode-request.ts";
import { parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import {
  accessTokenForm,
  type ServiceAccount,
  serviceAccountOf,
  TOKEN_LIFE_SECONDS,
} from "../../../lib/security/service-account.ts";
import { createTokenCache } from "../../../lib/security/token-cache.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi, type NativeFormat, type TokenCount } from "../../contract/chat.ts";
import type { ServiceRegions } from "../../contract/facts.ts";
import type { CallParams, Provider, ProviderChannel, SigningTools } from "../../contract/provider.ts";
import type { TaskRequest } from "../../contract/tasks.ts";
import { TokenRefused } from "../../contract/token-refused.ts";
import { cloudBetas, cloudMembers, onBetasRejected } from "../../shared/hosted-claude.ts";
import { CLAUDE_MODELS } from "../anthropic.ts";
import { decodeGeminiCount, encodeVertexCount, GEMINI_MODELS, geminiMethod } from "./gemini.ts";
import { googleImages } from "./images.ts";
import { googleSongs } from "./songs.ts";
import { googleSpeech } from "./speech.ts";
import { vertexEmbeddingMethod, vertexEmbeddings } from "./vertex-embeddings.ts";
import { partnerModelOf, partnerPath, prepareForPartner } from "./vertex-partners.ts";
import { veoVideos } from "./videos.ts";

/** Renew a token that expires within this time. */
const RENEW_BEFORE_SECONDS = 300;

const tokens = createTokenCache(RENEW_BEFORE_SECONDS);

const nameOf = ({ clientEmail, privateKeyId, tokenUri }: ServiceAccount): string =>
  `${clientEmail}\n${privateKeyId}\n${tokenUri}`;

/**
 * A short-lived access token of a service account, requested with a signed assertion (RFC 7523). It is cached until
 * shortly before its end, and concurrent calls share one request. Rejects with Google's error.
 */
const accessToken = (account: ServiceAccount, tools: SigningTools): Promise<string> =>
  tokens.get(nameOf(account), () => askToken(account, tools));

/** Removes the account's token from the cache. Returns whether a new one may help. */
const forgetAccessToken = (account: ServiceAccount): boolean => tokens.forget(nameOf(account));

async function askToken(account: ServiceAccount, { post, nowSeconds }: SigningTools) {
  const { status, text } = await post(
    account.tokenUri,
    { "content-type": "application/x-www-form-urlencoded" },
    await accessTokenForm(account, nowSeconds()),
  );
  const answer = recordOf(parseJson(text));
  const token = textOf(answer?.access_token);
  if (status !== 200 || token === null) {
    throw new TokenRefused(status, textOf(answer?.error_description) ?? textOf(answer?.error));
  }
  return { text: token, lifeSeconds: typeof answer?.expires_in === "number" ? answer.expires_in : TOKEN_LIFE_SECONDS };
}

const DEFAULT_REGION = "global";

/** `us` and `eu` are multi-regions: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/data-residency */
const REGIONS: ServiceRegions = {
  place: "other",
  names: [
    ...[DEFAULT_REGION, "us", "eu"],
    ...["us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west4"],
    ...["northamerica-northeast1", "southamerica-east1"],
    ...["europe-central2", "europe-north1", "europe-southwest1", "europe-west1", "europe-west2", "europe-west3"],
    ...["europe-west4", "europe-west6", "europe-west8", "europe-west9"],
    ...["asia-east1", "asia-east2", "asia-northeast1", "asia-northeast3", "asia-south1", "asia-southeast1"],
    ...["australia-southeast1", "me-central1", "me-central2", "me-west1"],
  ],
  source: "https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations",
  day: "2026-11-29",
};
const OWN: Readonly<Partial<Record<CallParams["capability"], NativeFormat>>> = {
  images: googleImages,
  speech: googleSpeech,
  songs: googleSongs,
};

/** The region of a model: `other` is one name, or a JSON map from model to region with a `default`. */
function regionOf(other: string, model: string): string {
  const map = recordOf(parseJson(other));
  if (map) return textOf(map[model]) ?? textOf(map.default) ?? DEFAULT_REGION;
  return other.trim() || DEFAULT_REGION;
}

/** Google's pages print the host, with or without a version and the path of a project or model. */
const ADDRESSES: AddressForms = {
  fallback: null,
  root: "",
  printed: [[/\/v\d\w*(\/(projects|publishers)\/.*)?$/, ""]],
};

/** Host by region: `global` and the multi-regions have special names. */
function hostOf({ baseUrl }: ProviderChannel, region: string): string {
  if (baseUrl) return resolveBase(baseUrl, ADDRESSES).api;
  if (region === "global") return "https://aiplatform.googleapis.com";
  if (region === "us" || region === "eu") return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

type LocationParams = Pick<CallParams, "key" | "model" | "requestedModel">;

/** Base URL of a location: under a project, or without one in express mode. */
function locationUrl(channel: ProviderChannel, params: LocationParams): string {
  const { region, path } = locationOf(channel, params);
  return `${hostOf(channel, region)}/v1${path && `/${path}`}`;
}

/** Base URL of all publishers' models. */
const publishersUrl = (channel: ProviderChannel, params: LocationParams): string =>
  `${locationUrl(channel, params)}/publishers`;

/** The region that serves a model, and the resource path of that location in the project; empty in express mode. */
function locationOf(
  channel: ProviderChannel,
  { key = "", model, requestedModel = model }: LocationParams,
): Readonly<{ region: string; path: string }> {
  const account = serviceAccountOf(key);
  if (!account) return { region: DEFAULT_REGION, path: "" };
  const region = regionOf(channel.other, requestedModel);
  return { region, path: `projects/${account.projectId}/locations/${region}` };
}

/** The service of the Live API: https://cloud.google.com/vertex-ai/generative-ai/docs/live-api/get-started-websocket */
const liveUrl = (channel: ProviderChannel, params: CallParams): string =>
  `${hostOf(channel, locationOf(channel, params).region)}/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`;

const DATED = /^(claude-.*)-(\d{8})$/;
/** Vertex writes the date of a Claude model after an `@`. */
const claudeName = (model: string): string => model.replace(DATED, "$1@$2");

/** The URL contains Claude's model. */
const ENVELOPE = { model: undefined, anthropic_version: "vertex-2023-10-16" };

const tokenCount = (format: ChatDialect): TokenCount | null =>
  format === "openai-chat"
    ? null
    : format === "anthropic"
      ? {
          url: (channel, params) => `${publishersUrl(channel, params)}/anthropic/models/count-tokens:rawPredict`,
          encode: (chat, { model }) => ({ ...encodeAnthropicCount(chat), model: claudeName(model) }),
          decode: decodeAnthropicCount,
        }
      : {
          url: (channel, params) => `${publishersUrl(channel, params)}/google/models/${params.model}:countTokens`,
          encode: encodeVertexCount,
          decode: decodeGeminiCount,
        };

/** Asks about an operation: its name is the model's path and a number. */
function pollOperation(channel: ProviderChannel, name: string): TaskRequest {
  const region = /^projects\/[^/]+\/locations\/([^/]+)\//.exec(name)?.[1] ?? DEFAULT_REGION;
  const model = name.replace(/\/operations\/[^/]*$/, "");
  return {
    method: "POST",
    url: `${hostOf(channel, region)}/v1/${model}:fetchPredictOperation`,
    body: JSON.stringify({ operationName: name }),
  };
}

/** Videos come inside the operation; they are read from it again when a client wants one. */
const { tasks, videos } = veoVideos({
  orderUrl: (channel, params) =>
    `${publishersUrl(channel, params)}/google/models/${encodeURIComponent(params.model)}:predictLongRunning`,
  poll: pollOperation,
  finished: (response) => ({
    videos: recordsOf(response.videos).map(({ mimeType }) => ({ mimeType: textOf(mimeType) ?? "video/mp4" })),
    filtered: response,
  }),
  source: (channel, name, { mimeType }) => ({
    request: pollOperation(channel, name),
    read(operation) {
      const [video] = recordsOf(recordOf(recordOf(operation)?.response)?.videos);
      const bytes = textOf(video?.bytesBase64Encoded);
      if (!bytes) return null;
      return { bytes: new Uint8Array(Buffer.from(bytes, "base64")), contentType: textOf(mimeType) ?? "video/mp4" };
    },
  }),
  answersWithMedia: true,
  parameters: ["generateAudio", "compressionQuality", "resizeMode"],
});

/**
 * Google Vertex AI: Gemini, Claude and other makers' models in a service account's project, or with an express-mode API key,
 * Gemini only.
 */
export const vertex: Provider = {
  type: 41,
  name: "Vertex AI",
  owner: "vertex",
  defaultBaseUrl: null,
  baseUrlOptional: true,
  hostFromOther: true,
  capabilities: ["chat", "embeddings", "images", "speech", "songs", "video", "live"],
  nativeFormat: ({ capability, model }) =>
    capability === "embeddings" ? vertexEmbeddings(model) : (OWN[capability] ?? null),
  embedsMedia: true,
  keyHint: '{"type": "service_account", …}',
  models: [
    ...GEMINI_MODELS,
    ...CLAUDE_MODELS,
    "multimodalembedding@001",
    "lyria-002",
    "lyria-3-pro-preview",
    "lyria-3-clip-preview",
  ],
  url(channel, params) {
    const { capability, model, stream } = params;
    if (capability === "live") return liveUrl(channel, params);
    if (params.dialect === "anthropic" && serviceAccountOf(params.key ?? "")) {
      return `${publishersUrl(channel, params)}/anthropic/models/${claudeName(model)}:${stream ? "streamRawPredict" : "rawPredict"}`;
    }
    const partner = params.dialect === "openai-chat" ? partnerModelOf(model) : null;
    if (partner && capability === "chat") return locationUrl(channel, params) + partnerPath(partner, stream);
    const method = capability === "embeddings" ? vertexEmbeddingMethod(model) : geminiMethod(model, stream);
    return `${publishersUrl(channel, params)}/google/models/${model}:${method}`;
  },
  authHeaders: (_channel, key): Record<string, string> => (serviceAccountOf(key) ? {} : { "x-goog-api-key": key }),
  async sign(_request, _channel, key, tools) {
    const account = serviceAccountOf(key);
    return account ? { headers: { authorization: `Bearer ${await accessToken(account, tools)}` } } : {};
  },
  prepare(body, params) {
    const { model, dialect } = params;
    const partner = dialect === "openai-chat" ? partnerModelOf(model) : null;
    if (partner) return prepareForPartner(body, params, partner);
    if (dialect !== "anthropic") return null;
    const { changes, dropped } = cloudMembers("vertex", body, params);
    return { model, changes: { ...ENVELOPE, ...changes }, dropped };
  },
  onRejected(rejection) {
    const account = rejection.status === 401 ? serviceAccountOf(rejection.key) : null;
    return account && forgetAccessToken(account) ? "retry" : onBetasRejected(rejection);
  },
  // Mistral's reasoning is part of the content here, too.
  facts: {
    documented: {
      source: "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference",
      version: "v1",
      day: "2026-11-29",
    },
    addresses: ADDRESSES,
    regions: REGIONS,
    tiers: GEMINI_TIERS,
    chat: { inlineMediaOnly: true, fetchesMedia: true, nonstandardResponses: true },
  },
  chat: chatApi({
    formats: ["gemini", "anthropic", "openai-chat"],
    formatOf: (model) => (model.startsWith("claude") ? "anthropic" : partnerModelOf(model) ? "openai-chat" : "gemini"),
    tokenCount,
    envelope(body, params) {
      if (params.dialect !== "anthropic") return null;
      const { changes, dropped } = cloudBetas("vertex", body, params);
      return { changes: { ...ENVELOPE, ...changes }, dropped };
    },
  }),
  live: {
    modelName(channel, params) {
      const { path } = locationOf(channel, params);
      return `${path && `${path}/`}publishers/google/models/${params.model}`;
    },
    usageNames: { candidatesTokenCount: "responseTokenCount", candidatesTokensDetails: "responseTokensDetails" },
  },
  tasks,
  videos,
};
