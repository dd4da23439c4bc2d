import { Elysia } from "elysia";
import { requestIdOf } from "../../../lib/http/request.ts";
import type { Reason } from "../../../lib/reason.ts";
import { carriesKey } from "../../auth/authenticate.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { GatewayError } from "../../call/errors.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import type { HandleCallContext } from "../../pipeline/contexts.ts";
import { handleCall } from "../../pipeline/pipeline.ts";
import { errorResponse } from "../../request/error-response.ts";
import { PREFLIGHT_HEADERS } from "../../request/headers.ts";
import { codecOf } from "../lookup/models.ts";
import { type Route, type RoutedRequest, type RouteGroup, route } from "../route.ts";
import { createPathAliases, isReading, isVisit, type PathAliases, PREFIX_ALIASES } from "./path-aliases.ts";

/** Serves the route table. */
export type GatewayRouter = Readonly<{
  /** The routes as an Elysia app: matches variable paths, and generates the OpenAPI document. */
  app: ReturnType<typeof elysiaOf>;
  /** Responds to a POST to a fixed path without Elysia's matching; null for other requests. */
  take(request: Request, path: string, server: RoutedRequest["server"]): Promise<Response> | null;
  /** The path of the route that a request means by another spelling, to which the request's address changes. */
  resolve: PathAliases["resolve"];
  /** Whether the path belongs to the gateway, even if no route matches it. */
  owns(path: string): boolean;
  /** The response to a program that requests a path that does not exist; null: a browser opens a page. */
  refuseProgram(request: Request, path: string): Response | null;
}>;

/** Builds everything from one table: Elysia's routes, the map of fixed paths, and the list of prefixes. */
export function createRouter(
  context: Uses<"log"> & Pick<CallTools, "bodies">,
  groups: readonly RouteGroup[],
): GatewayRouter {
  const patterns = groups.map((group) => [group.owns ?? ownedBy(group.prefix), group] as const);
  const groupOf = (path: string): RouteGroup | null => patterns.find(([pattern]) => pattern.test(path))?.[1] ?? null;
  const owned = new RegExp(
    [...patterns.map(([pattern]) => pattern), ...PREFIX_ALIASES.map(([prefix]) => ownedBy(prefix))]
      .map(({ source }) => `(?:${source})`)
      .join("|"),
  );
  const aliases = createPathAliases(groups, (path) => owned.test(path));
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
  const refuse = (request: Request, path: string): Response => {
    const { method } = request;
    const nearest = aliases.nearest(method, path);
    const reason: Reason = nearest
      ? { code: "gateway_unknown_url_nearest", params: { method, path, nearest } }
      : { code: "gateway_unknown_url", params: { method, path } };
    const error = new GatewayError(404, "unknown_url", reason, { type: "invalid_request_error" });
    return (groupOf(aliases.canonicalPath(path))?.refuse ?? refuseByHeaders)(context, request, error);
  };
  let app: ReturnType<typeof elysiaOf> | null = null;
  return {
    // Made when it is first used: most calls need none.
    get app() {
      app ??= elysiaOf(context.bodies, groups, refuse, (request, path, error) =>
        owned.test(path) ? failed(request, path, error) : undefined,
      );
      return app;
    },
    take(request, path, server) {
      const handle = request.method === "POST" ? fixed.get(path) : undefined;
      if (!handle) return null;
      const onEnd = (response: Response | undefined) => {
        // Most bodies take no memory that is counted.
        if (context.bodies.usedBytes > 0) context.bodies.release(request);
        return response ?? preflight();
      };
      const onError = (error: unknown) => onEnd(failed(request, path, error));
      try {
        return handle({ request, server, param: none }).then(onEnd, onError);
      } catch (error) {
        return Promise.resolve(onError(error));
      }
    },
    resolve: aliases.resolve,
    owns: (path) => owned.test(path),
    refuseProgram(request, path) {
      if (isVisit(request)) return null;
      const isUnclear = takesAnything(request) && aliases.nearest(request.method, path) === null;
      return isUnclear ? null : refuse(request, path);
    },
  };
}

/** The route of a model call at a fixed path. */
export const call = (context: HandleCallContext, path: string, endpoint: Endpoint): Route =>
  route("POST", path, ({ request, server }) => handleCall(context, { request, server, endpoint }));

/** In the format that the client's headers name. */
export const refuseByHeaders: RouteGroup["refuse"] = (_context, request, error) =>
  errorResponse(error, request, codecOf(request));

/** Whether a request for a page or a file states no format and carries no key, as crawlers and curl's do. */
const takesAnything = (request: Request): boolean =>
  isReading(request) && ["*/*", null].includes(request.headers.get("accept")) && !carriesKey(request);

const none = (): string => "";

/** All paths at and under a prefix. */
const ownedBy = (prefix: string): RegExp => new RegExp(`^${RegExp.escape(prefix)}(?:/|$)`);

const preflight = () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });

function elysiaOf(
  bodies: CallTools["bodies"],
  groups: readonly RouteGroup[],
  refuse: (request: Request, path: string) => Response,
  failed: (request: Request, path: string, error: unknown) => Response | undefined,
) {
  const app = new Elysia({ name: "gateway" }).onError({ as: "global" }, ({ code, error, request, path }) =>
    code === "NOT_FOUND" ? refuse(request, path) : failed(request, path, error),
  );
  for (const { prefix, routes } of groups) {
    for (const { method, path, handle, isHidden } of routes) {
      app.route(
        method,
        prefix + path,
        ({ request, server, params }) => {
          const parts: Readonly<Record<string, string>> = params ?? {};
          return handle({ request, server, param: (name) => parts[name] ?? "" }).finally(() => bodies.release(request));
        },
        // Handlers read the body themselves, with their own limits.
        { parse: "none", ...(isHidden && { detail: { hide: true } }) },
      );
    }
    app.options(prefix, preflight).options(`${prefix}/*`, preflight);
  }
  return app;
}
