import { isOld } from "../dialects/gemini/thinking.ts";
import { recordsOf, textOf } from "../dialects/json.ts";
import type { ToolCalls } from "../dialects/usage.ts";
import type { Call } from "./call.ts";
import type { OutputTally } from "./tally.ts";

/** Chat models that search the web for every answer. */
export const ALWAYS_SEARCHES = /-search-(preview|api)\b/;

/**
 * Uses of tools that the upstream ran itself and does not tell among its figures, by the answer, the tools asked for and
 * the model; null: none.
 */
export function hostedTools({ admitted, upstreamModel }: Call, tally: OutputTally): ToolCalls | null {
  const { endpoint, body } = admitted;
  if (endpoint.capability !== "chat") return null;
  if (ALWAYS_SEARCHES.test(upstreamModel)) return { web_search_preview: 1 };
  const told = tally.toolCalls;
  // Before Gemini 3 Google charges an answer that rests on its search, since then each query.
  const used = told?.google_search && isOld(upstreamModel) ? { ...told, google_search: 1 } : told;
  if (!used?.web_search) return used;
  const isPreview = recordsOf(body.json.tools).some(({ type }) => textOf(type)?.startsWith("web_search_preview"));
  const { web_search, ...others } = used;
  return isPreview ? { ...others, web_search_preview: web_search } : used;
}
