import type { JsonObject } from "../../formats/json.ts";
import {
  type Adaptation,
  type Ask,
  EVERY_CAPABILITY,
  OPENAI_PATHS,
  openaiPath,
  type Provider,
  type ProviderChannel,
} from "../contract/provider.ts";
import { OPENAI_MODELS } from "../labs/openai/models.ts";
import { adaptForOpenai, onlyDialectOf } from "../labs/openai/reasoning-models.ts";

const DEFAULT_VERSION = "2024-12-01-preview";
const RESPONSES_VERSION = "2025-03-01-preview";

/**
 * Azure OpenAI. `other` is the api-version of clients that name none; `v1` there, or an address that ends in `/openai/v1`, is the surface without
 * versions, on which the deployment is named in the body.
 */
export const azure: Provider = {
  type: 3,
  name: "Azure OpenAI",
  owner: "azure",
  dialects: ["openai-chat", "openai-responses"],
  defaultBaseUrl: null,
  capabilities: EVERY_CAPABILITY.filter((capability) => capability !== "rerank" && capability !== "moderations"),
  keyHint: "api-key",
  models: OPENAI_MODELS,
  url(channel, ask) {
    const base = baseOf(channel);
    if (isVersionless(channel)) return `${base}/openai/v1${openaiPath(ask)}`;
    const version = encodeURIComponent(ask.askedVersion || channel.other || DEFAULT_VERSION);
    if (ask.dialect === "openai-responses") {
      return `${base}/openai/responses?api-version=${version < RESPONSES_VERSION ? RESPONSES_VERSION : version}`;
    }
    if (ask.capability === "realtime") {
      return `${base}/openai/realtime?deployment=${encodeURIComponent(ask.model)}&api-version=${version}`;
    }
    return `${base}/openai/deployments/${encodeURIComponent(ask.model)}${OPENAI_PATHS[ask.capability]}?api-version=${version}`;
  },
  objects: {
    url(channel, path) {
      const base = baseOf(channel);
      if (isVersionless(channel)) return `${base}/openai/v1${path}`;
      return `${base}/openai${path}${path.includes("?") ? "&" : "?"}api-version=${channel.other || DEFAULT_VERSION}`;
    },
  },
  modelListUrl(channel) {
    const base = baseOf(channel);
    return isVersionless(channel)
      ? `${base}/openai/v1/models`
      : `${base}/openai/models?api-version=${channel.other || DEFAULT_VERSION}`;
  },
  authHeaders: (_channel, key) => ({ "api-key": key }),
  adapt: adaptDeployment,
  // Deployments may have names of their own: then the name that was asked for tells.
  dialectOf: (deployment, _key, asked = deployment) => onlyDialectOf(deployment) ?? onlyDialectOf(asked),
  streamUsage: true,
  customTools: true,
};

/** Names by which OpenAI's own models are known. */
const IS_MODEL = /^(gpt|chatgpt|o\d|codex|computer-use|text)-/;

/** A deployment whose name tells nothing is taken for the model that was asked for. */
function adaptDeployment(body: JsonObject, ask: Ask): Adaptation | null {
  const { model: deployment, requestedModel = deployment } = ask;
  if (requestedModel === deployment || IS_MODEL.test(`${deployment}-`)) return adaptForOpenai(body, ask);
  const adapted = adaptForOpenai(body, { ...ask, model: requestedModel });
  return adapted && { ...adapted, model: deployment };
}

const baseOf = ({ baseUrl }: ProviderChannel): string => baseUrl.replace(/\/+$/, "").replace(/\/openai(\/v1)?$/, "");

const isVersionless = ({ baseUrl, other }: ProviderChannel): boolean =>
  other === "v1" || /\/openai\/v1\/*$/.test(baseUrl);
