import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { ResultTooLargeError } from "../../../domain/models/mcp/result-too-large.ts";
import { NO_USAGE } from "../../../formats/conversation/reply.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { reasonOf } from "../../../lib/reason.ts";
import type { ToolRequest } from "../../adapters/mcp/site-tools.ts";
import { authorizeModel, withEndUser } from "../../auth/authorize.ts";
import type { Limits } from "../../auth/limits/limits.ts";
import { isLimited, rateLimit } from "../../auth/rate-limit.ts";
import { type Call, newCall } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import { refuseForbidden } from "../../call/guardrails/request/refuse-forbidden.ts";
import type { Uses } from "../../call/services.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import type { CallPrices } from "../../money/price.ts";
import { type Reservation, type ReserveContext, reserve } from "../../money/reserve.ts";
import {
  type BeginCallContext,
  beginCall,
  failCall,
  type RecordRefusalContext,
  recordFailure,
  recordRefusal,
} from "../../money/settle-call.ts";
import type { EndCallContext } from "../../pipeline/contexts.ts";
import { endCall } from "../../pipeline/pipeline.ts";
import { toGatewayError } from "../../request/error-response.ts";
import { parseRequest } from "../../request/parse-request.ts";
import { toolEndpoint } from "./endpoint.ts";
import type { McpSessions } from "./sessions.ts";

/** What `callTool` works with. */
export type CallToolContext = EndCallContext &
  ReserveContext &
  BeginCallContext &
  RecordRefusalContext &
  Pick<Limits, "planLimits" | "requestLimit" | "tokenLimits" | "userLimits"> &
  Uses<"log"> &
  Readonly<{ mcpSessions: McpSessions }>;

/** A call whose client may receive its progress. */
type ObservedRequest = ToolRequest & Readonly<{ onProgress?: Parameters<McpSessions["call"]>[2]["onProgress"] }>;

/** Tools are charged per call. */
const ONE_CALL = { ...NO_USAGE, promptTokens: 1 };

/**
 * Calls a tool: authorize → limits → guardrails → reserve → call → charge. A result that reports an error of the tool is passed on and
 * costs nothing. The charge is durable before the client gets its result. Rejects GatewayError; then nothing is charged or held.
 */
export async function callTool(context: CallToolContext, tool: ObservedRequest): Promise<ToolResult> {
  const call = toolCall(context, tool);
  const { caller, summary, prompt } = call;
  let reserved: Reservation;
  try {
    authorizeModel(caller, summary.model);
    if (isLimited(context, caller)) await rateLimit(context, caller);
    refuseForbidden(context, caller, summary.model, prompt);
    reserved = await reserve(context, call, pricesOf(context, call, tool.offered.server));
  } catch (thrown) {
    const error = toGatewayError(context, thrown, call.requestId);
    recordRefusal(context, call, error);
    throw error;
  }
  let result: ToolResult;
  try {
    await beginCall(context, call);
    result = await send(context.mcpSessions, tool);
  } catch (thrown) {
    throw failCall(context, call, reserved, thrown);
  }
  call.progress.timing.markFirstByte();
  if (result.isError === true) {
    recordFailure(context, call, reserved, toolFailure(result), "upstream_failed");
    return result;
  }
  const meter = new OutputMeter();
  meter.text(textOf(result));
  await endCall(context, call, reserved, { ending: "complete", reported: ONE_CALL, meter });
  return result;
}

function toolCall(
  context: CallToolContext,
  { request, caller, ip, timing, labels, offered, input }: ToolRequest,
): Call {
  const { settings, telemetry } = context.services;
  const json = { ...labels, model: offered.model, arguments: input };
  const text = JSON.stringify(input);
  const parsed = parseRequest({ request, server: null, endpoint: toolEndpoint }, { json, text, size: text.length });
  const known = settings.values.EndUsersEnabled ? withEndUser(context.services, caller, request.headers, {}) : caller;
  const candidates = { model: offered.model, tiers: [] };
  return newCall({ request, endpoint: toolEndpoint, ip, caller: known, candidates }, parsed, timing, telemetry);
}

/** The price of the option for the tool, else that of its server. */
const pricesOf = ({ prices }: CallToolContext, { caller, summary }: Call, { usdPerCall }: McpServer): CallPrices => ({
  price: prices.ofTask(caller, summary.model, usdPerCall),
  byName: null,
  byChannel: null,
});

async function send(
  sessions: McpSessions,
  { offered: { server, tool }, caller, session, input, onProgress }: ObservedRequest,
): Promise<ToolResult> {
  const { breaker } = sessions;
  const restMs = breaker.enter(server.id);
  if (restMs > 0) {
    const seconds = Math.ceil(restMs / 1000);
    const params = { server: server.name, seconds };
    const details = { retryAfterSeconds: seconds };
    throw new GatewayError(503, "mcp_server_unavailable", { code: "gateway_mcp_resting", params }, details);
  }
  try {
    const options = { timeoutMs: server.timeoutMs, onProgress };
    const result = await sessions.call(server, { caller, session }, { tool: tool.name, input, ...options });
    breaker.succeeded(server.id);
    return result;
  } catch (thrown) {
    const failure = await failureOf(thrown, server);
    // A server that refuses what the client sent works, and what one caller uses up closes it to no other.
    if (failure.status < 500 || isCallers(thrown)) breaker.succeeded(server.id);
    else breaker.failed(server.id);
    throw failure;
  }
}

/** Whether a caller can bring a failure about with any server. */
const isCallers = (thrown: unknown): boolean =>
  thrown instanceof ResultTooLargeError || (thrown instanceof OperationError && thrown.code === "mcp_stdio_full");

/** Processes get free when calls end. */
const RETRY_WHEN_FULL_S = 5;

const INVALID_PARAMS = -32602;
const REQUEST_TIMEOUT = -32001;
const CONNECTION_CLOSED = -32000;

/** The failure of a call to a server: 4xx if the server refused what the client sent. */
async function failureOf(thrown: unknown, { name, timeoutMs }: McpServer): Promise<GatewayError> {
  const [{ McpError }, { statusOfFailure }, { ArgumentError }] = await Promise.all([
    import("@modelcontextprotocol/sdk/types.js"),
    import("../../../domain/models/mcp/connection.ts"),
    import("../../../domain/models/mcp/openapi/build-request.ts"),
  ]);
  if (thrown instanceof OperationError && thrown.code === "mcp_stdio_full") {
    const details = { retryAfterSeconds: RETRY_WHEN_FULL_S };
    return new GatewayError(503, "mcp_server_unavailable", reasonOf(thrown), details);
  }
  if (thrown instanceof ArgumentError) return new GatewayError(400, INVALID_PARAMS, thrown.reason);
  const status = statusOfFailure(thrown);
  if (status !== null) {
    const params = { server: name, status };
    return new GatewayError(502, "mcp_server_failed", { code: "gateway_mcp_status", params });
  }
  if (thrown instanceof McpError && thrown.code === REQUEST_TIMEOUT) {
    const params = { server: name, seconds: timeoutMs / 1000 };
    return new GatewayError(504, "mcp_timeout", { code: "gateway_mcp_timeout", params });
  }
  if (thrown instanceof McpError && thrown.code !== CONNECTION_CLOSED) {
    const text = thrown.message.replace(/^MCP error -?\d+: /, "").slice(0, MAX_ERROR_LENGTH);
    return new GatewayError(400, thrown.code, text, { type: "upstream_error" });
  }
  const why = reasonOf(thrown);
  const params = { server: name, why: typeof why === "string" ? why.slice(0, MAX_ERROR_LENGTH) : why };
  return new GatewayError(502, "mcp_server_failed", { code: "gateway_mcp_failed", params });
}

const MAX_ERROR_LENGTH = 1_000;

const toolFailure = (result: ToolResult): GatewayError =>
  new GatewayError(502, "mcp_tool_failed", textOf(result).slice(0, MAX_ERROR_LENGTH) || "The tool failed.", {
    type: "upstream_error",
  });

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
