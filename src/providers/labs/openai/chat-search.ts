import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import type { Preparation } from "../../contract/provider.ts";

/** OpenAI's own models: compatible servers have others under the same channel type, which may accept search options. */
const OPENAI_MODEL = /^(ft:)?(gpt-(?!oss)|chatgpt-|o[1-9])/;
/** The tool types that OpenAI's chat API accepts: those that the client runs. */
const CLIENT_TOOL_TYPES: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** What to change or remove in a chat with a search model, which refuses some members; null if nothing. */
export function prepareSearchModel(body: JsonObject, model: string, refused: readonly string[]): Preparation | null {
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
export function withoutSearch(body: JsonObject, model: string): Preparation | null {
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
