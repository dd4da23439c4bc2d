import { changePath } from "../../../lib/http/request.ts";
import { carriesKey } from "../../auth/authenticate.ts";
import { patternOf, type RouteGroup } from "../route.ts";
import { nearestRoute } from "./nearest-route.ts";

/**
 * Prefixes of base addresses that are right at another service or that a client writes twice, and the prefix of the route that is
 * meant. They are replaced until none is left. Every route that they lead to takes API keys: none leads to the console or the
 * playground, which act on cookies.
 */
export const PREFIX_ALIASES: readonly (readonly [prefix: string, canonical: string])[] = [
  // A base address that ends in the version, in a client that writes the version itself.
  ["/v1/v1", "/v1"],
  ["/v1/v1beta", "/v1beta"],
  ["/v1beta/v1beta", "/v1beta"],
  // A base address that ends in a slash. Google's JavaScript client writes that of Live sessions, too.
  ["//v1", "/v1"],
  ["//v1beta", "/v1beta"],
  ["//ws", "/ws"],
  // https://ai.google.dev/gemini-api/docs/openai
  ["/v1beta/openai", "/v1"],
  // https://learn.microsoft.com/azure/ai-foundry/openai/reference
  ["/openai/deployments", "/v1/engines"],
  // Azure's and Groq's /openai/v1.
  ["/openai", "/v1"],
  ["/anthropic", "/v1"],
  // https://openrouter.ai/docs/api/reference/overview
  ["/api/v1", "/v1"],
  // Hugging Face's clients prepend a prefix of their own.
  ["/hf/v1", "/v1"],
];

/** The version whose paths clients also call without it. */
const VERSION = "/v1";

/** Finds routes by other spellings of their paths. */
export type PathAliases = Readonly<{
  /**
   * The path of the route that a request means. The request's address changes to it, so that whatever looks at the address
   * sees the route. A path that leads to no route stays as it is.
   */
  resolve(request: Request, path: string): string;
  /** A path with the prefixes of the routes; there may be none at the path. */
  canonicalPath(path: string): string;
  /** The method and path of the route that a path without route most likely means; null: none is like it. */
  nearest(method: string, path: string): string | null;
}>;

/** `owns`: whether a path belongs to one of the groups or has an alias as prefix. */
export function createPathAliases(groups: readonly RouteGroup[], owns: (path: string) => boolean): PathAliases {
  const routes = groups.flatMap((group) => group.routes.map((route) => patternOf(group, route)));
  const sources = new Set(routes.map(({ pattern }) => pattern.source));
  const known = new RegExp([...sources].join("|"));
  const firstSegments = new Set(
    routes.flatMap(({ path }) => (path.startsWith(`${VERSION}/`) ? firstSegmentOf(path.slice(VERSION.length)) : [])),
  );
  /** Whether the path is that of a route without its version. */
  const lacksVersion = (path: string): boolean =>
    !owns(path) && firstSegments.has(firstSegmentOf(path)) && known.test(VERSION + path);
  const canonicalPath = (path: string): string => (lacksVersion(path) ? VERSION + path : replacePrefixes(path));
  return {
    canonicalPath,
    resolve(request, path) {
      const canonical = canonicalPath(path);
      if (canonical === path || !known.test(canonical) || (isVisit(request) && lacksVersion(path))) return path;
      changePath(request, canonical);
      return canonical;
    },
    nearest: (method, path) => nearestRoute(routes, method, replacePrefixes(path), VERSION),
  };
}

function firstSegmentOf(path: string): string {
  const end = path.indexOf("/", 1);
  return end < 0 ? path : path.slice(0, end);
}

function replacePrefixes(path: string): string {
  for (const [prefix, canonical] of PREFIX_ALIASES) {
    if (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/"))
      return replacePrefixes(canonical + path.slice(prefix.length));
  }
  return path;
}

/** Whether a browser opens a page: a page of the console may have the path of a route without its version. */
export const isVisit = (request: Request): boolean =>
  isReading(request) && (request.headers.get("accept")?.includes("text/html") ?? false) && !carriesKey(request);

export const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";
