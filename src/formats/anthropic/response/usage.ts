import type { Processing, Usage } from "../../conversation/reply.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../json.ts";

/**
 * Reads usage. Anthropic counts cached and cache-written tokens in addition to `input_tokens`; here they are part of
 * the prompt.
 */
export function readUsage(value: unknown, before: Usage | null = null): Usage | null {
  const usage = recordOf(value);
  if (!usage) return before;
  const input = countOf(usage.input_tokens);
  const own = countOf(usage.cache_read_input_tokens);
  // Kimi's Messages API has the cached tokens of its chats, which are part of its input.
  const kimi = own ? null : countOf(usage.cached_tokens);
  const read = kimi ?? own;
  const written = countOf(usage.cache_creation_input_tokens) ?? sumOf(recordOf(usage.cache_creation));
  const cachedTokens = read ?? before?.cachedTokens ?? 0;
  const cacheCreationTokens = written ?? before?.cacheCreationTokens ?? 0;
  const long =
    countOf(recordOf(usage.cache_creation)?.ephemeral_1h_input_tokens) ?? before?.longCacheCreationTokens ?? 0;
  const known = before ? before.promptTokens - before.cachedTokens - before.cacheCreationTokens : 0;
  // A final event that reports 0 input tokens does not overwrite the count of the first event.
  const stated = input !== null && kimi !== null && kimi <= input ? input - kimi : input;
  const plain = stated === null || (input === 0 && known > 0) ? known : stated;
  const searches = countOf(recordOf(usage.server_tool_use)?.web_search_requests);
  const toolCalls = searches === null ? before?.toolCalls : { web_search: searches };
  return {
    ...(toolCalls && { toolCalls }),
    promptTokens: plain + cachedTokens + cacheCreationTokens,
    completionTokens: countOf(usage.output_tokens) ?? before?.completionTokens ?? 0,
    cachedTokens,
    cacheCreationTokens,
    ...(long > 0 && { longCacheCreationTokens: Math.min(long, cacheCreationTokens) }),
    reasoningTokens: countOf(recordOf(usage.output_tokens_details)?.thinking_tokens) ?? before?.reasoningTokens ?? 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
  };
}

function sumOf(creation: JsonObject | null): number | null {
  if (!creation) return null;
  return (countOf(creation.ephemeral_5m_input_tokens) ?? 0) + (countOf(creation.ephemeral_1h_input_tokens) ?? 0);
}

/** Service tiers of responses in Anthropic's and OpenAI's terms. */
const TIERS: readonly (readonly [own: string, neutral: string])[] = [
  ["standard", "default"],
  ["priority", "priority"],
  ["priority", "fast"],
  ["batch", "batch"],
];

/** How the usage says that the message was served: the service tier in OpenAI's terms, where it has one. */
export function readTier(value: unknown): Processing {
  const usage = recordOf(value);
  const tier = textOf(usage?.service_tier);
  const speed = textOf(usage?.speed);
  const inferenceGeo = textOf(usage?.inference_geo);
  if (tier === null && speed === null && inferenceGeo === null) return NOTHING;
  return {
    ...(tier !== null && { serviceTier: TIERS.find(([own]) => own === tier)?.[1] ?? tier }),
    ...(speed !== null && { speed }),
    ...(inferenceGeo !== null && { inferenceGeo }),
  };
}

const NOTHING: Processing = {};

/**
 * Usage in Anthropic's shape. `serviceTier` is in OpenAI's terms; `searches`: web searches that the usage does not
 * report.
 */
export const usageObject = (
  usage: Usage,
  serviceTier: string | null = null,
  searches = 0,
  { speed, inferenceGeo }: Processing = NOTHING,
): JsonObject => ({
  input_tokens: Math.max(0, usage.promptTokens - usage.cachedTokens - usage.cacheCreationTokens),
  cache_creation_input_tokens: usage.cacheCreationTokens,
  ...(usage.longCacheCreationTokens && {
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheCreationTokens - usage.longCacheCreationTokens,
      ephemeral_1h_input_tokens: usage.longCacheCreationTokens,
    },
  }),
  cache_read_input_tokens: usage.cachedTokens,
  output_tokens: usage.completionTokens,
  ...(usage.reasoningTokens > 0 && { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  ...searchesMember(usage.toolCalls?.web_search ?? searches),
  ...tierMember(TIERS.find(([, neutral]) => neutral === serviceTier)?.[0]),
  ...(speed !== undefined && { speed }),
  ...(inferenceGeo !== undefined && { inference_geo: inferenceGeo }),
});

const searchesMember = (searches: number) =>
  searches > 0 ? { server_tool_use: { web_search_requests: searches } } : {};

const tierMember = (tier: string | undefined) => (tier === undefined ? {} : { service_tier: tier });
