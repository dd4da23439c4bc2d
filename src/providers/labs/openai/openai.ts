import { EVERY_CAPABILITY, openaiPath, type Provider, type ProviderChannel } from "../../contract/provider.ts";
import { OPENAI_MODELS } from "./models.ts";
import { adaptForOpenai, onlyDialectOf } from "./reasoning-models.ts";
import { openaiVideos } from "./videos.ts";

const DEFAULT_BASE_URL = "https://api.openai.com";
const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com";

/** OpenAI, and every service that speaks its API under an address of its own. */
export const openai: Provider = {
  type: 1,
  name: "OpenAI",
  owner: "openai",
  dialects: ["openai-chat", "openai-responses"],
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: [...EVERY_CAPABILITY, "video"],
  keyHint: "sk-…",
  models: OPENAI_MODELS,
  url: (channel, ask) => versionedBase(channel) + openaiPath(ask),
  objects: { url: (channel, path) => versionedBase(channel) + path },
  modelListUrl: (channel) => `${versionedBase(channel)}/models`,
  authHeaders({ openaiOrganization }, key) {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (openaiOrganization) headers["openai-organization"] = openaiOrganization;
    return headers;
  },
  adapt: adaptForOpenai,
  dialectOf: onlyDialectOf,
  streamUsage: true,
  customTools: true,
  ...openaiVideos(versionedBase),
};

/** The address with its `/v1`, which operators give with and without; Cloudflare's gateway has none. */
function versionedBase(channel: ProviderChannel): string {
  const base = (channel.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "");
  return base.startsWith(CLOUDFLARE_GATEWAY) || base.endsWith("/v1") ? base : `${base}/v1`;
}
