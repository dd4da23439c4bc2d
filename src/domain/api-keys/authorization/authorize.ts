import { eq, sql } from "drizzle-orm";
import { oauthClients, oauthGrants, oauthTokens } from "../../../../db/schema/accounts/applications.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ApiKeyInput } from "../api-key-input.ts";
import { createApplicationKey } from "../create-api-key.ts";
import type { Owner } from "../operation.ts";
import { type ApplicationDeps, findClient, type OAuthClient } from "./clients/clients.ts";
import { isRegisteredUri } from "./clients/redirect-uris.ts";
import { OAuthError } from "./oauth-error.ts";
import { asksForScope, MCP_SCOPE, mcpResource, serverOfResource } from "./resource.ts";
import { CODE_SECONDS, newSecret } from "./secrets.ts";

/** The query of an authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707, 2). */
export type AuthorizationQuery = Readonly<{
  client_id?: string;
  redirect_uri?: string;
  response_type?: string;
  code_challenge?: string;
  code_challenge_method?: string;
  state?: string;
  scope?: string;
  resource?: string;
}>;

/** Who asks, and where the answer goes. `refusal`: the request is refused, which its client may learn. */
export type AuthorizationRequest = Readonly<{
  client: OAuthClient;
  redirectUri: string;
  challenge: string;
  /** The server whose address is requested; empty: all. */
  server: string;
  refusal: OAuthError | null;
}>;

/** An S256 challenge: a SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/**
 * Reads an authorization request at the site of this address. Throws OperationError where the answer has no place to go: an unknown
 * client, or a redirect URI that it did not register.
 */
export async function readAuthorizationRequest(
  deps: ApplicationDeps,
  query: AuthorizationQuery,
  site: string,
): Promise<AuthorizationRequest> {
  const client = await requireClient(deps, query.client_id ?? "");
  const [onlyUri, ...others] = client.redirectUris;
  const redirectUri = query.redirect_uri ?? (others.length === 0 ? onlyUri : undefined);
  if (redirectUri === undefined || !isRegisteredUri(client.redirectUris, redirectUri))
    throw new OperationError("application_redirect_invalid", { client: client.name }, { status: 400 });
  const server = serverOfResource(site, query.resource ?? mcpResource(site, ""));
  const { code_challenge: challenge = "" } = query;
  return { client, redirectUri, challenge, server: server ?? "", refusal: refusalOf(query, server) };
}

async function requireClient(deps: ApplicationDeps, id: string): Promise<OAuthClient> {
  try {
    const client = await findClient(deps, id);
    if (client) return client;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new OperationError("application_document_invalid", { reason: error.description }, { status: 400 });
  }
  throw new OperationError("application_unknown", {}, { status: 400 });
}

function refusalOf(query: AuthorizationQuery, server: string | null): OAuthError | null {
  const { response_type: type, code_challenge: challenge = "", code_challenge_method: method, scope } = query;
  if (type !== "code") return new OAuthError("unsupported_response_type", "response_type must be code.");
  if (method !== "S256" || !CHALLENGE.test(challenge))
    return new OAuthError("invalid_request", "PKCE is required: a code_challenge, and the code_challenge_method S256.");
  if (server === null) return new OAuthError("invalid_target", "The resource is no address of MCP servers here.");
  return asksForScope(scope) ? null : new OAuthError("invalid_scope", `The scope there is: ${MCP_SCOPE}.`);
}

/** What the person decides besides yes. */
export type Consent = Readonly<{
  name: string;
  /** Names of servers; null: all, also those that are added later. */
  servers: readonly string[] | null;
  /** What the application may spend a day, in quota units; null: no limit of its own. */
  dailyQuota: number | null;
  /** Epoch seconds; null: as long as the application uses it. */
  expiresAt: number | null;
}>;

/** Gives an application access, with an API key of the owner's for MCP servers alone, and returns the code. Throws OperationError. */
export async function approveApplication(
  deps: ApplicationDeps,
  { person, owner }: Readonly<{ person: Readonly<{ id: number }>; owner: Owner }>,
  { client, redirectUri, challenge, server }: AuthorizationRequest,
  { consent, now }: Readonly<{ consent: Consent; now: number }>,
): Promise<string> {
  const { vault } = deps;
  const code = newSecret("code");
  const expiresAt = now + CODE_SECONDS;
  await createApplicationKey(deps, owner, keyInput(consent, server), async (tx, { id: tokenId, name }) => {
    const values = { clientId: client.id, clientName: client.name, redirectUri, server, userId: person.id, tokenId };
    const [grant] = await tx
      .insert(oauthGrants)
      .values({ ...values, createdAt: now, expiresAt })
      .returning({ id: oauthGrants.id });
    if (!grant) throw new Error("the application's access was not stored");
    await tx
      .insert(oauthTokens)
      .values({ hash: vault.keyedHash(code), grantId: grant.id, kind: "code", challenge, expiresAt });
    await tx
      .update(oauthClients)
      .set({ usedAt: sql`greatest(${oauthClients.usedAt}, ${now})` })
      .where(eq(oauthClients.id, client.id));
    await writeManagementLog(
      tx,
      person,
      `Gave ${client.name} access to MCP servers by the API key ${name} (#${tokenId})`,
      {
        note: { code: "application_approved", params: { client: client.name, name, id: tokenId } },
        action: "create",
      },
    );
  });
  return code;
}

function keyInput({ name, servers, dailyQuota, expiresAt }: Consent, server: string): ApiKeyInput {
  const names = server === "" ? servers : [server];
  const quota = dailyQuota === null ? { unlimited_quota: true } : { budget_period: "day", budget_quota: dailyQuota };
  return {
    ...{ name, model_limits_enabled: true, model_limits: names?.map((one) => `mcp/${one}/*`) ?? ["mcp/*"] },
    ...quota,
    ...(expiresAt !== null && { expired_time: expiresAt }),
  };
}
