import { McpConnection } from "../../../../domain/models/mcp/connection.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { McpServer } from "../toolset.ts";
import type { ToolSource } from "./tool-result.ts";

/** The tools of a server at the address that a request names, with the request's credentials for it. */
export function addressSource(
  fetch: CheckedFetch,
  { url, headers }: Pick<McpServer, "headers" | "url">,
  signal: AbortSignal,
): ToolSource {
  const connection = new McpConnection(fetch, { url: new URL(url), headers, signal });
  return {
    isListedByClient: true,
    listTools: () => connection.listTools(),
    callTool: (name, input) => connection.callTool(name, input),
    close: () => connection.close(),
  };
}
