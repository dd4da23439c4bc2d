import { ANTHROPIC_TIERS } from "../../formats/anthropic/request/encode-request.ts";
import { decodeAnthropicCount, encodeAnthropicCount } from "../../formats/anthropic/token-count.ts";
import { readOpenAiModelList } from "../../formats/openai-chat/model-list.ts";
import { resolveBase } from "../contract/base-address.ts";
import { chatApi } from "../contract/chat.ts";
import type { Provider, ProviderChannel } from "../contract/provider.ts";

const DEFAULT_BASE_URL = "https://api.anthropic.com";
const API_VERSION = "2023-06-01";

const OWN_HOST = /^https:\/\/[a-z0-9.-]*\banthropic\.com(\/|$)/;

export const CLAUDE_MODELS: readonly string[] = [
  "claude-fable-5-1",
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-opus-5",
  "claude-sonnet-5",
  "claude-fable-5",
  "claude-opus-4-8",
  "claude-opus-4-7",
  "claude-opus-4-6",
  "claude-sonnet-4-6",
  "claude-opus-4-5-20251101",
  "claude-sonnet-4-5-20250929",
  "claude-haiku-4-5-20251001",
];

/** Anthropic's own API. */
export const anthropic: Provider = {
  type: 14,
  name: "Anthropic Claude",
  owner: "anthropic",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "sk-ant-…",
  models: CLAUDE_MODELS,
  url: messagesUrl,
  modelList: {
    url: (channel) => `${rootOf(channel.baseUrl)}/models?limit=1000`,
    read: readOpenAiModelList,
  },
  authHeaders: (_channel, key) => ({ "x-api-key": key, "anthropic-version": API_VERSION }),
  // Anthropic also responds with 400 to accounts without credit, and to content that its filters reject.
  retryableStatuses: [400],
  facts: {
    documented: {
      source: "https://platform.claude.com/docs/en/api/versioning",
      version: "2026-10-21",
      day: "2026-11-29",
    },
    tiers: ANTHROPIC_TIERS,
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching
    chat: { topMark: true },
    // https://platform.claude.com/docs/en/api/errors
    errors: {
      no_credit: [{ status: 400, message: /^your credit balance is too low/i }, { type: "billing_error" }],
    },
  },
  chat: chatApi({
    formats: ["anthropic"],
    clientHeaders: ["anthropic-version", "anthropic-beta"],
    keepsState: ({ baseUrl }, isDeclared) => isDeclared ?? (baseUrl === "" || OWN_HOST.test(baseUrl)),
    runsMcp: ({ baseUrl }, _format, isDeclared) => isDeclared ?? (baseUrl === "" || OWN_HOST.test(baseUrl)),
    tokenCount: () => ({
      url: (channel) => `${messagesUrl(channel)}/count_tokens`,
      encode: encodeAnthropicCount,
      decode: decodeAnthropicCount,
    }),
  }),
};

function messagesUrl({ baseUrl }: ProviderChannel): string {
  return `${rootOf(baseUrl)}/messages`;
}

const ADDRESSES = { fallback: DEFAULT_BASE_URL, root: "/v1" };
const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).api;
