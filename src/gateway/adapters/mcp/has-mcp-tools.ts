import type { JsonObject } from "../../../formats/json.ts";
import type { Endpoint } from "../../http/endpoints/endpoint.ts";

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
