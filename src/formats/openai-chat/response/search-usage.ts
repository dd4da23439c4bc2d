import type { ToolCalls } from "../../conversation/usage.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../json.ts";

const SIZES: ReadonlySet<string | null> = new Set(["low", "medium", "high"]);

const SEARCHING_MODEL = /-search-(preview|api)\b/;

/** Whether a chat model searches the web for every response, on any service. */
export const searchesAlways = (model: string): boolean => SEARCHING_MODEL.test(model);

/**
 * Web searches that services charge in addition to tokens and report in their usage; null if there are none. OpenRouter
 * reports their number, Perplexity the context size or (deep research) the queries, Qianfan the tokens of the results.
 */
export function searchUsage(usage: JsonObject): ToolCalls | null {
  const searches = countOf(recordOf(usage.server_tool_use)?.web_search_requests);
  if (searches) return { openrouter_search: searches };
  // Only deep research reports the tokens of citations separately.
  const queries = usage.citation_tokens == null ? null : countOf(usage.num_search_queries);
  if (queries) return { sonar_query: queries };
  if (countOf(recordOf(usage.prompt_tokens_details)?.search_tokens)) return { qianfan_search: 1 };
  const size = textOf(usage.search_context_size);
  return SIZES.has(size) ? { [`sonar_search_${size}`]: 1 } : null;
}
