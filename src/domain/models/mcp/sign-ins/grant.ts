import { parseJson, recordOf, textOf, textsOf } from "../../../../formats/json.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { McpServer } from "../directory.ts";

/** The gateway as a client of an authorization server. */
export type OAuthClient = Readonly<{
  id: string;
  /** Empty: none, or that of the server if an administrator has entered the client. */
  secret: string;
  /** How it authenticates, as its registration says; empty: it does not. */
  method: string;
  /** Whether an administrator has entered it; else the gateway has registered it. */
  isEntered: boolean;
}>;

/** Where tokens come from. */
export type Issuer = Readonly<{
  issuer: string;
  tokenEndpoint: string;
  /** Empty: it has none. */
  revocationEndpoint: string;
  /** How clients may authenticate; none: it does not say. */
  methods: readonly string[];
}>;

/** What a sign-in has granted: tokens, and the only places that get them. */
export type Grant = Readonly<{
  /** The address of the server, which alone gets the access token. */
  url: string;
  /** What the tokens are for (RFC 8707). */
  resource: string;
  from: Issuer;
  client: OAuthClient;
  accessToken: string;
  /** Empty: none, so an access token that expires ends the sign-in. */
  refreshToken: string;
}>;

/** The grant as it is stored. */
export const sealGrant = (vault: Vault, grant: Grant): string => vault.encrypt(JSON.stringify(grant));

/** The grant of a stored text; null: another release wrote it, or it belongs to another key. */
export function openGrant(vault: Vault, cipher: string): Grant | null {
  const { url, resource, from, client, accessToken, refreshToken } = unseal(vault, cipher) ?? {};
  const issuer = readIssuer(from);
  const known = readClient(client);
  if (!issuer || !known || !textOf(accessToken)) return null;
  return {
    ...{ url: textOf(url) ?? "", resource: textOf(resource) ?? "", from: issuer, client: known },
    ...{ accessToken: textOf(accessToken) ?? "", refreshToken: textOf(refreshToken) ?? "" },
  };
}

/** The members of encrypted JSON; null: it cannot be read. */
export function unseal(vault: Vault, cipher: string) {
  try {
    return recordOf(parseJson(vault.decrypt(cipher)));
  } catch {
    return null;
  }
}

/** What stored JSON says of a client; null: it says nothing. */
export function readClient(value: unknown): OAuthClient | null {
  const { id, secret, method, isEntered } = recordOf(value) ?? {};
  if (!textOf(id)) return null;
  return {
    ...{ id: textOf(id) ?? "", secret: textOf(secret) ?? "", method: textOf(method) ?? "" },
    isEntered: isEntered === true,
  };
}

/** What stored JSON says of an authorization server; null: it says nothing. */
export function readIssuer(value: unknown): Issuer | null {
  const { issuer, tokenEndpoint, revocationEndpoint, methods } = recordOf(value) ?? {};
  if (!textOf(issuer) || !textOf(tokenEndpoint)) return null;
  return {
    ...{ issuer: textOf(issuer) ?? "", tokenEndpoint: textOf(tokenEndpoint) ?? "" },
    ...{ revocationEndpoint: textOf(revocationEndpoint) ?? "", methods: textsOf(methods) },
  };
}

/** Whether two issuers are the same, but for a slash at the end. */
export const isSameIssuer = (one: string, other: string): boolean => canonical(one) === canonical(other);

const canonical = (issuer: string): string => (URL.parse(issuer)?.href ?? issuer).replace(/\/$/, "");

/** Whether a server is still the one that a grant is for: tokens go nowhere else. */
export function isGrantFor(grant: Grant, { url, definition }: Pick<McpServer, "definition" | "url">): boolean {
  const { auth, issuer, client_id: entered } = definition;
  const isSameClient = entered === undefined ? !grant.client.isEntered : grant.client.id === entered;
  return (
    auth === "oauth" &&
    grant.url === url.href &&
    isSameClient &&
    (issuer === undefined || isSameIssuer(issuer, grant.from.issuer))
  );
}
