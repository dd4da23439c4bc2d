import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { ToolRequest } from "../../adapters/mcp/sources/site-tools.ts";
import { GatewayError } from "../../call/errors.ts";
import type { CallRelay } from "./questions/call-relay.ts";
import { runServerCall, type ServerCallContext } from "./server-call.ts";
import type { McpSessions } from "./sessions.ts";

/** A call whose client may receive its progress. */
type ObservedRequest = ToolRequest &
  Readonly<{
    onProgress?: Parameters<McpSessions["call"]>[2]["onProgress"];
    /** Answers the server's questions; absent: nobody does. */
    client?: CallRelay;
  }>;

/**
 * Calls a tool, limited, charged and logged as `runServerCall` does it. A result that reports an error of the tool is passed on and
 * costs nothing. Rejects GatewayError; then nothing is charged or held.
 */
export function callTool(
  context: ServerCallContext,
  { offered, input, onProgress, client, ...by }: ObservedRequest,
): Promise<ToolResult> {
  const { server, tool, model } = offered;
  const { name } = tool;
  const { timeoutMs } = server;
  // What progress says in words is no result, which guardrails could look through.
  const withoutWords =
    onProgress && (({ message: _, ...progress }: Parameters<typeof onProgress>[0]) => onProgress(progress));
  return runServerCall(context, {
    ...{ by, server, model, input, usdPerCall: server.usdPerCall, textOf, readableOf, tool: name },
    send: (sent, isRead) => {
      const options = { timeoutMs, onProgress: isRead ? withoutWords : onProgress, client };
      const called = context.mcpSessions.call(server, by, { tool: name, input: sent, ...options });
      return called.catch((error: unknown) => {
        throw client?.isAsking && !client.signal.aborted ? unanswered(server) : error;
      });
    },
    failureOf: (result) => (result.isError === true ? toolFailure(result) : null),
  });
}

/** The time was over while the client had a question of the server to answer. */
const unanswered = ({ name, timeoutMs }: McpServer): OperationError =>
  new OperationError("gateway_mcp_unanswered", { server: name, seconds: timeoutMs / 1000 });

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
