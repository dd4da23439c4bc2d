import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import type { ToolRequest } from "../../adapters/mcp/sources/site-tools.ts";
import { GatewayError } from "../../call/errors.ts";
import { type Observer, sendObserved } from "./questions/observer.ts";
import { runServerCall, type ServerCallContext } from "./server-call.ts";

/**
 * Calls a tool, limited, charged and logged as `runServerCall` does it. A result that reports an error of the tool is passed on and
 * costs nothing. Rejects GatewayError; then nothing is charged or held.
 */
export function callTool(
  context: ServerCallContext,
  { offered, input, onProgress, client, ...by }: ToolRequest & Observer,
): Promise<ToolResult> {
  const { server, tool, model } = offered;
  const { name } = tool;
  return runServerCall(context, {
    ...{ by, server, model, input, usdPerCall: server.usdPerCall, textOf, readableOf, tool: name },
    send: (sent, isRead) =>
      sendObserved(server, { onProgress, client }, isRead, (options) =>
        context.mcpSessions.call(server, by, { tool: name, input: sent, ...options }),
      ),
    failureOf: (result) => (result.isError === true ? toolFailure(result) : null),
  });
}

const MAX_ERROR_LENGTH = 1_000;

const toolFailure = (result: ToolResult): GatewayError =>
  new GatewayError(502, "mcp_tool_failed", textOf(result).slice(0, MAX_ERROR_LENGTH) || "The tool failed.", {
    type: "upstream_error",
  });

/** Clients show models the texts or the structured content, so the longer of both. */
function readableOf(result: ToolResult): string {
  const text = textOf(result);
  const structured = result.structuredContent ? JSON.stringify(result.structuredContent) : "";
  return structured.length > text.length ? structured : text;
}

/** The texts of a result. */
function textOf({ content, structuredContent }: ToolResult): string {
  const texts = content.flatMap((block) =>
    block.type === "text"
      ? block.text
      : block.type === "resource" && "text" in block.resource
        ? block.resource.text
        : [],
  );
  if (texts.length === 0 && structuredContent) return JSON.stringify(structuredContent);
  return texts.join("\n");
}
