import type { Call } from "../../call/call.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import type { Arrival } from "../../request/arrival.ts";
import type { UsesStores } from "../../state/stores.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import type { HandleCall } from "./run-mcp.ts";
import type { SiteSourceContext } from "./sources/site-tools.ts";

/** What these functions work with. */
export type ServeMcpContext = Uses<"settings" | "config"> &
  UsesStores<"responses"> &
  Pick<CallTools, "catalog"> &
  Pick<UpstreamTools, "limitations" | "mcpFetch"> &
  SiteSourceContext;

/**
 * Serves a call with MCP servers in rounds of `handle`, or plans it onto channels whose provider connects to them itself: then
 * it answers that call. Calls without such servers load this module alone. Rejects GatewayError or DecodeError.
 */
export async function serveMcp(
  context: ServeMcpContext,
  arrival: Arrival,
  call: Call,
  handle: HandleCall,
): Promise<Response | Call> {
  const { planMcp, runMcp } = await import("./run-mcp.ts");
  return planMcp(context, call) ?? (await runMcp(context, arrival, call, handle));
}
