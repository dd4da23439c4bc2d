import type { ServerConnection } from "./connection.ts";
import { credentialedFetch, type McpFetches } from "./credentials.ts";
import type { McpServer } from "./directory.ts";

/** Makes the connection that calls a server's tools, which opens with its first use; `signal` ends it. */
export async function openConnection(
  fetches: McpFetches,
  server: McpServer,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const send = credentialedFetch(fetches, server);
  const { url, maxResultBytes: maxBytes, offered } = server;
  if (server.kind === "openapi") {
    const { OpenApiConnection } = await import("./openapi/openapi-connection.ts");
    return new OpenApiConnection(send, { url, maxBytes, signal, offered });
  }
  const { McpConnection } = await import("./connection.ts");
  return new McpConnection(send, { url, maxBytes, signal });
}
