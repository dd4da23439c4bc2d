import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { type McpConnection, statusOfFailure, type ToolResult } from "../../../../domain/models/mcp/connection.ts";
import { type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import { GatewayError } from "../../../call/errors.ts";

/** Where the tools of a server come from. */
export type ToolSource = Pick<McpConnection, "listTools" | "close"> &
  Readonly<{
    /** Tools that the client sends back from an earlier response are as good as what the server lists. */
    isListedByClient: boolean;
    callTool(name: string, input: JsonObject): ReturnType<McpConnection["callTool"]>;
  }>;

/** What a tool returned, or how the call failed. `error` has the shape of OpenAI's `mcp_call` errors. */
export type McpResult = Readonly<{ text: string; error: JsonObject | null }>;

/** Of one result, as the model and the client get it. */
const MAX_RESULT_CHARACTERS = 100_000;

/** Calls a tool; `input` is the JSON text of its arguments. Rejects only where the client has left. */
export async function callForModel(
  source: Pick<ToolSource, "callTool">,
  name: string,
  input: string,
  signal: AbortSignal,
): Promise<McpResult> {
  const values = recordOf(parseJson(input.trim() === "" ? "{}" : input));
  if (!values)
    return failed({ type: "mcp_protocol_error", code: -32602, message: "The arguments are not valid JSON." });
  try {
    const result = await source.callTool(name, values);
    const text = bounded(textOfResult(result));
    if (result.isError !== true) return { text, error: null };
    return { text, error: { type: "mcp_tool_execution_error", content: [{ type: "text", text }] } };
  } catch (error) {
    signal.throwIfAborted();
    return failed(errorObjectOf(error));
  }
}

const failed = (error: JsonObject): McpResult => ({ text: `Error: ${String(error.message)}`, error });

/** A failure in the shape of OpenAI's `mcp_call` errors. */
function errorObjectOf(error: unknown): JsonObject {
  const message = bounded(error instanceof Error ? error.message : String(error));
  // What a site's server answered has the protocol's code.
  if (error instanceof GatewayError && typeof error.code !== "number") {
    return { type: "http_error", code: error.status, message };
  }
  if (error instanceof GatewayError) return { type: "mcp_protocol_error", code: error.code, message };
  const status = statusOfFailure(error);
  if (status !== null) return { type: "http_error", code: status, message };
  return { type: "mcp_protocol_error", code: error instanceof McpError ? error.code : -32603, message };
}

/** The result as text: models of every format read that. */
function textOfResult({ content, structuredContent }: ToolResult): string {
  const texts = content.map((block): string => {
    switch (block.type) {
      case "text":
        return block.text;
      case "image":
      case "audio":
        return `[${block.type}: ${block.mimeType}]`;
      case "resource":
        return "text" in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`;
      default:
        return block.uri;
    }
  });
  if (texts.length === 0 && structuredContent) return JSON.stringify(structuredContent);
  return texts.join("\n");
}

function bounded(text: string): string {
  if (text.length <= MAX_RESULT_CHARACTERS) return text;
  return `${text.slice(0, MAX_RESULT_CHARACTERS)}\n[cut off after ${MAX_RESULT_CHARACTERS} characters]`;
}
