import type { RoutePattern } from "../route.ts";

/** Longer paths are not compared with the routes. */
const MAX_LENGTH = 200;

/** A path that differs from a route's in more letters most likely means something else. */
const MAX_TYPOS = 3;

/**
 * The method and path of the route that a client most likely means: one that takes another method, one that the path ends in,
 * with or without `version`, or one that differs in a few letters. Null: no route is like the path.
 */
export function nearestRoute(
  routes: readonly RoutePattern[],
  method: string,
  path: string,
  version: string,
): string | null {
  if (path.length > MAX_LENGTH) return null;
  const ofMethod = (found: readonly RoutePattern[]) => found.find((route) => route.method === method) ?? found[0];
  for (const end of endsOf(path, version)) {
    const route = ofMethod(routes.filter(({ pattern }) => pattern.test(end)));
    if (route) return `${route.method} ${end}`;
  }
  const similar = ofMethod(mostSimilar(routes, path.toLowerCase(), version));
  return similar ? `${similar.method} ${similar.path}` : null;
}

/** The paths of routes that end as `path` does, the longest first. */
function endsOf(path: string, version: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  return segments.flatMap((_, at) => {
    const end = `/${segments.slice(at).join("/")}`;
    return [end, version + end];
  });
}

function mostSimilar(routes: readonly RoutePattern[], path: string, version: string): readonly RoutePattern[] {
  const compared = routes
    .filter((route) => !route.isHidden && !/[:*]/.test(route.path))
    .map((route) => ({ route, typos: Math.min(countTypos(path, route.path), countTypos(version + path, route.path)) }));
  const least = Math.min(...compared.map(({ typos }) => typos));
  return least > MAX_TYPOS ? [] : compared.filter(({ typos }) => typos === least).map(({ route }) => route);
}

/** How many letters were added, left out or changed (Levenshtein's distance); infinite if certainly more than the limit. */
function countTypos(text: string, intended: string): number {
  if (Math.abs(text.length - intended.length) > MAX_TYPOS) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: intended.length + 1 }, (_, at) => at);
  for (let row = 0; row < text.length; row += 1) {
    const current = [row + 1];
    for (let at = 0; at < intended.length; at += 1) {
      const changed = (previous[at] ?? 0) + (text[row] === intended[at] ? 0 : 1);
      current.push(Math.min(changed, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[intended.length] ?? 0;
}
