import { eq } from "drizzle-orm";
import { mcpServers } from "../../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../../db/types.ts";
import { recordOf } from "../../../../formats/json.ts";
import { FieldError, httpAddress } from "../../../../lib/field-readers.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { refusing } from "../../catalog/save-entry.ts";
import type { McpServerInput } from "../save-server.ts";
import { baseAddressOf, fetchDocument, keyPlaceOf, parseDocument } from "./document.ts";

type Deps = Readonly<{ db: Db; fetch: SafeFetch }>;
type Place = Readonly<{ document_url?: unknown }>;

/** The document of a server: from its address, else the one that was pasted. Rejects OutboundError or OperationError. */
export async function documentOf({ db, fetch }: Deps, { document_url: address }: Place, id: number | null) {
  if (address !== undefined)
    return await fetchDocument(
      fetch,
      refusing(() => httpAddress(address, "document_url")),
    );
  const isServer = eq(mcpServers.id, id ?? 0);
  const [row] = await db.select({ document: mcpServers.document }).from(mcpServers).where(isServer);
  if (row?.document) return row.document;
  return refusing(() => {
    throw new FieldError("document", "an OpenAPI document, or document_url its address");
  });
}

/**
 * Fills in what the server's OpenAPI document says and the input leaves out: its address, and where the key goes. They are saved, so a
 * document that changes cannot lead credentials elsewhere. `id` null: a new server. Rejects OperationError or OutboundError.
 */
export async function completeServer(deps: Deps, input: McpServerInput, id: number | null): Promise<McpServerInput> {
  const server = recordOf(input.server);
  if (server?.kind !== "openapi") return input;
  const needsPlace = server.auth === "key" && server.header === undefined && server.query === undefined;
  if (server.url !== undefined && !needsPlace) return input;
  const pasted = server.document_url === undefined ? input.document : undefined;
  const document = await parseDocument(pasted || (await documentOf(deps, server, id)));
  const address = typeof server.document_url === "string" ? server.document_url : undefined;
  const url = server.url ?? baseAddressOf(document, address);
  return refusing(() => {
    if (url === null) throw new FieldError("url", "the address of the API, which its document does not name");
    return { ...input, server: { ...server, url, ...(needsPlace && keyPlaceOf(document)) } };
  });
}
