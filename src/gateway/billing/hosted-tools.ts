import type { Catalog } from "../../catalog/catalog.ts";
import type { ToolCalls } from "../../formats/conversation/usage.ts";
import { recordsOf, textOf } from "../../formats/json.ts";
import { searchesAlways } from "../../formats/openai-chat/response/search-usage.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../upstream/bind-channel.ts";
import type { OutputMeter } from "./output-meter.ts";

/**
 * Uses of hosted tools that the upstream's usage does not report, derived from the response, the requested tools and
 * the model; null if none.
 */
export function hostedTools(call: Call, route: Route, meter: OutputMeter, catalog: Catalog): ToolCalls | null {
  const { endpoint, body } = call;
  const { upstreamModel } = route;
  if (endpoint.capability !== "chat") return null;
  if (searchesAlways(upstreamModel)) return { web_search_preview: 1 };
  const reported = withSearch(call, route, meter);
  // Some models are charged per response that uses search results, others per query.
  const perAnswer = reported?.google_search && catalog.find(upstreamModel).search_billing === "answer";
  const used = perAnswer ? { ...reported, google_search: 1 } : reported;
  if (!used?.web_search) return used;
  const isPreview = recordsOf(body.json.tools).some(({ type }) => textOf(type)?.startsWith("web_search_preview"));
  const { web_search, ...others } = used;
  return isPreview ? { ...others, web_search_preview: web_search } : used;
}

/** Adds the search of a provider whose responses show only the pages found. */
function withSearch(call: Call, route: Route, meter: OutputMeter): ToolCalls | null {
  const tool = searchToolOf(call, route);
  return tool !== null && meter.cites ? { ...meter.toolCalls, [tool]: 1 } : meter.toolCalls;
}

/**
 * The price list's name of the search that the call requests, if the response must be inspected to charge it; else
 * null.
 */
export function searchToolOf({ body }: Call, { provider, upstreamModel }: Route): string | null {
  const tool = provider.chat?.searchTool;
  return tool && provider.chat?.requestsSearch(body.json, upstreamModel) ? tool(body.json) : null;
}
