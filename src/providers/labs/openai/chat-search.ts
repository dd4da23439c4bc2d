import { type JsonObject, recordOf, recordsOf } from "../../../formats/json.ts";
import type { Preparation } from "../../contract/provider.ts";

/** Models that always search take no sampling parameters. */
const REFUSED_BY_SEARCH = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "n"];

/** Models of OpenAI's own: compatible servers have others under its type, which may search at the same words. */
const IS_OPENAIS = /^(ft:)?(gpt-(?!oss)|chatgpt-|o[1-9])/;
/** All that its chats know of tools: those that the client runs. */
const CLIENTS_TOOLS: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** What a chat with such a model must lose or say otherwise; null: nothing. */
export function prepareSearchModel(body: JsonObject, model: string): Preparation | null {
  const dropped = REFUSED_BY_SEARCH.filter((field) => body[field] != null);
  const changes: Record<string, unknown> = Object.fromEntries(dropped.map((field) => [field, undefined]));
  // GPT-5 knows its limit by the newer name alone.
  if (model.startsWith("gpt-5") && body.max_tokens != null) {
    Object.assign(changes, {
      max_tokens: undefined,
      max_completion_tokens: body.max_completion_tokens ?? body.max_tokens,
    });
  }
  return Object.keys(changes).length > 0 ? { model, changes, dropped } : null;
}

/**
 * What a chat with any other of OpenAI's models must lose of a wish for a search, or for another tool that the provider
 * would have to run: they answer 400 to it. Null: nothing.
 */
export function withoutSearch(body: JsonObject, model: string): Preparation | null {
  if (!IS_OPENAIS.test(model)) return null;
  const changes: Record<string, unknown> = {};
  const dropped: string[] = [];
  if (body.web_search_options != null) {
    changes.web_search_options = undefined;
    dropped.push("web_search_options");
  }
  const tools = recordsOf(body.tools);
  const hosted = tools.filter(({ type }) => typeof type === "string" && !CLIENTS_TOOLS.has(type));
  if (hosted.length > 0) {
    const remaining = tools.filter((tool) => !hosted.includes(tool));
    changes.tools = remaining.length > 0 ? remaining : undefined;
    dropped.push(...new Set(hosted.map(({ type }) => `tools: ${type}`)));
    // A choice of what is gone, or a word on calls where no tool is left, would be refused as well.
    if (remaining.length === 0) Object.assign(changes, { tool_choice: undefined, parallel_tool_calls: undefined });
    else if (hosted.some(({ type }) => recordOf(body.tool_choice)?.type === type)) changes.tool_choice = undefined;
    if ("tool_choice" in changes && body.tool_choice != null && body.tool_choice !== "auto")
      dropped.push("tool_choice");
  }
  return dropped.length > 0 ? { model, changes, dropped } : null;
}
