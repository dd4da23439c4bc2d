import { Elysia } from "elysia";
import { requestIdOf } from "../../../lib/http/request-id.ts";
import type { GatewayContext } from "../../call/context.ts";
import { errorResponse, GatewayError } from "../../call/errors.ts";
import { PREFLIGHT_HEADERS } from "../headers.ts";
import type { Route, RoutedRequest, RouteGroup } from "./route.ts";

/** Serves the route table. */
export type GatewayRouter = Readonly<{
  /** The routes as an Elysia app: matches variable paths, and generates the OpenAPI document. */
  app: ReturnType<typeof elysiaOf>;
  /** Responds to a POST to a fixed path without Elysia's matching; null for other requests. */
  take(request: Request, path: string, server: RoutedRequest["server"]): Promise<Response> | null;
  /** Whether the path belongs to the gateway, even if no route matches it. */
  owns(path: string): boolean;
}>;

/** Builds everything from one table: Elysia's routes, the map of fixed paths, and the list of prefixes. */
export function createRouter(context: GatewayContext, groups: readonly RouteGroup[]): GatewayRouter {
  const patterns = groups.map((group) => [group.owns ?? ownedBy(group.prefix), group] as const);
  const groupOf = (path: string): RouteGroup | null => patterns.find(([pattern]) => pattern.test(path))?.[1] ?? null;
  const owned = new RegExp(patterns.map(([pattern]) => `(?:${pattern.source})`).join("|"));
  const fixed = new Map<string, Route["handle"]>();
  for (const { prefix, routes } of groups)
    for (const { method, path, handle } of routes) {
      const fullPath = prefix + path;
      if (method === "POST" && !/[:*]/.test(fullPath)) fixed.set(fullPath, handle);
    }
  const failed = (request: Request, path: string, error: unknown): Response => {
    const requestId = requestIdOf(request);
    context.services.log.error({ requestId, method: request.method, path, error }, "a route failed");
    return errorResponse(new GatewayError(500, "internal_error", { code: "gateway_internal" }), request);
  };
  const unknown = (request: Request, path: string): Response | undefined => {
    const params = { method: request.method, path };
    return groupOf(path)?.refuse(
      context,
      request,
      new GatewayError(404, "unknown_url", { code: "gateway_unknown_url", params }, { type: "invalid_request_error" }),
    );
  };
  let app: ReturnType<typeof elysiaOf> | null = null;
  return {
    // Made when it is first used: most calls need none.
    get app() {
      app ??= elysiaOf(groups, unknown, (request, path, error) =>
        owned.test(path) ? failed(request, path, error) : undefined,
      );
      return app;
    },
    take(request, path, server) {
      const handle = request.method === "POST" ? fixed.get(path) : undefined;
      if (!handle) return null;
      const onError = (error: unknown) => failed(request, path, error);
      try {
        return handle({ request, server, param: none }).then(orPreflight, onError);
      } catch (error) {
        return Promise.resolve(onError(error));
      }
    },
    owns: (path) => owned.test(path),
  };
}

const none = (): string => "";

/** All paths at and under a prefix. */
const ownedBy = (prefix: string): RegExp => new RegExp(`^${RegExp.escape(prefix)}(?:/|$)`);

const preflight = () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
const orPreflight = (response: Response | undefined): Response => response ?? preflight();

function elysiaOf(
  groups: readonly RouteGroup[],
  unknown: (request: Request, path: string) => Response | undefined,
  failed: (request: Request, path: string, error: unknown) => Response | undefined,
) {
  const app = new Elysia({ name: "gateway" }).onError({ as: "global" }, ({ code, error, request, path }) =>
    code === "NOT_FOUND" ? unknown(request, path) : failed(request, path, error),
  );
  for (const { prefix, routes } of groups) {
    for (const { method, path, handle, isHidden } of routes) {
      app.route(
        method,
        prefix + path,
        ({ request, server, params }) => {
          const parts: Readonly<Record<string, string>> = params ?? {};
          return handle({ request, server, param: (name) => parts[name] ?? "" });
        },
        // Handlers read the body themselves, with their own limits.
        { parse: "none", ...(isHidden && { detail: { hide: true } }) },
      );
    }
    app.options(prefix, preflight).options(`${prefix}/*`, preflight);
  }
  return app;
}
