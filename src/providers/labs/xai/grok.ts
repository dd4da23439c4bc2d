import type { ModelInfo } from "../../../catalog/catalog.ts";
import { isEffort, nearestEffort } from "../../../catalog/nearest-effort.ts";
import { shippedCatalog } from "../../../catalog/shipped.ts";
import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import type { CallParams, Preparation } from "../../contract/provider.ts";
import type { Quirks } from "../../shared/quirks.ts";

const SEARCH_SUFFIX = "-search";

/** Efforts of a model that the catalog does not know. */
const USUAL_EFFORTS = ["none", "low", "medium", "high"] as const;

/** The effort that comes closest to the requested one; undefined for a model that has none to choose. */
function effortOf({ reasoning }: ModelInfo, requested: unknown): unknown {
  if (typeof requested !== "string") return requested;
  if (reasoning && reasoning.style !== "effort") return undefined;
  return isEffort(requested) ? nearestEffort(reasoning?.efforts ?? USUAL_EFFORTS, requested) : requested;
}

/** The name without suffix, and what the suffix requests: an effort or a web search. */
function readName(model: string): Readonly<{ name: string; suffix: string | undefined; searches: boolean }> {
  const searches = model.startsWith("grok-") && model.endsWith(SEARCH_SUFFIX);
  const bareModel = searches ? model.slice(0, -SEARCH_SUFFIX.length) : model;
  const [, name = bareModel, suffix] = /^(grok-3-mini.*)-(high|medium|low)$/.exec(bareModel) ?? [];
  return { name, suffix, searches };
}

/** Web search is a tool of the Responses API; xAI removed search in chats. */
export const grokFormatOf = (model: string): "openai-responses" | null =>
  readName(model).searches ? "openai-responses" : null;

/** xAI's Grok: suffixes for effort and web search, no sampling fields that reasoning models reject. */
export const grokQuirks: Quirks = {
  limitField: "max_completion_tokens",
  rewrite(body, { model, catalog = shippedCatalog }) {
    const { name, suffix, searches } = readName(model);
    const info = catalog.find(name);
    const refused = info.refuses ?? [];
    const requested = suffix ?? body.reasoning_effort;
    const effort = effortOf(info, requested);
    return {
      ...Object.fromEntries(refused.map((field) => [field, undefined])),
      ...(name !== model && { model: name }),
      ...(effort !== body.reasoning_effort && { reasoning_effort: effort }),
      // Compatible servers without the Responses API still use the former options.
      ...(searches && { search_parameters: body.search_parameters ?? { mode: "on" } }),
    };
  },
  responses: prepareResponse,
};

function prepareResponse(body: JsonObject, { model, catalog = shippedCatalog }: CallParams): Preparation | null {
  const { name, suffix, searches } = readName(model);
  const reasoning = recordOf(body.reasoning);
  const requested = suffix ?? reasoning?.effort;
  const effort = effortOf(catalog.find(name), requested);
  const tools = recordsOf(body.tools);
  const changes: Record<string, unknown> = {};
  if (effort !== reasoning?.effort) changes.reasoning = { ...reasoning, effort };
  if (searches && !tools.some(({ type }) => type === "web_search")) changes.tools = [...tools, { type: "web_search" }];
  if (name === model && Object.keys(changes).length === 0) return null;
  return { model: name, changes, dropped: requested != null && effort === undefined ? ["reasoning_effort"] : [] };
}
