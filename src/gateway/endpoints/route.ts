import type { GatewayError } from "../call/errors.ts";
import type { GatewayServer, RouteMethod } from "../request/arrival.ts";
import type { UpgradingServer } from "./realtime/sockets.ts";

/** A request to one of the gateway's routes. */
export type RoutedRequest = Readonly<{
  request: Request;
  server: (GatewayServer & UpgradingServer) | null;
  /** A variable part of the path, as sent, by name; "*": the rest of the path. Empty if the route has none. */
  param(name: string): string;
}>;

/** One row of the route table. `path` may have `:name` for one segment, and end in `*` for all further ones. */
export type Route = Readonly<{
  method: RouteMethod;
  path: string;
  /** Returns undefined if the request became a WebSocket. */
  handle(routed: RoutedRequest): Promise<Response | undefined>;
  /** Not in the OpenAPI document. */
  isHidden?: true;
}>;

/** Routes under one prefix, whose paths are relative to it. */
export type RouteGroup = Readonly<{
  prefix: string;
  routes: readonly Route[];
  /** The paths that belong to the group if its prefix has a variable part; else all under its prefix. */
  owns?: RegExp;
  /** Writes an error in the format of the group's API. */
  refuse(context: unknown, request: Request, error: GatewayError): Response;
}>;

/** A route whose handler takes the variable part `name`, or none. */
export const route = (method: RouteMethod, path: string, handle: Route["handle"]): Route => ({ method, path, handle });

/** A route with its group's prefix, and the paths that it takes. */
export type RoutePattern = Readonly<{ method: RouteMethod; path: string; pattern: RegExp; isHidden: boolean }>;

/** The pattern of a route, whose paths may end in a slash. */
export function patternOf({ prefix }: RouteGroup, { method, path, isHidden }: Route): RoutePattern {
  const fullPath = prefix + path;
  const parts = fullPath.split(/(:\w+|\*)/);
  const source = parts.map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : part === "*" ? ".+" : "[^/]+"));
  return { method, path: fullPath, pattern: new RegExp(`^${source.join("")}/?$`), isHidden: isHidden ?? false };
}
