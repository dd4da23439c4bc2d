import { Elysia } from "elysia";
import { AUTH_METHODS, GRANT_TYPES } from "../../domain/api-keys/authorization/clients/client-metadata.ts";
import {
  type ApplicationDeps,
  authenticateClient,
  type ClientCredentials,
  registerClient,
} from "../../domain/api-keys/authorization/clients/clients.ts";
import { OAuthError } from "../../domain/api-keys/authorization/oauth-error.ts";
import { redeemCode, refreshTokens, revokeToken, type TokenPair } from "../../domain/api-keys/authorization/redeem.ts";
import { asksForScope, MCP_SCOPE, serverOfResource } from "../../domain/api-keys/authorization/resource.ts";
import { parseJson } from "../../formats/json.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { limitKeyOf } from "../../lib/http/client-ip.ts";
import { bytesUpTo } from "../../lib/http/limited-body.ts";
import { requestIdOf, requestOrigin } from "../../lib/http/request.ts";
import { createRateLimiter, type RateLimiter } from "../../lib/limits/rate-limiter.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { signInSite } from "../../settings/option/public-address.ts";
import { isDatabaseAway } from "../http/envelope.ts";

/** What the endpoints of OAuth work with. */
export type OAuthServices = ApplicationDeps &
  Readonly<{ log: Logger; config: Readonly<{ basePath: string; isOffline: boolean }> }>;

/** By address: registrations, tokens that were refused, and all requests for tokens. */
const REGISTRATIONS = { count: 20, windowMs: 600_000 };
const REFUSALS = { count: 100, windowMs: 600_000 };
const REQUESTS = { count: 1_000, windowMs: 600_000 };
const MAX_BODY_BYTES = 65_536;

/** Any website may be an application: no credential travels by itself. */
const CORS = { "access-control-allow-origin": "*" } as const;
const PREFLIGHT = {
  ...CORS,
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*, Authorization",
  "access-control-max-age": "86400",
} as const;

const METADATA = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/**
 * The authorization server of the site's MCP servers: metadata, registration, tokens and revocation. People decide on a page of the
 * console. Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function oauthRoutes(services: OAuthServices) {
  const registrations = createRateLimiter(REGISTRATIONS);
  const refusals = createRateLimiter(REFUSALS);
  const requests = createRateLimiter(REQUESTS);
  const endpoint = endpointOf(services);
  const app = new Elysia({ name: "console/oauth" })
    .post(
      "/oauth/register",
      ({ request }) =>
        endpoint(request, async () => {
          count(registrations);
          if (mediaTypeOf(request) !== "application/json")
            throw new OAuthError("invalid_client_metadata", "The Content-Type must be application/json.");
          const client = await registerClient(services, parseJson(await readText(request)), nowSeconds());
          return respond(client, 201);
        }),
      { parse: "none" },
    )
    .post(
      "/oauth/token",
      ({ request }) =>
        endpoint(request, (site) => {
          count(requests);
          return limitRefusals(refusals, async () => respond(viewPair(await grantTokens(services, request, site))));
        }),
      { parse: "none" },
    )
    .post(
      "/oauth/revoke",
      ({ request }) =>
        endpoint(request, () => {
          count(requests);
          return limitRefusals(refusals, async () => {
            const form = await readForm(request);
            const clientId = await authenticateClient(services, credentialsOf(request, form));
            await revokeToken(services, required(form, "token"), clientId);
            return respond({});
          });
        }),
      { parse: "none" },
    )
    .get("/oauth/jwks", ({ request }) => endpoint(request, async () => respond({ keys: [] })));
  for (const path of METADATA) {
    app.get(path, ({ request }) => endpoint(request, async (site) => respond(metadataOf(services, site))));
  }
  for (const path of ["/oauth/register", "/oauth/token", "/oauth/revoke", "/oauth/jwks", ...METADATA]) {
    app.options(path, () => new Response(null, { status: 204, headers: PREFLIGHT }), { detail: { hide: true } });
  }
  return app;
}

/** Metadata by RFC 8414 (2), with what clients demand of OpenID providers: no id token is ever issued, so there are no keys. */
const metadataOf = ({ config }: OAuthServices, site: string) => ({
  issuer: site,
  authorization_endpoint: `${site}/oauth/authorize`,
  token_endpoint: `${site}/oauth/token`,
  registration_endpoint: `${site}/oauth/register`,
  revocation_endpoint: `${site}/oauth/revoke`,
  jwks_uri: `${site}/oauth/jwks`,
  scopes_supported: [MCP_SCOPE],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ["S256"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: !config.isOffline,
});

async function grantTokens(services: OAuthServices, request: Request, site: string): Promise<TokenPair> {
  const form = await readForm(request);
  const type = required(form, "grant_type");
  if (!GRANT_TYPES.includes(type))
    throw new OAuthError("unsupported_grant_type", `grant_type must be one of ${GRANT_TYPES.join(", ")}.`);
  const clientId = await authenticateClient(services, credentialsOf(request, form));
  const resource = form.get("resource");
  const server = resource === undefined ? undefined : serverOfResource(site, resource);
  if (server === null) throw new OAuthError("invalid_target", "The resource is no address of MCP servers here.");
  const redeemer = { clientId, server, now: nowSeconds() };
  if (type === "refresh_token") {
    if (!asksForScope(form.get("scope"))) throw new OAuthError("invalid_scope", `The scope there is: ${MCP_SCOPE}.`);
    return refreshTokens(services, required(form, "refresh_token"), redeemer);
  }
  const [code, verifier] = [required(form, "code"), required(form, "code_verifier")];
  return redeemCode(services, code, { ...redeemer, verifier, redirectUri: form.get("redirect_uri") });
}

const viewPair = ({ accessToken, refreshToken, expiresIn }: TokenPair) => ({
  ...{ access_token: accessToken, token_type: "Bearer", expires_in: expiresIn },
  ...{ refresh_token: refreshToken, scope: MCP_SCOPE },
});

/** Answers a request to an endpoint, where applications can sign people in, and its failures as RFC 6749 (5.2) has them. */
function endpointOf({ settings, config, log }: OAuthServices) {
  return async (request: Request, work: (site: string) => Promise<Response>): Promise<Response> => {
    const site = settings.get("mcp.oauth_enabled") ? signInSite(settings, request, config.basePath) : null;
    if (site === null) return refuse("invalid_request", "Applications can't sign people in at this address.", 404);
    try {
      return await work(site);
    } catch (error) {
      if (error instanceof TooMany) {
        const refusal = refuse("temporarily_unavailable", "Too many requests. Try again later.", 429);
        refusal.headers.set("retry-after", String(error.seconds));
        return refusal;
      }
      if (error instanceof OAuthError) {
        const isUnknown = error.error === "invalid_client";
        const refusal = refuse(error.error, error.description, isUnknown ? 401 : 400);
        if (isUnknown && request.headers.has("authorization"))
          refusal.headers.set("www-authenticate", `Basic realm="${config.basePath}/oauth"`);
        return refusal;
      }
      if (isDatabaseAway(error)) return refuse("temporarily_unavailable", "The database does not answer.", 503);
      log.error({ requestId: requestIdOf(request), error }, "a request to an endpoint of OAuth failed");
      return refuse("server_error", "An unexpected error occurred.", 500);
    }
  };
}

const respond = (body: object, status = 200): Response =>
  Response.json(body, { status, headers: { ...CORS, "cache-control": "no-store" } });

const refuse = (error: string, description: string, status: number): Response =>
  respond({ error, error_description: description }, status);

class TooMany extends Error {
  override name = "TooMany";
  constructor(readonly seconds: number) {
    super("too many requests");
  }
}

function limit(seconds: number): void {
  if (seconds > 0) throw new TooMany(seconds);
}

function count(limiter: RateLimiter): void {
  const address = addressOf();
  // Without an address (a Unix socket) all callers would share one counter.
  if (address !== "") limit(limiter.take(address));
}

/** Refused requests of an address are counted: nobody tries out tokens. */
async function limitRefusals<T>(limiter: RateLimiter, work: () => Promise<T>): Promise<T> {
  const address = addressOf();
  if (address !== "") limit(limiter.check(address));
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) limiter.take(address);
    throw error;
  }
}

const addressOf = (): string => limitKeyOf(requestOrigin()?.ip ?? "");

type Form = ReadonlyMap<string, string>;

/** The fields of a form, none of which may come twice (RFC 6749, 3.2); empty ones are as if they were not there. */
async function readForm(request: Request): Promise<Form> {
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded")
    throw new OAuthError("invalid_request", "The Content-Type must be application/x-www-form-urlencoded.");
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readText(request))) {
    if (form.has(name)) throw new OAuthError("invalid_request", "No parameter may be sent twice.");
    if (value !== "") form.set(name, value);
  }
  return form;
}

const mediaTypeOf = ({ headers }: Request): string =>
  (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

async function readText(request: Request): Promise<string> {
  const bytes = await bytesUpTo(request, MAX_BODY_BYTES);
  if (!bytes) throw new OAuthError("invalid_request", `The body may have ${MAX_BODY_BYTES} bytes.`);
  return Buffer.from(bytes).toString("utf8");
}

function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `${name} is missing.`);
  return value;
}

/** Who the client says it is, and how: in one way alone (RFC 6749, 2.3). */
function credentialsOf({ headers }: Request, form: Form): ClientCredentials {
  const authorization = headers.get("authorization");
  const secret = form.get("client_secret") ?? null;
  if (authorization === null)
    return { id: required(form, "client_id"), secret, method: secret === null ? "none" : "client_secret_post" };
  const basic = /^basic +([\w+/=-]+)$/i.exec(authorization.trim())?.[1];
  const [id, ...rest] = basic === undefined ? [] : Buffer.from(basic, "base64").toString("utf8").split(":");
  if (id === undefined || rest.length === 0 || secret !== null)
    throw new OAuthError("invalid_client", "Authenticate by Basic or with client_secret, in one way.");
  if (form.has("client_id") && form.get("client_id") !== decode(id))
    throw new OAuthError("invalid_client", "The client_id is another one than in the Authorization header.");
  return { id: decode(id), secret: decode(rest.join(":")), method: "client_secret_basic" };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
