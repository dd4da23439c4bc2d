import type { MediaUnits, ToolCalls, Usage } from "../../conversation/reply.ts";
import { countOf, type JsonObject, parseJson, recordOf } from "../../json.ts";

/**
 * Reads the usage object of an OpenAI-shaped response; null if it has no number of prompt tokens. The prompt includes
 * cached and cache-written tokens, the completion reasoning and audio. Also reads the names of compatible services:
 * DeepSeek's prompt_cache_hit_tokens, Moonshot's cached_tokens, Mistral's num_cached_tokens.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = recordOf(value);
  const promptTokens = countOf(usage?.prompt_tokens) ?? countOf(usage?.input_tokens);
  if (!usage || promptTokens === null || (promptTokens === 1 && isPlaceholder(usage))) return null;
  const prompt = recordOf(usage.prompt_tokens_details) ?? recordOf(usage.input_tokens_details);
  const completion = recordOf(usage.completion_tokens_details) ?? recordOf(usage.output_tokens_details);
  const total = countOf(usage.total_tokens);
  const reasoningTokens = countOf(completion?.reasoning_tokens) ?? 0;
  const reportedTokens = countOf(usage.completion_tokens) ?? countOf(usage.output_tokens);
  const rest = Math.max(0, (total ?? promptTokens) - promptTokens);
  // xAI's total includes reasoning tokens that its completion tokens exclude.
  const isExcluded = reportedTokens !== null && reasoningTokens > 0 && rest === reportedTokens + reasoningTokens;
  const completionTokens = reportedTokens === null || isExcluded ? rest : reportedTokens;
  const media = usage.media === undefined ? null : mediaUsage(usage.media);
  const read: Usage = {
    promptTokens,
    completionTokens,
    cachedTokens:
      countOf(prompt?.cached_tokens) ??
      countOf(usage.prompt_cache_hit_tokens) ??
      countOf(usage.cached_tokens) ??
      countOf(usage.num_cached_tokens) ??
      0,
    ...(prompt ? cacheWrites(prompt) : NO_WRITES),
    reasoningTokens,
    audioInputTokens: countOf(prompt?.audio_tokens) ?? 0,
    audioOutputTokens: countOf(completion?.audio_tokens) ?? 0,
  };
  const reportsSearch =
    usage.server_tool_use ?? usage.citation_tokens ?? usage.search_context_size ?? prompt?.search_tokens;
  const toolCalls = reportsSearch == null ? null : searchUsage(usage, prompt);
  if (toolCalls) read.toolCalls = toolCalls;
  if (media) read.media = media;
  return prompt || completion ? Object.assign(read, imageTokens(prompt, completion)) : read;
}

const NO_WRITES = { cacheCreationTokens: 0 } as const;

/** Cache writes in the names of OpenAI and OpenRouter, LiteLLM, and DashScope; the latter two tell lifetimes apart. */
function cacheWrites(prompt: JsonObject): Pick<Usage, "cacheCreationTokens" | "longCacheCreationTokens"> {
  const written =
    countOf(prompt.cache_write_tokens) ??
    countOf(prompt.cache_creation_tokens) ??
    countOf(prompt.cache_creation_input_tokens);
  const lifetimes = recordOf(prompt.cache_creation_token_details) ?? recordOf(prompt.cache_creation);
  const long = countOf(lifetimes?.ephemeral_1h_input_tokens) ?? 0;
  return { cacheCreationTokens: written ?? 0, ...(long > 0 && { longCacheCreationTokens: long }) };
}

/**
 * The usage in a response or stream chunk; null if none. Groq's streams up to 2025 have it only in `x_groq`
 * (https://console.groq.com/docs/api-reference#chat-create).
 */
export const usageIn = (answer: JsonObject | null): Usage | null =>
  answer && (readUsage(answer.usage) ?? readUsage(recordOf(answer.x_groq)?.usage));

const USAGE_MEMBER = Buffer.from('"usage"');
const MAX_USAGE_BYTES = 2_048;
const [COLON, OPEN_BRACE, CLOSE_BRACE] = [58, 123, 125];

/**
 * The usage of a complete response: parses its last usage object and not the rest, which may contain long embeddings. Assumes
 * no braces in the object's strings: where it is no JSON then, or is cut off, the whole response is parsed.
 */
export function usageInBytes(body: Buffer): Usage | null {
  const key = body.lastIndexOf(USAGE_MEMBER);
  if (key < 0) return null;
  let start = key + USAGE_MEMBER.length;
  const end = Math.min(body.length, start + MAX_USAGE_BYTES);
  while (start < end && (body[start] === COLON || (body[start] ?? 0) <= 32)) start += 1;
  let open = 0;
  for (let at = start; at < end && body[start] === OPEN_BRACE; at += 1) {
    if (body[at] === OPEN_BRACE) open += 1;
    else if (body[at] === CLOSE_BRACE) open -= 1;
    if (open > 0) continue;
    const usage = readUsage(parseJson(body.toString("utf8", start, at + 1)));
    if (usage) return usage;
    break;
  }
  return usageIn(recordOf(parseJson(body.toString("utf8"))));
}

/** FastGPT reports 1 prompt, 1 completion and 1 total token for any call: no real sum looks like that. */
export const isPlaceholder = ({ prompt_tokens, completion_tokens, total_tokens }: JsonObject): boolean =>
  prompt_tokens === 1 && completion_tokens === 1 && total_tokens === 1;

/** Image tokens if the upstream reports them separately (else null); cached ones count as cached only. */
export function imageTokens(prompt: JsonObject | null, completion: JsonObject | null) {
  const read = countOf(prompt?.image_tokens) ?? 0;
  const cached = countOf(recordOf(prompt?.cached_tokens_details)?.image_tokens) ?? 0;
  const drawn = countOf(completion?.image_tokens) ?? 0;
  if (read <= cached && drawn === 0) return null;
  return {
    ...(read > cached && { imageInputTokens: read - cached }),
    ...(drawn > 0 && { imageOutputTokens: drawn }),
  };
}

/** Media that the provider billed by themselves, as formats of other services write them into this usage; null if none. */
function mediaUsage(value: unknown): MediaUnits | null {
  const counted = Object.entries(recordOf(value) ?? {}).flatMap(([unit, count]): [string, number][] => {
    const units = countOf(count);
    return units ? [[unit, units]] : [];
  });
  return counted.length > 0 ? Object.fromEntries(counted) : null;
}

const SIZES: ReadonlySet<unknown> = new Set(["low", "medium", "high"]);

/**
 * Web searches that services charge in addition to tokens and report in their usage; null if there are none. OpenRouter
 * reports their number, Perplexity the context size or (deep research) the queries, Qianfan the tokens of the results.
 */
function searchUsage(usage: JsonObject, prompt: JsonObject | null): ToolCalls | null {
  const { server_tool_use: tools, citation_tokens: citations, search_context_size: size } = usage;
  const searches = tools == null ? null : countOf(recordOf(tools)?.web_search_requests);
  if (searches) return { openrouter_search: searches };
  // Only deep research reports the tokens of citations separately.
  const queries = citations == null ? null : countOf(usage.num_search_queries);
  if (queries) return { sonar_query: queries };
  if (prompt?.search_tokens != null && countOf(prompt.search_tokens)) return { qianfan_search: 1 };
  return SIZES.has(size) ? { [`sonar_search_${size}`]: 1 } : null;
}
