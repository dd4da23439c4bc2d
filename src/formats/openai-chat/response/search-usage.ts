import type { ToolCalls } from "../../conversation/usage.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../json.ts";

const SIZES: ReadonlySet<string | null> = new Set(["low", "medium", "high"]);

/**
 * Searches that services charge beside the tokens and tell in their usage: OpenRouter by their number, Perplexity by how
 * much was read, of its deep research by the queries, Qianfan by the tokens of what was found; null: it tells of none.
 */
export function toldSearches(usage: JsonObject): ToolCalls | null {
  const searches = countOf(recordOf(usage.server_tool_use)?.web_search_requests);
  if (searches) return { openrouter_search: searches };
  // Deep research alone has its sources' tokens apart.
  const queries = usage.citation_tokens == null ? null : countOf(usage.num_search_queries);
  if (queries) return { sonar_query: queries };
  if (countOf(recordOf(usage.prompt_tokens_details)?.search_tokens)) return { qianfan_search: 1 };
  const size = textOf(usage.search_context_size);
  return SIZES.has(size) ? { [`sonar_search_${size}`]: 1 } : null;
}
