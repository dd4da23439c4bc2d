import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/sdk/shared/auth.js";
import { checkResourceAllowed, resourceUrlFromServerUrl } from "@modelcontextprotocol/sdk/shared/auth-utils.js";
import { parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { failureAt } from "./failures.ts";
import { isSameIssuer } from "./grant.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";

/** Where accounts sign in for a server, and for what. */
export type SignInTarget = Readonly<{
  /** The authorization server, as its metadata names it. */
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** Empty: it has none. */
  revocationEndpoint: string;
  /** Whether it names itself when it answers (RFC 9207). */
  namesIssuer: boolean;
  /** What tokens are for (RFC 8707). */
  resource: string;
  /** What the server says that a client needs; undefined: it does not say. */
  scope: string | undefined;
}>;

const DISCOVERY_TIMEOUT_MS = 30_000;
const MAX_SCOPE_LENGTH = 2_000;
/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** A scope that can be requested; undefined: it is none. */
export const readScope = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= MAX_SCOPE_LENGTH && SCOPE.test(text) ? text : undefined;

/**
 * Finds the authorization server of an MCP server, by the metadata of the protected resource (RFC 9728) or else at its origin, and that
 * server's metadata (RFC 8414, or OpenID Connect Discovery). `expected`: the issuer that an administrator has confirmed. Rejects
 * OperationError.
 */
export async function discoverTarget(send: CheckedFetch, url: URL, expected?: string): Promise<SignInTarget> {
  const isSecure = url.protocol === "https:";
  const signal = AbortSignal.timeout(DISCOVERY_TIMEOUT_MS);
  const request = createOAuthFetch(send, isSecure, signal);
  try {
    const challenge = await readChallenge(send, url, signal);
    const resource = await readResource(url, challenge.resourceMetadataUrl, request);
    const named = resource?.authorization_servers ?? [];
    const issuer = pickIssuer(named, expected) ?? expected ?? url.origin;
    let text = "";
    const metadata = await discoverAuthorizationServerMetadata(issuer, {
      async fetchFn(...call) {
        const response = await request(...call);
        text = await response.clone().text();
        return response;
      },
    });
    if (!metadata) throw new OperationError("mcp_oauth_no_server", { host: new URL(issuer).host });
    // The SDK leaves out what OpenID Connect Discovery does not name.
    const { revocation_endpoint: revocation, authorization_response_iss_parameter_supported: namesIssuer } =
      recordOf(parseJson(text)) ?? {};
    const revocationEndpoint = textOf(revocation) ?? "";
    checkMetadata(metadata, revocationEndpoint, issuer, isSecure);
    const scopes = resource?.scopes_supported?.join(" ");
    return {
      ...{ issuer: metadata.issuer, metadata, revocationEndpoint, namesIssuer: namesIssuer === true },
      ...{ scope: readScope(challenge.scope) ?? readScope(scopes) },
      resource: resource?.resource ?? resourceUrlFromServerUrl(url).href,
    };
  } catch (error) {
    throw failureAt(url.host, error);
  }
}

/** What the server says to a request without credentials. A ping opens no session. */
async function readChallenge(send: CheckedFetch, url: URL, signal: AbortSignal) {
  const response = await send(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    signal,
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/** Older servers have no metadata; then they are their own authorization server. */
const HAS_NONE = /does not implement|^HTTP 4\d\d /;

async function readResource(url: URL, address: URL | undefined, fetch: ReturnType<typeof createOAuthFetch>) {
  const found = await discoverOAuthProtectedResourceMetadata(
    url,
    address && { resourceMetadataUrl: address },
    fetch,
  ).catch((error: unknown) => {
    if (error instanceof Error && !(error instanceof OutboundError) && HAS_NONE.test(error.message)) return null;
    throw error;
  });
  if (!found) return null;
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: found.resource }))
    throw new OperationError("mcp_oauth_resource", { resource: found.resource.slice(0, 200) });
  return found;
}

function pickIssuer(named: readonly string[], expected: string | undefined): string | undefined {
  const [first] = named;
  if (expected === undefined || first === undefined) return first;
  const found = named.find((issuer) => isSameIssuer(issuer, expected));
  if (found === undefined)
    throw new OperationError("mcp_oauth_other_issuer", { issuer: first.slice(0, 200), expected });
  return found;
}

function checkMetadata(
  metadata: AuthorizationServerMetadata,
  revocation: string,
  issuer: string,
  isSecure: boolean,
): void {
  const { host } = new URL(issuer);
  // RFC 8414, section 3.3: otherwise one server could answer in the name of another.
  if (!isSameIssuer(metadata.issuer, issuer))
    throw new OperationError("mcp_oauth_issuer", { issuer: metadata.issuer.slice(0, 200), expected: issuer });
  const {
    authorization_endpoint: authorization,
    token_endpoint: token,
    registration_endpoint: registration,
  } = metadata;
  for (const endpoint of [authorization, token, registration, revocation]) {
    if (!endpoint) continue;
    const { protocol, host: at } = new URL(endpoint);
    if (protocol !== "https:" && (isSecure || protocol !== "http:"))
      throw new OperationError("mcp_oauth_insecure", { host: at || host });
  }
  if (!metadata.response_types_supported.includes("code")) throw new OperationError("mcp_oauth_no_code", { host });
  if (!metadata.code_challenge_methods_supported?.includes("S256"))
    throw new OperationError("mcp_oauth_no_pkce", { host });
}
