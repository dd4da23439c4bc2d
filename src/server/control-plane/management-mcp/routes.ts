import { Elysia } from "elysia";
import { rightsOfRole } from "../../../domain/accounts/access/admin-roles.ts";
import { ROLE } from "../../../domain/accounts/access/roles.ts";
import {
  type AuthenticationServices,
  authenticate,
  type Caller,
  USER_ID_HEADERS,
} from "../../../domain/accounts/authenticate.ts";
import { recordOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { OpenApiDocument } from "../api-reference/openapi.ts";
import { type Operation, operationsOf } from "./operations.ts";

/** The address of the tools that read, and of those that also change. */
const ADDRESSES = [
  { path: "/api/mcp", mayChange: false },
  { path: "/api/mcp/change", mayChange: true },
] as const;

type Parts = Readonly<{
  services: AuthenticationServices;
  /** Of the whole API, without choices between types. */
  document: () => Promise<OpenApiDocument>;
  /** Answers a request to the API as if its caller had sent it. */
  respond: (request: Request) => Promise<Response>;
}>;

/** What of a request says who its caller is; a session does not: pages of other sites could use it. */
const FORWARDED = ["authorization", "accept-language", ...USER_ID_HEADERS];

/**
 * The management API as an MCP server for administrators and service accounts, over Streamable HTTP without sessions: tools that find,
 * describe and make its calls, each with the caller's own rights. Changes have an address of their own, so that an agent that shall
 * only read cannot make them. Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export function managementMcp({ services, document, respond }: Parts) {
  let known: Promise<readonly Operation[]> | null = null;
  const serve = async (request: Request, body: unknown, mayChange: boolean): Promise<Response> => {
    const headers = forwarded(request);
    const rights = await rightsOf(services, await authenticate(services, new Request(request.url, { headers })));
    const message = recordOf(body);
    if (!message) throw new OperationError("invalid_request", { detail: "JSON-RPC" }, { status: 400 });
    known ??= document().then(operationsOf);
    const operations = (await known).filter(
      ({ isRead, right, role }) =>
        (isRead || mayChange) && (rights === "root" || (rights === "admin" ? role === "admin" : rights.has(right))),
    );
    const { serveMessage } = await import("./server.ts");
    return serveMessage(request, message, {
      ...{ operations, mayChange, components: (await document()).components },
      call: (operation, { path, body: sent }) =>
        respond(
          new Request(new URL(path, request.url), {
            method: operation.method,
            headers: { ...headers, ...(sent !== undefined && { "content-type": "application/json" }) },
            ...(sent !== undefined && { body: JSON.stringify(sent) }),
          }),
        ),
    });
  };
  const app = new Elysia({ name: "management-mcp" });
  for (const { path, mayChange } of ADDRESSES) {
    app.post(path, ({ request, body }) => serve(request, body, mayChange), HIDDEN);
    // Nothing is sent that no request has asked for, and there are no sessions.
    for (const method of ["GET", "DELETE"]) app.route(method, path, () => NOT_ALLOWED.clone(), HIDDEN);
  }
  return app;
}

/** It is a protocol of its own, not a call of the API. */
const HIDDEN = { detail: { hide: true } };

const NOT_ALLOWED = new Response(null, { status: 405, headers: { allow: "POST" } });

const forwarded = (request: Request): Record<string, string> =>
  Object.fromEntries(
    FORWARDED.flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

/** What a caller may do; people with the role of an administrator do all that this role does. Rejects OperationError for all others. */
async function rightsOf(
  { db }: Pick<AuthenticationServices, "db">,
  { actor, rights }: Caller,
): Promise<"root" | "admin" | ReadonlySet<string>> {
  if (rights) return rights;
  if (actor.role >= ROLE.root) return "root";
  if (actor.role >= ROLE.admin) return "admin";
  if (actor.adminRoleId === null) throw new OperationError("permission_denied", {}, { status: 403 });
  return rightsOfRole(db, actor.adminRoleId);
}
