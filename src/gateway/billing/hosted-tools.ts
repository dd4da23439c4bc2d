import type { Catalog } from "../../catalog/catalog.ts";
import type { ToolCalls } from "../../formats/conversation/usage.ts";
import { type JsonObject, recordsOf, textOf } from "../../formats/json.ts";
import { listsSearch } from "../../formats/tools/web-search.ts";
import { searchesAlways } from "../../providers/labs/openai/chat-search.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../upstream/bind-channel.ts";
import type { OutputMeter } from "./output-meter.ts";

/**
 * Uses of tools that the upstream ran itself and does not tell among its figures, by the answer, the tools asked for and
 * the model; null: none.
 */
export function hostedTools(call: Call, route: Route, meter: OutputMeter, catalog: Catalog): ToolCalls | null {
  const { endpoint, body } = call;
  const { upstreamModel } = route;
  if (endpoint.capability !== "chat") return null;
  if (searchesAlways(upstreamModel)) return { web_search_preview: 1 };
  const told = withSearch(call, route, meter);
  // Before Gemini 3 Google charges an answer that rests on its search, since then each query.
  const perAnswer = told?.google_search && catalog.find(upstreamModel).search_billing === "answer";
  const used = perAnswer ? { ...told, google_search: 1 } : told;
  if (!used?.web_search) return used;
  const isPreview = recordsOf(body.json.tools).some(({ type }) => textOf(type)?.startsWith("web_search_preview"));
  const { web_search, ...others } = used;
  return isPreview ? { ...others, web_search_preview: web_search } : used;
}

/** With the search of a provider that tells nothing of it but the pages that it found. */
function withSearch(call: Call, route: Route, meter: OutputMeter): ToolCalls | null {
  const tool = searchToolOf(call, route);
  return tool !== null && meter.cites ? { ...meter.toolCalls, [tool]: 1 } : meter.toolCalls;
}

/** What the search is called that the call asks a provider for whose answers must be looked into to charge it; null: none. */
export function searchToolOf({ body }: Call, { provider, upstreamModel }: Route): string | null {
  const tool = provider.chat?.searchTool;
  return tool && asksSearch(body.json, upstreamModel) ? tool(body.json) : null;
}

/** Whether a chat in any client's words wants the web searched; OpenRouter has a plugin and a name for that as well. */
const asksSearch = ({ web_search_options, tools, plugins }: JsonObject, model: string): boolean =>
  web_search_options != null ||
  listsSearch(tools) ||
  recordsOf(plugins).some(({ id }) => id === "web") ||
  model.endsWith(":online");
