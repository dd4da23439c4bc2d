import { recordOf } from "../../../../formats/json.ts";
import { httpAddress } from "../../../../lib/field-readers.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { refusing } from "../../catalog/save-entry.ts";
import type { McpServerInput } from "../save-server.ts";

/**
 * Fills in which authorization server a server names, if people sign in there and the input leaves it out. It is saved, so a server that
 * names another one later leads neither people nor the client's secret there. Rejects OperationError.
 */
export async function completeIssuer(send: CheckedFetch, input: McpServerInput): Promise<McpServerInput> {
  const server = recordOf(input.server);
  if (server?.auth !== "oauth" || server.issuer !== undefined || (server.kind ?? "http") !== "http") return input;
  const url = refusing(() => new URL(httpAddress(server.url, "url")));
  const { discoverTarget } = await import("./discover.ts");
  const { issuer } = await discoverTarget(send, url);
  return { ...input, server: { ...server, issuer } };
}
