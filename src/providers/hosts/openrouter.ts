import { shippedCatalog } from "../../catalog/shipped.ts";
import { type JsonObject, numberOf, recordOf, recordsOf } from "../../formats/json.ts";
import type { CallParams } from "../contract/provider.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

const requestsPlugin = (plugins: unknown): boolean => recordsOf(plugins).some(({ id }) => id === "web");

/** OpenRouter searches the web for any model with a plugin (https://openrouter.ai/docs/features/web-search). */
function webPlugin({ plugins }: JsonObject, { model, catalog = shippedCatalog }: CallParams): JsonObject {
  const searches = model.endsWith(":online") || catalog.find(model).built_in_search;
  if (searches || requestsPlugin(plugins)) return {};
  return { plugins: [...recordsOf(plugins), { id: "web" }] };
}

/**
 * `/key` reports what is left of the key's own limit. A key without a limit spends the account's credits, which
 * `/credits` reports to management keys only; other keys get zeros.
 */
const balance = {
  path: "/v1/key",
  fallbackPath: "/v1/credits",
  read(answer: unknown) {
    const data = recordOf(recordOf(answer)?.data);
    const remaining = numberOf(data?.limit_remaining);
    if (remaining !== null) return remaining;
    const credits = numberOf(data?.total_credits);
    return credits ? credits - Number(data?.total_usage) : null;
  },
};

/** OpenRouter, which also knows Anthropic's prompt cache markers. */
export const openRouter = openAiCompatible({
  type: 20,
  name: "OpenRouter",
  owner: "openrouter",
  baseUrl: "https://openrouter.ai/api",
  capabilities: ["chat", "completions", "embeddings", "rerank"],
  keyHint: "sk-or-…",
  headers: { "http-referer": "https://github.com/sluice", "x-title": "Sluice" },
  facts: {
    // https://openrouter.ai/docs/use-cases/reasoning-tokens
    chat: {
      cacheMarks: true,
      reasoningName: "reasoning",
      reasoning: [
        {
          on: { reasoning: { enabled: true } },
          off: { reasoning: { enabled: false } },
          effort: { path: ["reasoning", "effort"] },
          budget: ["reasoning", "max_tokens"],
          accepts: ["reasoning_effort"],
        },
      ],
    },
    requests: {
      search: {
        fields: webPlugin,
        supports: ["search_context_size", "user_location"],
        isRequestedBy: ({ plugins }, model) => requestsPlugin(plugins) || model.endsWith(":online"),
        pricedAs: () => "openrouter_search",
      },
    },
    // https://openrouter.ai/docs/api-reference/errors
    errors: { no_credit: [{ status: 403, message: /^key limit exceeded/i }] },
  },
  balance,
  models: [
    "openai/gpt-5.4",
    "anthropic/claude-sonnet-5",
    "google/gemini-3.6-flash",
    "deepseek/deepseek-v3.2",
    "meta-llama/llama-3.3-70b-instruct",
  ],
});
