import type { GatewayContext } from "../../call/context.ts";
import type { GatewayError } from "../../call/errors.ts";
import type { UpgradingServer } from "../../realtime/sockets.ts";
import type { GatewayServer } from "../arrival.ts";

/** A request at one of the gateway's routes. */
export type RoutedRequest = Readonly<{
  request: Request;
  server: (GatewayServer & UpgradingServer) | null;
  /** A variable part of the path as it was sent, by its name; "*": the rest of it. Empty where the route has none. */
  param(name: string): string;
}>;

export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One row of the table of routes. `path` may have `:name` for one segment, and end in `*` for all further ones. */
export type Route = Readonly<{
  method: RouteMethod;
  path: string;
  /** Returns undefined where the request has become a WebSocket. */
  handle(routed: RoutedRequest): Response | undefined | Promise<Response | undefined>;
  /** Not in the OpenAPI document. */
  isHidden?: true;
}>;

/** Everything under one prefix. Paths of its routes begin behind the prefix. */
export type RouteGroup = Readonly<{
  prefix: string;
  routes: readonly Route[];
  /** The paths that belong to the group where its prefix has a variable part; else all under its prefix. */
  owns?: RegExp;
  /** An error in the shape of the group's API. */
  refuse(context: GatewayContext, request: Request, error: GatewayError): Response;
}>;

/** A route of a handler that takes the variable part `name`, or none. */
export const route = (method: RouteMethod, path: string, handle: Route["handle"]): Route => ({ method, path, handle });
