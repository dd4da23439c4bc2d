import { registerClient, selectClientAuthMethod, startAuthorization } from "@modelcontextprotocol/sdk/client/auth.js";
import { eq, sql } from "drizzle-orm";
import { mcpClients, mcpSignIns } from "../../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../../db/types.ts";
import { textOf } from "../../../../formats/json.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { randomText, type Vault } from "../../../../lib/security/crypto.ts";
import { requireServerAddress } from "../../../../settings/option/public-address.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import type { Acting } from "../../../accounts/organizations/members/acting.ts";
import { holdRight } from "../../../accounts/organizations/membership.ts";
import { writeOrganizationLog } from "../../../accounts/organizations/operation.ts";
import { startFlow, takeFlow } from "../../../accounts/sign-in/flows.ts";
import type { McpLookup, McpServer } from "../directory.ts";
import { discoverTarget, readScope, type SignInTarget } from "./discover.ts";
import { failureAt, readErrorCode } from "./failures.ts";
import { type Issuer, isSameIssuer, type OAuthClient, readClient, readIssuer, sealGrant, unseal } from "./grant.ts";
import { findServer } from "./list-sign-ins.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { exchangeCode } from "./request-tokens.ts";

/** What signing in at MCP servers works with. */
export type SignInDeps = Readonly<{
  db: Db;
  vault: Vault;
  settings: SettingsReader;
  send: CheckedFetch;
  mcpServers: McpLookup;
}>;

/** Where authorization servers send browsers back to: a page of the console. */
const CALLBACK_PATH = "/oauth/mcp/callback";

const STATE_BYTES = 32;

/**
 * Begins a sign-in of an account at a server: `url` is where the browser goes, `cookie` what it keeps. `session`: the value of the
 * person's session, in which alone the sign-in can be completed. Rejects OperationError.
 */
export async function startSignIn(
  deps: SignInDeps,
  acting: Acting,
  { serverId, session }: Readonly<{ serverId: number; session: string }>,
): Promise<Readonly<{ url: string; cookie: string }>> {
  const { vault, send } = deps;
  const redirectUri = `${requireServerAddress(deps.settings)}${CALLBACK_PATH}`;
  const server = await findServer(deps, acting, serverId);
  const target = await discoverTarget(send, server.url, server.definition.issuer);
  const scope = await scopeOf(deps, acting, server, target);
  const client = await clientOf(deps, server, target, { redirectUri, scope });
  const state = randomText(STATE_BYTES);
  const { authorizationUrl, codeVerifier: verifier } = await startAuthorization(target.issuer, {
    metadata: target.metadata,
    clientInformation: { client_id: client.id },
    ...{ redirectUrl: redirectUri, state, resource: target.resource },
    ...(scope !== undefined && { scope }),
  });
  const flow = {
    ...{ serverId, accountId: acting.actor.id, session: vault.keyedHash(session), url: server.url.href },
    ...{ client, from: issuerOf(target), resource: target.resource, verifier, redirectUri, scope: scope ?? "" },
    namesIssuer: target.namesIssuer,
  };
  const data = { state, sealed: vault.encrypt(JSON.stringify(flow)) };
  const cookie = await startFlow(deps, "mcp_sign_in", { userId: acting.person.id, data });
  return { url: authorizationUrl.href, cookie };
}

const issuerOf = ({ issuer, metadata, revocationEndpoint }: SignInTarget): Issuer => ({
  ...{ issuer, tokenEndpoint: metadata.token_endpoint, revocationEndpoint },
  methods: metadata.token_endpoint_auth_methods_supported ?? [],
});

/** What to request: as an administrator says, else as the server does, with what it has missed since the last sign-in. */
async function scopeOf(
  { db }: SignInDeps,
  { actor }: Acting,
  { id, definition }: McpServer,
  { scope, metadata }: SignInTarget,
): Promise<string | undefined> {
  const [row] = await db
    .select({ missing: mcpSignIns.missingScope })
    .from(mcpSignIns)
    .where(sql`${mcpSignIns.serverId} = ${id} and ${mcpSignIns.userId} = ${actor.id}`);
  const base = definition.oauth_scope ?? scope;
  // Without it, some servers issue no refresh token.
  const offline = definition.oauth_scope === undefined && metadata.scopes_supported?.includes("offline_access");
  const parts = [base, row?.missing, base !== undefined && offline ? "offline_access" : ""];
  const names = parts.flatMap((part) => (part ?? "").split(" ")).filter((name) => name !== "");
  return readScope([...new Set(names)].join(" "));
}

/** The client that an administrator has entered, or that is registered at this authorization server. Rejects OperationError. */
async function clientOf(
  { db, vault, send, settings }: SignInDeps,
  server: McpServer,
  { issuer, metadata }: SignInTarget,
  { redirectUri, scope }: Readonly<{ redirectUri: string; scope: string | undefined }>,
): Promise<OAuthClient> {
  const { client_id: entered } = server.definition;
  if (entered !== undefined) return { id: entered, secret: "", method: "", isEntered: true };
  const [row] = await db.select().from(mcpClients).where(eq(mcpClients.serverId, server.id));
  if (row && isSameIssuer(row.issuer, issuer) && row.redirectUri === redirectUri) {
    const stored = unseal(vault, row.clientCipher);
    const client = readClient(stored);
    const until = Number(stored?.secretUntil ?? 0);
    if (client && (until === 0 || until > nowSeconds())) return client;
  }
  const { host } = new URL(issuer);
  if (!metadata.registration_endpoint) throw new OperationError("mcp_oauth_no_registration", { host });
  const supported = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const registered = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: settings.get("SystemName") || "Sluice",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: selectClientAuthMethod({ client_id: "", client_secret: "" }, supported),
    },
    ...(scope !== undefined && { scope }),
    fetchFn: createOAuthFetch(send, server.url.protocol === "https:"),
  }).catch((error: unknown) => {
    throw failureAt(host, error);
  });
  const client: OAuthClient = {
    ...{ id: registered.client_id, secret: registered.client_secret ?? "", isEntered: false },
    method: registered.token_endpoint_auth_method ?? "",
  };
  const secretUntil = registered.client_secret_expires_at ?? 0;
  const values = { issuer, redirectUri, clientCipher: vault.encrypt(JSON.stringify({ ...client, secretUntil })) };
  await db
    .insert(mcpClients)
    .values({ serverId: server.id, ...values })
    .onConflictDoUpdate({ target: mcpClients.serverId, set: values });
  return client;
}

/** How an authorization server has answered, in the address to which it sent the browser. */
export type Callback = Readonly<{
  state: string;
  code?: string | undefined;
  /** The issuer that answers (RFC 9207). */
  iss?: string | undefined;
  error?: string | undefined;
}>;

/** A sign-in that is complete: which account's, and the server's name. */
export type SignedIn = Readonly<{ accountId: number; server: string }>;

/**
 * Completes the sign-in that this browser, session and person have begun; it can be completed once. Rejects OperationError; then nothing
 * is stored.
 */
export async function completeSignIn(
  deps: SignInDeps,
  person: UserEntry,
  { cookie, session, callback }: Readonly<{ cookie: string | null; session: string; callback: Callback }>,
): Promise<SignedIn> {
  const { db, vault, send, mcpServers } = deps;
  const flow = await takeFlow(deps, "mcp_sign_in", cookie, callback.state);
  const data = flow && unseal(vault, flow.data.sealed ?? "");
  const from = readIssuer(data?.from);
  const client = readClient(data?.client);
  const [url, resource] = [textOf(data?.url), textOf(data?.resource)];
  const isOwn = flow?.userId === person.id && data?.session === vault.keyedHash(session);
  if (!data || !isOwn || !from || !client || url === null || resource === null)
    throw new OperationError("oauth_state_wrong", {}, { status: 403 });
  const { host } = new URL(from.issuer);
  checkIssuer(callback, from.issuer, data.namesIssuer === true);
  if (callback.error === "access_denied") throw new OperationError("mcp_oauth_denied", { host });
  if (callback.error !== undefined)
    throw new OperationError("mcp_oauth_refused", { host, why: readErrorCode(callback.error) });
  if (!callback.code) throw new OperationError("mcp_oauth_invalid", { host });
  const [serverId, accountId] = [Number(data.serverId), Number(data.accountId)];
  const server = mcpServers.get(serverId);
  const isUnchanged =
    server?.definition.auth === "oauth" &&
    server.url.href === url &&
    (client.isEntered ? server.definition.client_id === client.id : server.definition.client_id === undefined);
  if (!isUnchanged) throw new OperationError("mcp_sign_in_changed");
  const isSecure = server.url.protocol === "https:";
  const known = client.isEntered ? { ...client, secret: server.secret } : client;
  const tokens = await exchangeCode(
    send,
    { from, client: known, resource, isSecure },
    {
      code: callback.code,
      ...{ verifier: textOf(data.verifier) ?? "", redirectUri: textOf(data.redirectUri) ?? "" },
    },
  ).catch(async (error: unknown) => {
    // The authorization server may have forgotten the client, so the next sign-in registers another one.
    if (!client.isEntered && isUnknownClient(error))
      await db.delete(mcpClients).where(eq(mcpClients.serverId, serverId));
    throw error;
  });
  const now = nowSeconds();
  const { accessToken, refreshToken, lifetime, scope } = tokens;
  const values = {
    organizationId: accountId === person.id ? null : accountId,
    signedInBy: person.id,
    grantCipher: sealGrant(vault, { url, resource, from, client, accessToken, refreshToken }),
    ...{ scope: scope ?? textOf(data.scope) ?? "", missingScope: "", signedInAt: now, issuedAt: now },
    ...{ expiresAt: lifetime === null ? null : now + lifetime, renewingUntil: 0, lastError: "" },
  };
  await db.transaction(async (tx) => {
    if (accountId !== person.id) {
      await holdRight(tx, accountId, person.id, "keys.all");
      await writeOrganizationLog(tx, accountId, person, {
        content: `${person.username} signed in to the MCP server ${server.name}`,
        note: { code: "organization_mcp_signed_in", params: { by: person.username, name: server.name } },
        action: "create",
      });
    }
    await tx
      .insert(mcpSignIns)
      .values({ serverId, userId: accountId, ...values })
      .onConflictDoUpdate({
        target: [mcpSignIns.serverId, mcpSignIns.userId],
        set: { ...values, version: sql`${mcpSignIns.version} + 1` },
      });
  });
  return { accountId, server: server.name };
}

/** Throws OperationError unless the authorization server that answers is the one that was asked (RFC 9207). */
function checkIssuer({ iss }: Callback, expected: string, isNamed: boolean): void {
  if (iss === undefined && !isNamed) return;
  if (iss !== expected)
    throw new OperationError("mcp_oauth_issuer", { issuer: (iss ?? "").slice(0, 200), expected }, { status: 403 });
}

const UNKNOWN_CLIENT: readonly unknown[] = ["invalid_client", "unauthorized_client"];
const isUnknownClient = (error: unknown): boolean =>
  error instanceof OperationError && error.code === "mcp_oauth_refused" && UNKNOWN_CLIENT.includes(error.params.why);
