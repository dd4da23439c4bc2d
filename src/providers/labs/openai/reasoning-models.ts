import { type Catalog, type ModelInfo, searchesEachAnswer, shippedCatalog } from "../../../catalog/catalog.ts";
import { isEffort, nearestEffort } from "../../../catalog/nearest-effort.ts";
import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import { developerAsSystem } from "../../../formats/openai-chat/request/developer-role.ts";
import type { ChatApi } from "../../contract/chat.ts";
import type { CallParams, Preparation } from "../../contract/provider.ts";

/** OpenAI's own models: compatible servers have others under the same channel type, which may accept search options. */
const OPENAI_MODEL = /^(ft:)?(gpt-(?!oss)|chatgpt-|o[1-9])/;
/** The tool types that OpenAI's chat API accepts: those that the client runs. */
const CLIENT_TOOL_TYPES: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** What to change or remove in a chat with a search model, which refuses some members; null if nothing. */
function prepareSearchModel(body: JsonObject, model: string, refused: readonly string[]): Preparation | null {
  const dropped = refused.filter((field) => body[field] != null);
  const changes: Record<string, unknown> = Object.fromEntries(dropped.map((field) => [field, undefined]));
  // GPT-5 accepts the limit only under its newer name.
  if (model.startsWith("gpt-5") && body.max_tokens != null) {
    Object.assign(changes, {
      max_tokens: undefined,
      max_completion_tokens: body.max_completion_tokens ?? body.max_tokens,
    });
  }
  return Object.keys(changes).length > 0 ? { model, changes, dropped } : null;
}

/**
 * What to remove from a chat with any other OpenAI model: web search options and hosted tools, which it rejects with
 * 400. Null if nothing.
 */
function withoutSearch(body: JsonObject, model: string): Preparation | null {
  if (!OPENAI_MODEL.test(model)) return null;
  const changes: Record<string, unknown> = {};
  const dropped: string[] = [];
  if (body.web_search_options != null) {
    changes.web_search_options = undefined;
    dropped.push("web_search_options");
  }
  const tools = recordsOf(body.tools);
  const hosted = tools.filter(({ type }) => typeof type === "string" && !CLIENT_TOOL_TYPES.has(type));
  if (hosted.length > 0) {
    const remaining = tools.filter((tool) => !hosted.includes(tool));
    changes.tools = remaining.length > 0 ? remaining : undefined;
    dropped.push(...new Set(hosted.map(({ type }) => `tools: ${type}`)));
    // A choice of a removed tool, or tool options without any tool, would be rejected as well.
    if (remaining.length === 0) Object.assign(changes, { tool_choice: undefined, parallel_tool_calls: undefined });
    else if (hosted.some(({ type }) => recordOf(body.tool_choice)?.type === type)) changes.tool_choice = undefined;
    if ("tool_choice" in changes && body.tool_choice != null && body.tool_choice !== "auto")
      dropped.push("tool_choice");
  }
  return dropped.length > 0 ? { model, changes, dropped } : null;
}

/** The effort closest to the requested one that the model supports; unchanged for a model whose efforts are unknown. */
export function effortFor({ reasoning }: ModelInfo, requested: unknown): unknown {
  if (!isEffort(requested) || reasoning?.style !== "effort" || !reasoning.efforts) return requested;
  return nearestEffort(reasoning.efforts, requested);
}

const EFFORT_SUFFIX = /^((?:o[1-9]\d*|gpt-5).*)-(high|medium|low)$/;

/** Members of chats that the Responses API has, too. */
const IN_RESPONSES: ReadonlySet<string> = new Set(["temperature", "top_p", "top_logprobs", "parallel_tool_calls"]);
const LOGPROBS = "message.output_text.logprobs";
const SEALED = "reasoning.encrypted_content";

/** The only format in which OpenAI serves a model; null: any. */
export const onlyFormatOf: ChatApi["formatOf"] = (model, _key, _requested, catalog = shippedCatalog) =>
  catalog.find(model).responses_only ? "openai-responses" : null;

/** Models that search with each answer do so in chats, the others only in the Responses API. */
export const searchesInResponses: ChatApi["searchesInResponses"] = (model, catalog = shippedCatalog) =>
  !searchesEachAnswer(catalog.find(model));

/**
 * What to change in a request to OpenAI, in either of its formats, for models that reason or search; null if nothing.
 */
export function prepareForOpenAi(body: JsonObject, params: CallParams): Preparation | null {
  const { capability, dialect, model, catalog = shippedCatalog } = params;
  if (capability !== "chat") return null;
  const info = catalog.find(model);
  if (searchesEachAnswer(info)) return prepareSearchModel(body, model, info.refuses ?? []);
  const read = readName(model, info, catalog);
  if (dialect === "openai-responses") return read ? prepareResponse(body, read) : preparePlain(body, model, info);
  const maySearch = body.tools != null || body.web_search_options != null;
  const unsearched = maySearch ? withoutSearch(body, model) : null;
  const prepared = read ? prepareChat(body, read) : preparePlain(body, model, info);
  if (!unsearched || !prepared) return prepared ?? unsearched;
  return {
    model: prepared.model,
    changes: { ...unsearched.changes, ...prepared.changes },
    dropped: [...unsearched.dropped, ...prepared.dropped],
  };
}

/** A model that reasons: its name without suffix, and the effort that the suffix requests. */
type ReasoningModel = Readonly<{
  name: string;
  effort: string | undefined;
  info: ModelInfo;
  /** It can also answer without reasoning. */
  mayReason: boolean;
}>;

/**
 * Null for a model that does not reason, or that rejects nothing when it does, as the catalog knows it. `found`: what it says
 * of the name with its suffix.
 */
function readName(model: string, found: ModelInfo, catalog: Catalog): ReasoningModel | null {
  const suffixed = EFFORT_SUFFIX.exec(model);
  const name = suffixed?.[1] ?? model;
  const info = suffixed ? catalog.find(name) : found;
  const { reasoning, refuses_while_reasoning: refused } = info;
  if (reasoning?.style !== "effort" || !refused || refused.length === 0) return null;
  const mayReason = reasoning.can_disable ?? reasoning.efforts?.includes("none") ?? false;
  return { name, effort: suffixed?.[2], info, mayReason };
}

/**
 * OpenAI's o-series and GPT-5 require max_completion_tokens, reject sampling fields while they reason, and expect the
 * first system message as developer message. The suffixes `-high`, `-medium` and `-low` request that effort.
 */
function prepareChat(body: JsonObject, { name, info, ...read }: ReasoningModel): Preparation {
  const changes: Record<string, unknown> = {};
  const effort = effortFor(info, read.effort ?? body.reasoning_effort);
  if (effort !== body.reasoning_effort) changes.reasoning_effort = effort;
  if (body.max_tokens !== undefined) {
    changes.max_tokens = undefined;
    if (body.max_completion_tokens === undefined) changes.max_completion_tokens = body.max_tokens;
  }
  const reasons = !read.mayReason || (effort ?? "none") !== "none";
  const refused = [...(reasons ? (info.refuses_while_reasoning ?? []) : []), ...(info.refuses ?? [])];
  const dropped = refused.filter((field) => body[field] != null);
  for (const field of dropped) changes[field] = undefined;
  const messages = info.developer_messages ? withDeveloperFirst(body.messages) : null;
  if (messages) changes.messages = messages;
  return { model: name, changes, dropped };
}

/**
 * The same for the Responses API, where the effort is in `reasoning`, and log probabilities are requested in `include`.
 */
function prepareResponse(body: JsonObject, { name, info, ...read }: ReasoningModel): Preparation {
  const reasoning = recordOf(body.reasoning);
  const changes: Record<string, unknown> = {};
  const effort = effortFor(info, read.effort ?? reasoning?.effort);
  if (effort !== reasoning?.effort) changes.reasoning = { ...reasoning, effort };
  const reasons = !read.mayReason || (effort ?? "none") !== "none";
  if (!reasons) return { model: name, changes, dropped: [] };
  const refused = [...(info.refuses_while_reasoning ?? []), ...(info.refuses ?? [])].filter((field) =>
    IN_RESPONSES.has(field),
  );
  const dropped = refused.filter((field) => body[field] != null);
  for (const field of dropped) changes[field] = undefined;
  if (Array.isArray(body.include) && body.include.includes(LOGPROBS)) {
    const include = body.include.filter((item) => item !== LOGPROBS);
    changes.include = include.length > 0 ? include : undefined;
    dropped.push("logprobs");
  }
  return { model: name, changes, dropped };
}

/**
 * What to remove for any other model: OpenAI's other models reject reasoning options, and other servers may reject
 * developer messages. Null if nothing.
 */
function preparePlain(body: JsonObject, model: string, info: ModelInfo): Preparation | null {
  if (info.provider !== "OpenAI" || info.reasoning?.style !== "none") {
    const messages = developerAsSystem(body.messages, model);
    return messages && { model, changes: { messages }, dropped: [] };
  }
  const changes: Record<string, unknown> = {};
  const dropped: string[] = [];
  const reasoning = body.reasoning === undefined ? null : recordOf(body.reasoning);
  const effort = body.reasoning_effort ?? reasoning?.effort ?? null;
  if (body.reasoning_effort != null) changes.reasoning_effort = undefined;
  if (reasoning) changes.reasoning = undefined;
  // Off is what these models are anyway, and there is nothing to sum up.
  if (effort !== null && effort !== "none") dropped.push("reasoning_effort");
  for (const [name, value] of Object.entries(reasoning ?? {}))
    if (name === "summary" || name === "generate_summary") value === "auto" || dropped.push("reasoning: summary");
    else if (name !== "effort") dropped.push(`reasoning.${name}`);
  // Without reasoning there is nothing to encrypt.
  if (Array.isArray(body.include) && body.include.includes(SEALED))
    changes.include = body.include.filter((item) => item !== SEALED);
  return Object.keys(changes).length === 0 ? null : { model, changes, dropped };
}

function withDeveloperFirst(messages: unknown): unknown[] | null {
  if (!Array.isArray(messages)) return null;
  const first = recordOf(messages[0]);
  return first?.role === "system" ? [{ ...first, role: "developer" }, ...messages.slice(1)] : null;
}
