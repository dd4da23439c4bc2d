import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { OperationError } from "../../../lib/operation-error.ts";
import type { ServerConnection } from "./connection.ts";
import { credentialedFetch, type McpFetches } from "./credentials.ts";
import type { McpServer } from "./directory.ts";

/**
 * Makes the connection that calls a server's tools, which opens with its first use, for an account; `signal` ends it, `capabilities` are
 * what the server learns of its client.
 */
export async function openConnection(
  fetches: McpFetches,
  server: McpServer,
  {
    signal,
    accountId,
    capabilities = {},
  }: Readonly<{ signal: AbortSignal; accountId: number; capabilities?: ClientCapabilities }>,
): Promise<ServerConnection> {
  const send = credentialedFetch(fetches, server, accountId);
  const { url, maxResultBytes: maxBytes, offered } = server;
  if (server.kind === "openapi") {
    const { OpenApiConnection } = await import("./openapi/openapi-connection.ts");
    return new OpenApiConnection(send, { url, maxBytes, signal, offered });
  }
  const { McpConnection } = await import("./connection.ts");
  if (server.kind === "stdio")
    return new McpConnection(processOf(fetches, server, { maxBytes, accountId }), { url, signal, capabilities });
  return new McpConnection(send, { url, maxBytes, signal, capabilities });
}

/** The transport of a server that is a process, for an account; 0: for the gateway itself. Throws OperationError unless the operator allows its command. */
export function processOf(
  { stdio }: Pick<McpFetches, "stdio">,
  server: McpServer,
  { maxBytes, accountId }: Readonly<{ maxBytes: number; accountId: number }>,
) {
  const { command = "", args = [] } = server.definition;
  if (!stdio) throw new OperationError("mcp_stdio_not_allowed", { command });
  stdio.require(command);
  return stdio.transport({ id: server.id, command, args, secret: server.secret, accountId }, maxBytes);
}

/** What a client can do at most as far as a server may ask for it: some servers have tools for such clients alone. */
export const allowedCapabilities = ({ asks }: Pick<McpServer, "asks">): ClientCapabilities => ({
  ...(asks.elicitation && { elicitation: { form: {}, url: {} } }),
  ...(asks.sampling && { sampling: { tools: {} } }),
  ...(asks.roots && { roots: {} }),
});
