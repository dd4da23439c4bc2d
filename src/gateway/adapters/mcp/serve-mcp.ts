import type { JsonObject } from "../../../formats/json.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { Arrival } from "../../http/arrival.ts";
import type { Endpoint } from "../../http/endpoints/endpoint.ts";
import type { HandleCall } from "./run-mcp.ts";

/**
 * Whether a request names MCP servers: in `tools` of OpenAI's Responses, in `mcp_servers` of Anthropic's Messages. Calls without
 * any load this module alone.
 */
export function hasMcpTools({ codec: { dialect }, capability, compacts }: Endpoint, json: JsonObject): boolean {
  if (dialect === "anthropic") {
    return capability === "chat" && Array.isArray(json.mcp_servers) && json.mcp_servers.length > 0;
  }
  return dialect === "openai-responses" && !compacts && Array.isArray(json.tools) && json.tools.some(isMcpTool);
}

const isMcpTool = (tool: unknown): boolean =>
  typeof tool === "object" && tool !== null && "type" in tool && tool.type === "mcp";

/**
 * Serves a call with MCP servers in rounds of `handle`, or plans it onto channels whose provider connects to them itself: then
 * it answers that call. Rejects GatewayError or DecodeError.
 */
export async function serveMcp(
  context: GatewayContext,
  arrival: Arrival,
  call: Call,
  handle: HandleCall,
): Promise<Response | Call> {
  const { planMcp, runMcp } = await import("./run-mcp.ts");
  return planMcp(context, call) ?? (await runMcp(context, arrival, call, handle));
}
