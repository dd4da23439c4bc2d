import { Elysia } from "elysia";
import { apiKeyRoutes } from "../../../../src/console/api-keys/api-keys.ts";
import { applicationRoutes } from "../../../../src/console/api-keys/applications.ts";
import { oauthRoutes } from "../../../../src/console/api-keys/oauth.ts";
import { createAccessTokens } from "../../../../src/domain/api-keys/authorization/access-tokens.ts";
import { createClientDocuments } from "../../../../src/domain/api-keys/authorization/clients/client-documents.ts";
import { withOrigin } from "../../../../src/lib/http/request.ts";
import { serverAt } from "../../../gateway/mcp/configured-server.ts";
import type { TestDatabase } from "../../database.ts";
import { startTestConsole, TEST_SITE } from "../start-console.ts";
import { oauthClient, pkce } from "./oauth-client.ts";

/** The id of a client whose metadata is at an address. */
export const DOCUMENT_ID = "https://agent.example/client.json";
const DOCUMENT = {
  client_id: DOCUMENT_ID,
  client_name: "Agent by document",
  redirect_uris: ["http://127.0.0.1/callback"],
};

/** A console with the endpoints of OAuth, for which people decide, and MCP servers of these names. */
export async function startOAuthConsole(database?: TestDatabase, servers: readonly string[] = ["files", "github"]) {
  const app = await startTestConsole(database, async (services, guarded) => {
    const documents = createClientDocuments(async (address) => {
      const text = JSON.stringify(address === DOCUMENT_ID ? DOCUMENT : {});
      return { status: 200, headers: new Headers(), url: address, body: Buffer.from(text), text: () => text };
    });
    const mcpServers = {
      of: () => servers.map((name, at) => serverAt(at + 1, name, { url: "http://127.0.0.1:1/mcp" })),
    };
    const all = { ...services, documents, mcpServers, config: { basePath: "", isOffline: false } };
    return new Elysia().use(apiKeyRoutes(services, guarded)).use(oauthRoutes(all)).use(applicationRoutes(all, guarded));
  });
  let clients = 0;
  /** A client at an address of its own. */
  const client = () => {
    clients += 1;
    const origin = { ip: `10.0.${Math.floor(clients / 250)}.${clients % 250}`, requestId: "test" };
    return oauthClient(async (...call) => withOrigin(origin, () => app.send(...call)), TEST_SITE);
  };
  /** A registered client, the query of its request, and the verifier. */
  const begin = async (metadata: object = {}, fields: Record<string, string> = {}) => {
    const agent = client();
    const { body } = await agent.register(metadata);
    const clientId = String(body.client_id);
    const { verifier, challenge } = pkce();
    return { agent, body, clientId, verifier, query: agent.queryOf(clientId, challenge, fields) };
  };
  return {
    ...app,
    client,
    begin,
    /** What a process that has just started finds for an access token. */
    findAccess: (token: string) =>
      createAccessTokens({ db: app.db, vault: app.vault, hasKey: () => true, loadKey: async () => {} }).find(token, ""),
  };
}
