import { type JsonObject, recordsOf, textOf } from "../../../../formats/json.ts";
import { aliasOf } from "../toolset.ts";

/**
 * The messages of a request as a model without MCP tools reads them: each MCP call becomes a function call, and its result
 * begins the message of the user that follows.
 */
export function withFunctions(messages: unknown): JsonObject[] {
  const result: JsonObject[] = [];
  let results: JsonObject[] = [];
  for (const message of recordsOf(messages)) {
    if (message.role !== "assistant" || !Array.isArray(message.content)) {
      const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
      const isUser = message.role === "user" && results.length > 0;
      result.push(isUser ? { ...message, content: [...results, ...recordsOf(content)] } : message);
      if (isUser) results = [];
      continue;
    }
    let content: JsonObject[] = [];
    for (const block of recordsOf(message.content)) {
      if (block.type === "mcp_tool_listing") continue;
      if (block.type === "mcp_tool_result") {
        results.push(resultOf(block));
        continue;
      }
      // What follows the results belongs to the next round.
      if (results.length > 0 && block.type !== "tool_use") {
        result.push({ ...message, content }, { role: "user", content: results });
        content = [];
        results = [];
      }
      content.push(block.type === "mcp_tool_use" ? callOf(block) : block);
    }
    if (content.length > 0) result.push({ ...message, content });
  }
  if (results.length > 0) result.push({ role: "user", content: results });
  return result;
}

const callOf = ({ id, name, server_name: server, input }: JsonObject): JsonObject => ({
  ...{ type: "tool_use", id, name: aliasOf(textOf(server) ?? "", textOf(name) ?? ""), input: input ?? {} },
});

const resultOf = ({ tool_use_id: id, content, is_error: isError }: JsonObject): JsonObject => ({
  ...{ type: "tool_result", tool_use_id: id, content: content ?? "", is_error: isError === true },
});
