import type { JsonObject } from "../../formats/json.ts";
import { readOpenAiModelList } from "../../formats/openai-chat/model-list.ts";
import { type AddressForms, openaiPath, resolveBase } from "../contract/base-address.ts";
import { chatApi } from "../contract/chat.ts";
import {
  type CallParams,
  EVERY_CAPABILITY,
  OPENAI_PATHS,
  type Preparation,
  type Provider,
  type ProviderChannel,
} from "../contract/provider.ts";
import { OPENAI_MODELS } from "../labs/openai/models.ts";
import { onlyFormatOf, prepareForOpenAi, searchesInResponses } from "../labs/openai/reasoning-models.ts";
import { onResponsesRejected } from "../shared/fit-request.ts";

const DEFAULT_VERSION = "2024-12-01-preview";
const RESPONSES_VERSION = "2025-03-01-preview";

/**
 * Azure OpenAI. `other` is the api-version for clients that send none. With `v1` there, or a base URL that ends in
 * `/openai/v1`, the API has no versions and the body names the deployment.
 */
export const azure: Provider = {
  type: 3,
  name: "Azure OpenAI",
  owner: "azure",
  defaultBaseUrl: null,
  capabilities: EVERY_CAPABILITY.filter((capability) => !["rerank", "moderations", "songs"].includes(capability)),
  keyHint: "api-key",
  models: OPENAI_MODELS,
  url(channel, params) {
    const base = baseOf(channel);
    if (isVersionless(channel)) return `${base}/openai/v1${openaiPath(params)}`;
    const version = encodeURIComponent(params.requestedVersion || versionOf(channel));
    if (params.dialect === "openai-responses") {
      return `${base}/openai${openaiPath(params)}?api-version=${version < RESPONSES_VERSION ? RESPONSES_VERSION : version}`;
    }
    if (params.capability === "realtime") {
      return `${base}/openai/realtime?deployment=${encodeURIComponent(params.model)}&api-version=${version}`;
    }
    return `${base}/openai/deployments/${encodeURIComponent(params.model)}${OPENAI_PATHS[params.capability]}?api-version=${version}`;
  },
  files: {
    collections: (channel) => (isVersionless(channel) ? "offered" : "unknown"),
    url(channel, path) {
      const base = baseOf(channel);
      if (isVersionless(channel)) return `${base}/openai/v1${path}`;
      return `${base}/openai${path}${path.includes("?") ? "&" : "?"}api-version=${versionOf(channel)}`;
    },
  },
  modelList: {
    url(channel) {
      const base = baseOf(channel);
      if (isVersionless(channel)) return `${base}/openai/v1/models`;
      return `${base}/openai/models?api-version=${versionOf(channel)}`;
    },
    read: readOpenAiModelList,
  },
  authHeaders: (_channel, key) => ({ "api-key": key }),
  prepare: prepareDeployment,
  onRejected: onResponsesRejected,
  facts: {
    documented: {
      source: "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
      version: "v1",
      day: "2026-11-29",
    },
    chat: { customTools: true, compaction: true, cacheBreakpoints: true },
  },
  chat: chatApi({
    formats: ["openai-chat", "openai-responses"],
    // If the deployment's name does not reveal the model, the requested name does.
    formatOf: (deployment, key, requested = deployment, catalog) =>
      onlyFormatOf(deployment, key, deployment, catalog) ?? onlyFormatOf(requested, key, requested, catalog),
    searchesInResponses,
    // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
    runsMcp: (_channel, format, isDeclared) => format === "openai-responses" && isDeclared !== false,
  }),
};

/** Names of OpenAI's models. */
const IS_MODEL = /^(gpt|chatgpt|o\d|codex|computer-use|text)-/;

/** A deployment whose name does not reveal its model is treated as the requested model. */
function prepareDeployment(body: JsonObject, params: CallParams): Preparation | null {
  const { model: deployment, requestedModel = deployment } = params;
  if (requestedModel === deployment || IS_MODEL.test(`${deployment}-`)) return prepareForOpenAi(body, params);
  const prepared = prepareForOpenAi(body, { ...params, model: requestedModel });
  return prepared && { ...prepared, model: deployment };
}

/** Azure's pages print the resource, a deployment's URL, the versionless API and Foundry's `/models`: all are one resource. */
const ADDRESSES: AddressForms = {
  fallback: null,
  root: "/openai/v1",
  printed: [[/(\/openai(\/deployments(\/.*)?)?|\/models|\/api\/projects\/[^/]+)$/, "/openai/v1"]],
};

/** The resource. */
const baseOf = ({ baseUrl }: ProviderChannel): string => resolveBase(baseUrl, ADDRESSES).service;

const isVersionless = ({ baseUrl, other }: ProviderChannel): boolean =>
  other === "v1" || /\/openai\/v1([/?]|$)/.test(baseUrl);

/** The api-version where the client names none: the channel's, that of a pasted URL, the default. */
const versionOf = ({ baseUrl, other }: ProviderChannel): string =>
  other || (/[?&]api-version=([\w-]+)/.exec(baseUrl)?.[1] ?? DEFAULT_VERSION);
