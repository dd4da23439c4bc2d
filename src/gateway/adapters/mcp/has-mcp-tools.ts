import type { JsonObject } from "../../../formats/json.ts";
import type { Endpoint } from "../../http/endpoints/endpoint.ts";

/** Whether a request names MCP servers. Calls without any load this module alone. */
export const hasMcpTools = ({ codec, compacts }: Endpoint, json: JsonObject): boolean =>
  codec.dialect === "openai-responses" && !compacts && Array.isArray(json.tools) && json.tools.some(isMcpTool);

const isMcpTool = (tool: unknown): boolean =>
  typeof tool === "object" && tool !== null && "type" in tool && tool.type === "mcp";
