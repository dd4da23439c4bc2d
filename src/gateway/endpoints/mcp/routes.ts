import { MCP_SCOPE, mcpResource } from "../../../domain/api-keys/authorization/resource.ts";
import { decodePath, requestIdOf } from "../../../lib/http/request.ts";
import { sayReason } from "../../../lib/reason.ts";
import { signInSite, siteForCaller } from "../../../settings/option/public-address.ts";
import { OfferedTools, serversOf } from "../../adapters/mcp/sources/offered-tools.ts";
import {
  type AuthenticateAccessTokenContext,
  accessTokenOf,
  authenticateAccessToken,
} from "../../auth/access-token.ts";
import { refuseBrowserExtension } from "../../auth/rate-limit.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { CallTiming } from "../../call/progress.ts";
import type { Uses } from "../../call/services.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../pipeline/authenticate-in-turn.ts";
import type { ReadBodyContext } from "../../request/client-body.ts";
import { toGatewayError } from "../../request/error-response.ts";
import { corsHeaders } from "../../request/headers.ts";
import { readRequest } from "../../request/parse-request.ts";
import type { RefuseContext } from "../../request/refuse.ts";
import { type Route, type RoutedRequest, type RouteGroup, route } from "../route.ts";
import { SESSION_HEADER, toolEndpoint } from "./endpoint.ts";
import { newSessionId } from "./questions/client-abilities.ts";
import { takeClientMessage } from "./questions/client-messages.ts";
import type { ServerCallContext } from "./server-call.ts";

/** What the MCP endpoint works with. */
export type McpContext = ServerCallContext &
  AuthenticateInTurnContext &
  AuthenticateAccessTokenContext &
  ReadBodyContext &
  RefuseContext &
  Uses<"clientAddress" | "config" | "mcpServers" | "settings">;

const METADATA_PATH = "/.well-known/oauth-protected-resource";

/**
 * MCP servers over Streamable HTTP: all that a key may use at `/mcp`, one at `/mcp/{name}`, and what says how to authenticate
 * (RFC 9728). Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export function mcpRoutes(context: McpContext): readonly RouteGroup[] {
  const refuse: RouteGroup["refuse"] = (_context, request, error) => respondWithRpcError(context, request, error);
  const at = (path: string, nameOf: (routed: RoutedRequest) => string | null): readonly Route[] => [
    route("POST", path, (routed) => handlePost(context, routed, nameOf(routed))),
    route("DELETE", path, (routed) => handleDelete(context, routed, nameOf(routed))),
    // The gateway sends nothing that no request has asked for.
    { ...route("GET", path, async ({ request }) => notAllowed(request)), isHidden: true },
  ];
  return [
    {
      prefix: "/mcp",
      routes: [...at("", () => null), ...at("/:name", ({ param }) => decodePath(param("name")))],
      refuse,
    },
    {
      prefix: METADATA_PATH,
      routes: ["", "/mcp", "/mcp/:name"].map((path) => ({
        ...route("GET", path, async ({ request, param }) => metadata(context, request, decodePath(param("name")))),
        isHidden: true,
      })),
      refuse,
    },
  ];
}

async function handlePost(context: McpContext, { request, server }: RoutedRequest, name: string | null) {
  const timing = new CallTiming(performance.now());
  try {
    const ip = context.services.clientAddress.ip(request, server);
    const caller = await callerOf(context, request, { ip, name });
    if (context.services.settings.values["global.block_browser_extension_enabled"]) refuseBrowserExtension(request);
    const servers = serversOf(context.services, caller, name);
    if (name !== null && servers.length === 0) throw unknownServer(name);
    const { json } = await readRequest(context, { request, server, endpoint: toolEndpoint }, timing);
    if (await takeClientMessage(context, request, { json, caller }))
      return withHeaders(request, new Response(null, { status: 202 }));
    const { serveMessage } = await import("./serve-message.ts");
    const isJoined = name === null;
    const tools = new OfferedTools(servers, isJoined, caller);
    const response = await serveMessage(context, { request, json, caller, ip, timing, tools, servers, isJoined });
    if (json.method === "initialize" && response.ok) response.headers.set(SESSION_HEADER, newSessionId(json));
    return withHeaders(request, response);
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** Ends the sessions at servers that the client's session has. */
async function handleDelete(context: McpContext, { request, server }: RoutedRequest, name: string | null) {
  try {
    const caller = await callerOf(context, request, { ip: context.services.clientAddress.ip(request, server), name });
    const session = request.headers.get(SESSION_HEADER);
    if (session) context.mcpSessions.end(serversOf(context.services, caller, null), caller, session);
    return withHeaders(request, new Response(null, { status: 204 }));
  } catch (error) {
    return refuse(context, request, error);
  }
}

/** Whose call it is, when it is their turn: by API key, or by an application's access token for this address. */
async function callerOf(
  context: McpContext,
  request: Request,
  { ip, name }: Readonly<{ ip: string; name: string | null }>,
): Promise<Caller> {
  const token = accessTokenOf(request);
  if (token === null) return authenticateInTurn(context, request, ip);
  const caller = await authenticateAccessToken(context, { token, server: name ?? "", ip });
  await context.turns.enter(caller.user.id);
  return caller;
}

const unknownServer = (name: string): GatewayError =>
  new GatewayError(404, "mcp_server_not_found", {
    code: "gateway_mcp_unknown",
    params: { server: name.slice(0, 100) },
  });

/** What websites may read besides what they may of every call. */
const EXPOSED = "WWW-Authenticate, Mcp-Session-Id";

function withHeaders(request: Request, response: Response): Response {
  const headers = { ...corsHeaders(request), "x-request-id": requestIdOf(request) };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  if (request.headers.has("origin")) response.headers.append("access-control-expose-headers", EXPOSED);
  return response;
}

function refuse(context: McpContext, request: Request, thrown: unknown): Response {
  const error = toGatewayError(context, thrown);
  context.metrics.refused(error.status);
  if (error.limit) context.services.countRefusal(error.limit);
  return respondWithRpcError(context, request, error);
}

/** The gateway's errors before a message is read, as the protocol's servers write them. */
function respondWithRpcError(context: McpContext, request: Request, error: GatewayError): Response {
  const { status, code, retryAfterSeconds, reason, isBodyUnread } = error;
  const headers: Record<string, string> = {};
  if (status === 401) headers["www-authenticate"] = challengeOf(context, request, code);
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
  if (isBodyUnread) headers.connection = "close";
  const body = { jsonrpc: "2.0", id: null, error: { code: -32000, message: sayReason(reason, "en"), data: { code } } };
  return withHeaders(request, Response.json(body, { status, headers }));
}

const notAllowed = (request: Request): Response =>
  withHeaders(request, new Response(null, { status: 405, headers: { allow: "POST, DELETE" } }));

/** How to authenticate (RFC 9728, 5.1; RFC 6750, 3), with the scope where people can sign in. */
function challengeOf({ services }: McpContext, request: Request, code: unknown): string {
  const { pathname } = new URL(request.url);
  const site = siteForCaller(services.settings, request, services.config.basePath);
  const parts = [
    ...(accessTokenOf(request) === null ? [] : [`error="invalid_token"`, `error_description="${code}"`]),
    `resource_metadata="${site}${METADATA_PATH}${pathname}"`,
    ...(signInSiteOf(services, request) === null ? [] : [`scope="${MCP_SCOPE}"`]),
  ];
  return `Bearer ${parts.join(", ")}`;
}

/** The site where people sign in for applications; null: they can't. */
const signInSiteOf = ({ settings, config }: McpContext["services"], request: Request): string | null =>
  settings.values["mcp.oauth_enabled"] ? signInSite(settings, request, config.basePath) : null;

/** Which resource it is, that tokens go into a header, and who issues them (RFC 9728, 2). */
function metadata({ services }: McpContext, request: Request, name: string): Response {
  const site = signInSiteOf(services, request);
  const body = {
    resource: mcpResource(site ?? siteForCaller(services.settings, request, services.config.basePath), name),
    resource_name: services.settings.values.SystemName,
    bearer_methods_supported: ["header"],
    ...(site !== null && { authorization_servers: [site], scopes_supported: [MCP_SCOPE] }),
  };
  return withHeaders(request, Response.json(body));
}
