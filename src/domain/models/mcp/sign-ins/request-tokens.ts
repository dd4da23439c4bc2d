import {
  exchangeAuthorization,
  refreshAuthorization,
  selectClientAuthMethod,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { failureAt, isFinal } from "./failures.ts";
import type { Grant, Issuer, OAuthClient } from "./grant.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";

/** Tokens as an authorization server has issued them. */
export type IssuedTokens = Readonly<{
  accessToken: string;
  /** Empty: none. */
  refreshToken: string;
  /** Seconds; null: the server does not say. */
  lifetime: number | null;
  /** Null: as requested. */
  scope: string | null;
}>;

/** Whom a request for tokens goes to, and in whose name. */
export type TokenRequest = Readonly<{ from: Issuer; client: OAuthClient; resource: string; isSecure: boolean }>;

/** A renewal that failed; `isOver`: the server refuses the refresh token for good. */
export type RenewalFailure = Readonly<{ error: OperationError; isOver: boolean }>;

/** What fits into a header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
const MAX_LIFETIME_S = 10 * 365 * 86_400;
const MAX_SCOPE_LENGTH = 2_000;

/** Exchanges the code of an authorization for tokens. Rejects OperationError. */
export async function exchangeCode(
  send: CheckedFetch,
  request: TokenRequest,
  { code, verifier, redirectUri }: Readonly<{ code: string; verifier: string; redirectUri: string }>,
): Promise<IssuedTokens> {
  const { host } = new URL(request.from.tokenEndpoint);
  try {
    const tokens = await exchangeAuthorization(request.from.issuer, {
      ...optionsOf(request),
      ...{ authorizationCode: code, codeVerifier: verifier, redirectUri },
      fetchFn: createOAuthFetch(send, request.isSecure),
    });
    return read(tokens, host);
  } catch (error) {
    throw failureAt(host, error);
  }
}

const REFUSALS: readonly number[] = [400, 401, 403];

/** Exchanges a refresh token for new tokens. Never rejects. */
export async function renewTokens(
  send: CheckedFetch,
  request: TokenRequest,
  refreshToken: string,
): Promise<IssuedTokens | RenewalFailure> {
  const { host } = new URL(request.from.tokenEndpoint);
  const post = createOAuthFetch(send, request.isSecure);
  let status = 0;
  try {
    const tokens = await refreshAuthorization(request.from.issuer, {
      ...optionsOf(request),
      refreshToken,
      async fetchFn(...call) {
        const response = await post(...call);
        ({ status } = response);
        return response;
      },
    });
    return read(tokens, host);
  } catch (error) {
    return { error: failureAt(host, error), isOver: isFinal(error) || REFUSALS.includes(status) };
  }
}

/** Revokes what a grant has at its authorization server (RFC 7009); false: it has no endpoint for that, or did not. */
export async function revokeGrant(send: CheckedFetch, grant: Grant, secret: string): Promise<boolean> {
  const { client, from, refreshToken, accessToken, url } = grant;
  if (from.revocationEndpoint === "") return false;
  const isRefresh = refreshToken !== "";
  const form = new URLSearchParams({
    token: isRefresh ? refreshToken : accessToken,
    token_type_hint: isRefresh ? "refresh_token" : "access_token",
  });
  const known = client.isEntered ? { ...client, secret } : client;
  const method = selectClientAuthMethod(informationOf(known), [...from.methods]);
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  if (method === "client_secret_basic") {
    // As the SDK writes it for the token endpoint.
    headers.authorization = `Basic ${Buffer.from(`${known.id}:${known.secret}`).toString("base64")}`;
  } else {
    form.set("client_id", known.id);
    if (method === "client_secret_post") form.set("client_secret", known.secret);
  }
  try {
    const post = createOAuthFetch(send, url.startsWith("https:"));
    const response = await post(from.revocationEndpoint, { method: "POST", headers, body: form });
    return response.ok;
  } catch {
    return false;
  }
}

function optionsOf({ from, client, resource }: TokenRequest) {
  const metadata: AuthorizationServerMetadata = {
    issuer: from.issuer,
    token_endpoint: from.tokenEndpoint,
    // Of these, a request for tokens uses nothing.
    authorization_endpoint: from.issuer,
    response_types_supported: ["code"],
    ...(from.methods.length > 0 && { token_endpoint_auth_methods_supported: [...from.methods] }),
  };
  return { metadata, clientInformation: informationOf(client), resource };
}

const informationOf = ({ id, secret, method }: OAuthClient): OAuthClientInformationMixed => ({
  client_id: id,
  ...(secret !== "" && { client_secret: secret }),
  ...(method !== "" && { token_endpoint_auth_method: method }),
});

/** Throws OperationError for tokens that cannot be sent as bearer. */
function read({ access_token, refresh_token, expires_in, token_type, scope }: OAuthTokens, host: string): IssuedTokens {
  const isUsable = token_type.toLowerCase() === "bearer" && TOKEN.test(access_token);
  if (!isUsable) throw new OperationError("mcp_oauth_invalid", { host });
  const lifetime = expires_in !== undefined && expires_in > 0 ? Math.min(Math.floor(expires_in), MAX_LIFETIME_S) : null;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? "",
    lifetime,
    scope: scope?.slice(0, MAX_SCOPE_LENGTH) ?? null,
  };
}
