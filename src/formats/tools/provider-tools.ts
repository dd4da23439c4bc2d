import { type JsonObject, recordsOf, textOf } from "../json.ts";

const OPTIONS = ["web_search_options", "enable_search", "search_parameters", "plugins"];
const CLIENT_TYPES: ReadonlySet<string> = new Set(["function", "custom"]);

/**
 * Whether a request names tools that the provider runs, which are charged besides the tokens: in OpenAI's and Anthropic's
 * formats by their type, in Gemini's by any member that is not a list of functions.
 */
export function requestsProviderTools(body: JsonObject): boolean {
  return OPTIONS.some((option) => body[option] !== undefined) || recordsOf(body.tools).some((tool) => !isClients(tool));
}

function isClients(tool: JsonObject): boolean {
  const type = textOf(tool.type);
  if (type !== null) return CLIENT_TYPES.has(type);
  if ("name" in tool) return true;
  return Object.keys(tool).every((member) => member === "functionDeclarations" || member === "function_declarations");
}
