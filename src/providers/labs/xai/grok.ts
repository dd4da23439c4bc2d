import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { CallParams, Preparation } from "../../contract/provider.ts";
import type { Quirks } from "../../shared/quirks.ts";

/** Sampling fields that xAI's reasoning models reject. */
const REFUSED = ["presence_penalty", "frequency_penalty", "stop", "logprobs"];
const REASONS = /^grok-(3-mini|4(?!.*non-reasoning)|code)/;
const SEARCH_SUFFIX = "-search";

/** Models without an effort: Grok 4 has a fixed one, the others do not reason. */
const WITHOUT_EFFORT = /^grok-(4(-0709)?|[23](-fast)?|2-.*)(-latest|-beta)?$|non-reasoning/;
/** OpenAI's efforts that xAI lacks, mapped to the closest one. */
const NEAREST = lookupTable<string>({ minimal: "low", xhigh: "high", max: "high" });

/** Grok 3 mini has two efforts, later models have none to high. */
function effortOf(model: string, requested: unknown): unknown {
  if (typeof requested !== "string") return requested;
  if (WITHOUT_EFFORT.test(model)) return undefined;
  if (!model.startsWith("grok-3-mini")) return NEAREST[requested] ?? requested;
  return requested === "none" || requested === "minimal" || requested === "low" ? "low" : "high";
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
  rewrite(body, { model }) {
    const { name, suffix, searches } = readName(model);
    const refused = REASONS.test(name) ? REFUSED : [];
    const requested = suffix ?? body.reasoning_effort;
    const effort = effortOf(name, requested);
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

function prepareResponse(body: JsonObject, { model }: CallParams): Preparation | null {
  const { name, suffix, searches } = readName(model);
  const reasoning = recordOf(body.reasoning);
  const requested = suffix ?? reasoning?.effort;
  const effort = effortOf(name, requested);
  const tools = recordsOf(body.tools);
  const changes: Record<string, unknown> = {};
  if (effort !== reasoning?.effort) changes.reasoning = { ...reasoning, effort };
  if (searches && !tools.some(({ type }) => type === "web_search")) changes.tools = [...tools, { type: "web_search" }];
  if (name === model && Object.keys(changes).length === 0) return null;
  return { model: name, changes, dropped: requested != null && effort === undefined ? ["reasoning_effort"] : [] };
}
