import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { Arrival } from "../../request/arrival.ts";
import type { HandleCall } from "./run-mcp.ts";

/**
 * Serves a call with MCP servers in rounds of `handle`, or plans it onto channels whose provider connects to them itself: then
 * it answers that call. Calls without such servers load this module alone. Rejects GatewayError or DecodeError.
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
