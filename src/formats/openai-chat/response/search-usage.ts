import type { ToolCalls } from "../../conversation/usage.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../json.ts";

const SIZES: ReadonlySet<string | null> = new Set(["low", "medium", "high"]);

const SEARCHING_MODEL = /-search-(preview|api)\b/;

/** Whether a chat model searches the web for every response, wherever it is served. */
export const searchesAlways = (model: string): boolean => SEARCHING_MODEL.test(model);

/**
 * Searches that services charge besides the tokens and report in their usage: OpenRouter by their number, Perplexity by how
 * much was read, for deep research by the queries, Qianfan by the tokens of what was found; null: none.
 */
export function searchUsage(usage: JsonObject): ToolCalls | null {
  const searches = countOf(recordOf(usage.server_tool_use)?.web_search_requests);
  if (searches) return { openrouter_search: searches };
  // Deep research alone has its sources' tokens apart.
  const queries = usage.citation_tokens == null ? null : countOf(usage.num_search_queries);
  if (queries) return { sonar_query: queries };
  if (countOf(recordOf(usage.prompt_tokens_details)?.search_tokens)) return { qianfan_search: 1 };
  const size = textOf(usage.search_context_size);
  return SIZES.has(size) ? { [`sonar_search_${size}`]: 1 } : null;
}
