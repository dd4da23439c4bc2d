import type { ToolResult } from "../../../domain/models/mcp/connection.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import type { Reason } from "../../../lib/reason.ts";
import { OfferedTools } from "../../adapters/mcp/sources/offered-tools.ts";
import { type SessionCallerContext, sessionCaller } from "../../auth/session-caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { CallTiming } from "../../call/progress.ts";
import type { Uses } from "../../call/services.ts";
import { toGatewayError } from "../../request/error-response.ts";
import { callTool } from "./call-tool.ts";
import type { ServerCallContext } from "./server-call.ts";

/** An administrator's call of an approved tool. */
export type ToolAttempt = Readonly<{
  request: Request;
  ip: string;
  /** Who makes and pays it. */
  userId: number;
  serverId: number;
  tool: string;
  input: JsonObject;
}>;

/** How it went: a result, which may report an error of the tool, or why there is none. */
export type ToolTrial = Readonly<{
  requestId: string;
  elapsedMs: number;
  result: ToolResult | null;
  error: Reason | null;
}>;

/**
 * Calls a tool of a server for an administrator, who need not be among its callers, and of a server that is disabled too. All else is as
 * for any call of that person: limits, guardrails, price, charge and log.
 */
export async function tryTool(
  context: ServerCallContext & SessionCallerContext & Uses<"mcpServers">,
  { request, ip, userId, serverId, tool, input }: ToolAttempt,
): Promise<ToolTrial> {
  const timing = new CallTiming(performance.now());
  const requestId = requestIdOf(request);
  const session = `trial-${requestId}`;
  const server = context.services.mcpServers?.get(serverId);
  const ended = () => Math.round(performance.now() - timing.startedAtMs);
  try {
    const user = context.services.users.get(userId);
    if (!user || !server) throw new GatewayError(404, "mcp_server_not_found", { code: "mcp_server_not_found" });
    const caller = sessionCaller(context, { user, person: user, group: user.group, ip });
    const offered = new OfferedTools([server], false, caller).find(tool);
    if (!offered) {
      throw new GatewayError(404, "mcp_tool_not_found", { code: "gateway_mcp_no_tool", params: { tool } });
    }
    const attempt = { request, caller, ip, timing, session, labels: {}, offered, input };
    const result = await callTool(context, attempt).finally(() => context.mcpSessions.end([server], caller, session));
    return { requestId, elapsedMs: ended(), result, error: null };
  } catch (thrown) {
    return { requestId, elapsedMs: ended(), result: null, error: toGatewayError(context, thrown, requestId).reason };
  }
}
