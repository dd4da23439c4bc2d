import { and, eq, inArray, lt, notExists, sql } from "drizzle-orm";
import { oauthClients, oauthGrants } from "../../../../../db/schema/accounts/applications.ts";
import { randomText } from "../../../../lib/security/crypto.ts";
import type { ApiKeyDeps } from "../../operation.ts";
import { OAuthError } from "../oauth-error.ts";
import { MCP_SCOPE } from "../resource.ts";
import { type ClientDocuments, isDocumentId } from "./client-documents.ts";
import {
  AUTH_METHODS,
  type AuthMethod,
  type ClientMetadata,
  GRANT_TYPES,
  readClientMetadata,
} from "./client-metadata.ts";

/** What the operations on applications work with. */
export type ApplicationDeps = ApiKeyDeps & Readonly<{ documents: ClientDocuments }>;

/** A client of OAuth: one that registered itself, or one whose id is the address of its metadata. */
export type OAuthClient = ClientMetadata & Readonly<{ id: string; secretHash: string }>;

/** Of those that nobody has given access. */
const MOST_UNUSED = 5_000;
/** So long, for a client that remembers its id goes to the authorization page with it, where it can't learn that it is unknown. */
const UNUSED_SECONDS = 30 * 86_400;
/** Without access, a client that had some is kept so long. */
const LEFT_SECONDS = 180 * 86_400;

/**
 * Registers a client (RFC 7591) and returns its registration. Beyond MOST_UNUSED clients that nobody uses the oldest is forgotten.
 * Throws OAuthError.
 */
export async function registerClient({ db, vault }: Pick<ApiKeyDeps, "db" | "vault">, input: unknown, now: number) {
  const { name, redirectUris, authMethod } = readClientMetadata(input, "client_secret_basic");
  const id = `client_${randomText(18)}`;
  const secret = authMethod === "none" ? null : randomText(32);
  await db.transaction(async (tx) => {
    await tx.insert(oauthClients).values({
      ...{ id, name, redirectUris: [...redirectUris], authMethod, createdAt: now },
      secretHash: secret === null ? "" : secretHashOf(vault, secret),
    });
    const beyond = tx
      .select({ id: oauthClients.id })
      .from(oauthClients)
      .where(eq(oauthClients.usedAt, 0))
      .orderBy(sql`${oauthClients.createdAt} desc, ${oauthClients.id}`)
      .offset(MOST_UNUSED);
    await tx.delete(oauthClients).where(inArray(oauthClients.id, beyond));
  });
  return {
    ...{ client_id: id, client_id_issued_at: now },
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    ...{ client_name: name, redirect_uris: redirectUris, token_endpoint_auth_method: authMethod },
    ...{ grant_types: GRANT_TYPES, response_types: ["code"], scope: MCP_SCOPE },
  };
}

/** Forgets registered clients that nobody uses. */
export async function forgetClients({ db }: Pick<ApiKeyDeps, "db">, now: number): Promise<void> {
  const isUnused = and(eq(oauthClients.usedAt, 0), lt(oauthClients.createdAt, now - UNUSED_SECONDS));
  const isLeft = and(
    lt(oauthClients.usedAt, now - LEFT_SECONDS),
    notExists(db.select({ id: oauthGrants.id }).from(oauthGrants).where(eq(oauthGrants.clientId, oauthClients.id))),
  );
  await db.delete(oauthClients).where(isUnused);
  await db.delete(oauthClients).where(and(sql`${oauthClients.usedAt} > 0`, isLeft));
}

/** The client of an id; null: there is none. Throws OAuthError invalid_client: its metadata cannot be used. */
export async function findClient({ db, documents }: Pick<ApplicationDeps, "db" | "documents">, id: string) {
  if (isDocumentId(id)) return { id, secretHash: "", ...(await documents.read(id)) };
  return findRegistered(db, id);
}

async function findRegistered(db: ApiKeyDeps["db"], id: string): Promise<OAuthClient | null> {
  const [found] = await db.select().from(oauthClients).where(eq(oauthClients.id, id));
  if (!found) return null;
  const { name, redirectUris, secretHash } = found;
  const authMethod = AUTH_METHODS.find((method) => method === found.authMethod) ?? "none";
  return { id, name, redirectUris, authMethod, secretHash };
}

/** What a client sends to authenticate. */
export type ClientCredentials = Readonly<{ id: string; secret: string | null; method: AuthMethod }>;

/**
 * The id of a client that authenticated as it registered. A client with a metadata document has no secret: that it has the code's
 * verifier or the refresh token is all that is known. Throws OAuthError invalid_client.
 */
export async function authenticateClient(
  { db, vault }: Pick<ApiKeyDeps, "db" | "vault">,
  { id, secret, method }: ClientCredentials,
): Promise<string> {
  if (isDocumentId(id)) {
    if (method !== "none") throw invalidClient("A client with a metadata document has no secret.");
    return id;
  }
  const client = await findRegistered(db, id);
  if (!client) throw invalidClient("There is no such client. Register again.");
  if (client.authMethod === "none") {
    if (method !== "none") throw invalidClient("This client has no secret.");
    return id;
  }
  if (client.authMethod !== method || secret === null || secretHashOf(vault, secret) !== client.secretHash)
    throw invalidClient(`The client must authenticate with its secret by ${client.authMethod}.`);
  return id;
}

const invalidClient = (description: string) => new OAuthError("invalid_client", description);

const secretHashOf = (vault: Pick<ApiKeyDeps["vault"], "keyedHash">, secret: string): string =>
  vault.keyedHash(`oauth client secret\n${secret}`);
