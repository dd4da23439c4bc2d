import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { CallParams, Preparation } from "../../contract/provider.ts";
import type { Quirks } from "../../shared/quirks.ts";

/** Sampling that reasoning models of xAI refuse. */
const REFUSED = ["presence_penalty", "frequency_penalty", "stop", "logprobs"];
const REASONS = /^grok-(3-mini|4(?!.*non-reasoning)|code)/;
const SEARCH_SUFFIX = "-search";

/** These know no effort: Grok 4 is as it is, the others do not reason. */
const WITHOUT_EFFORT = /^grok-(4(-0709)?|[23](-fast)?|2-.*)(-latest|-beta)?$|non-reasoning/;
/** OpenAI's efforts that none of xAI's models knows, and the nearest that they do. */
const NEAREST = lookupTable<string>({ minimal: "low", xhigh: "high", max: "high" });

/** Grok 3 mini knows two efforts, later models none to high. */
function effortOf(model: string, requested: unknown): unknown {
  if (typeof requested !== "string") return requested;
  if (WITHOUT_EFFORT.test(model)) return undefined;
  if (!model.startsWith("grok-3-mini")) return NEAREST[requested] ?? requested;
  return requested === "none" || requested === "minimal" || requested === "low" ? "low" : "high";
}

/** The bare name, and what stands behind it: an effort, or the wish to search. */
function readName(model: string): Readonly<{ name: string; suffix: string | undefined; searches: boolean }> {
  const searches = model.startsWith("grok-") && model.endsWith(SEARCH_SUFFIX);
  const bareModel = searches ? model.slice(0, -SEARCH_SUFFIX.length) : model;
  const [, name = bareModel, suffix] = /^(grok-3-mini.*)-(high|medium|low)$/.exec(bareModel) ?? [];
  return { name, suffix, searches };
}

/** The web is searched by a tool of Responses; search in chats has ended. */
export const grokFormatOf = (model: string): "openai-responses" | null =>
  readName(model).searches ? "openai-responses" : null;

/** xAI's Grok: efforts and the search of the web by suffixes, no sampling that reasoning models refuse. */
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
      // Servers that imitate xAI without its Responses know the old words.
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
