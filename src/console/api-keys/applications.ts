import { Elysia, t } from "elysia";
import type { Acting } from "../../domain/accounts/organizations/members/acting.ts";
import {
  type AuthorizationRequest,
  approveApplication,
  readAuthorizationRequest,
} from "../../domain/api-keys/authorization/authorize.ts";
import { isDocumentId } from "../../domain/api-keys/authorization/clients/client-documents.ts";
import { redirectHost, withResponse } from "../../domain/api-keys/authorization/clients/redirect-uris.ts";
import { listGrants, revokeGrant } from "../../domain/api-keys/authorization/grants.ts";
import type { OAuthError } from "../../domain/api-keys/authorization/oauth-error.ts";
import { keyOwner } from "../../domain/api-keys/operation.ts";
import type { McpLookup } from "../../domain/models/mcp/directory.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { signInSite } from "../../settings/option/public-address.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";
import { refuseTooMany } from "../http/rate-limit.ts";
import type { OAuthServices } from "./oauth.ts";

type ConsentServices = OAuthServices & Readonly<{ mcpServers: Pick<McpLookup, "of"> }>;

/** Requests that one person opens: each may have the metadata of a client read. */
const REQUESTS = { count: 60, windowMs: 600_000 };
const DAY_SECONDS = 86_400;
const LONGEST = 4_000;

const parameter = t.Optional(t.String({ maxLength: LONGEST }));
/** The query of the authorization endpoint, as the page got it. */
const authorization = t.Object({
  ...{ client_id: parameter, redirect_uri: parameter, response_type: parameter, state: parameter },
  ...{ code_challenge: parameter, code_challenge_method: parameter, scope: parameter, resource: parameter },
});
type Query = typeof authorization.static;

/** Applications that ask for access to MCP servers by OAuth: a person decides, sees who has access, and ends it. */
export function applicationRoutes(services: ConsentServices, guarded: ReturnType<typeof guard>) {
  const { settings, config, mcpServers } = services;
  const requests = createRateLimiter(REQUESTS);
  const read = async (request: Request, { person, actor }: Pick<Acting, "actor" | "person">, query: Query) => {
    const site = settings.get("mcp.oauth_enabled") ? signInSite(settings, request, config.basePath) : null;
    if (site === null) throw new OperationError("applications_off", {}, { status: 404 });
    // Only a person can consent.
    if (person.kind === "service") throw new OperationError("service_account_not_here", {}, { status: 403 });
    refuseTooMany(requests.take(String(person.id)));
    const pending = await readAuthorizationRequest(services, query, site);
    const usable = mcpServers.of({ group: actor.group, accountId: actor.id, projectId: 0, keyId: 0 });
    return { site, pending, usable: usable.map(({ name }) => name) };
  };
  return new Elysia({ prefix: "/api/applications", name: "console/applications" })
    .use(guarded)
    .post(
      "/request",
      async ({ request, body, ...acting }) => {
        const { site, pending, usable } = await read(request, acting, body);
        const { client, redirectUri, server, refusal } = pending;
        return ok({
          client: client.name,
          // Whoever has the host says so; a name is whatever the client chose.
          document_host: isDocumentId(client.id) ? new URL(client.id).host : "",
          ...{ redirect_host: redirectHost(redirectUri), server, servers: usable },
          refusal: refusal && { reason: refusal.description, return_to: refused(pending, body, site, refusal) },
        });
      },
      { account: "keys.write", body: authorization },
    )
    .post(
      "/approve",
      async ({ request, body, ...acting }) => {
        const { query, name, servers = null, daily_quota: dailyQuota = null, days } = body;
        const { site, pending, usable } = await read(request, acting, query);
        const { redirectUri, server, refusal } = pending;
        if (refusal) return ok({ return_to: refused(pending, query, site, refusal) });
        const chosen = server === "" ? servers : [server];
        const unknown = chosen?.find((one) => !usable.includes(one));
        if (unknown !== undefined) throw new OperationError("application_server_unavailable", { server: unknown });
        const now = nowSeconds();
        const expiresAt = days === undefined ? null : now + days * DAY_SECONDS;
        const { person } = acting;
        const code = await approveApplication(services, { person, owner: keyOwner(acting) }, pending, {
          ...{ consent: { name, servers: chosen, dailyQuota, expiresAt }, now },
        });
        return ok({ return_to: withResponse(redirectUri, { code, state: query.state, iss: site }) });
      },
      {
        account: "keys.write",
        body: t.Object({
          query: authorization,
          name: t.String({ minLength: 1, maxLength: 200 }),
          servers: t.Optional(
            t.Array(t.String({ maxLength: 100 }), {
              ...{ minItems: 1, maxItems: 1_000 },
              description: "Names of the servers that the application may use; absent: all, also later ones.",
            }),
          ),
          daily_quota: t.Optional(
            t.Number({ description: "What the application may spend a day, in quota units; absent: no limit." }),
          ),
          days: t.Optional(integer({ minimum: 1, maximum: 3_650 })),
        }),
      },
    )
    .post(
      "/deny",
      async ({ request, body, ...acting }) => {
        const { site, pending } = await read(request, acting, body);
        const answer = { error: "access_denied", error_description: "The user denied access.", state: body.state };
        return ok({ return_to: withResponse(pending.redirectUri, { ...answer, iss: site }) });
      },
      { account: "keys.write", body: authorization },
    )
    .get("/", async ({ actor }) => ok(await listGrants(services, actor)), { role: "user" })
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await revokeGrant(services, actor, params.id);
        return ok(null);
      },
      { role: "user", params: t.Object({ id }) },
    );
}

/** Where a person goes back to with a refusal: never without their click, for anybody can register a redirect URI (RFC 9700, 4.11.2). */
const refused = ({ redirectUri }: AuthorizationRequest, { state }: Query, iss: string, refusal: OAuthError): string =>
  withResponse(redirectUri, { error: refusal.error, error_description: refusal.description, state, iss });
