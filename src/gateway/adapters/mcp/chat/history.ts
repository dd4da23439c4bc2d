import { aliasOf } from "../../../../domain/models/mcp/tools/tool-names.ts";
import { type JsonObject, recordsOf, textOf } from "../../../../formats/json.ts";

/**
 * The messages of a request as a model without MCP tools reads them: calls that an earlier response made (`executed_tools`) become
 * functions with results, before the message that has them.
 */
export function withFunctions(messages: unknown): JsonObject[] {
  return recordsOf(messages).flatMap((message, at): JsonObject[] => {
    const { executed_tools: value, ...own } = message;
    if (value === undefined) return [message];
    const executed = recordsOf(value).filter(({ type }) => type === "mcp");
    if (executed.length === 0) return [own];
    const calls = executed.map(({ server_label: label, name, arguments: input }, index) => ({
      id: idOf(at, index),
      type: "function",
      function: { name: aliasOf(textOf(label) ?? "", textOf(name) ?? ""), arguments: textOf(input) ?? "{}" },
    }));
    const results = executed.map(({ output, error }, index) => ({
      role: "tool",
      tool_call_id: idOf(at, index),
      content: textOf(output) ?? `Error: ${error == null ? "no result" : JSON.stringify(error)}`,
    }));
    return [{ role: "assistant", content: null, tool_calls: calls }, ...results, own];
  });
}

/** The same in each request, because prompt caches depend on it. */
const idOf = (message: number, index: number): string => `call_mcp_${message}_${index}`;
