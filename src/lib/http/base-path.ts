import { changePath, pathOf } from "./request.ts";

type Handler = (request: Request) => Promise<Response>;

const HOST_PREFIX = "__Host-";
const SECURE_PREFIX = "__Secure-";

/** Metadata of a site below a path, which clients request at the root of its host (RFC 8414, 3.1; RFC 9728, 3.1). */
const WELL_KNOWN = "/\\.well-known/(?:oauth-authorization-server|oauth-protected-resource|openid-configuration)";

/**
 * Serves a site below a path, such as `/sluice`, and without it: proxies pass the path on or cut it off, and probes ask without.
 * Only this function knows of the path: what it calls sees addresses and cookies as at the root. Without a path it is `handle`.
 */
export function serveBelow(basePath: string, handle: Handler): Handler {
  if (basePath === "") return handle;
  const below = `${basePath}/`;
  const wellKnown = new RegExp(`^(${WELL_KNOWN})${RegExp.escape(basePath)}(/.*)?$`);
  return async (request) => {
    const path = pathOf(request.url);
    if (path === basePath) {
      return new Response(null, { status: 308, headers: { location: below + new URL(request.url).search } });
    }
    if (path.startsWith(below)) changePath(request, path.slice(basePath.length));
    else
      changePath(
        request,
        path.replace(wellKnown, (_, document: string, rest = "") => document + rest),
      );
    const cookies = request.headers.get("cookie");
    if (cookies !== null) request.headers.set("cookie", incoming(cookies));
    const response = await handle(request);
    // A request that has become a WebSocket has none.
    if (response) moveBelow(response.headers, basePath);
    return response;
  };
}

/** Cookies of this path have another prefix, for browsers take `__Host-` at the root alone; others of that name are another site's. */
const incoming = (cookies: string): string =>
  cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => !cookie.startsWith(HOST_PREFIX))
    .map((cookie) => (cookie.startsWith(SECURE_PREFIX) ? HOST_PREFIX + cookie.slice(SECURE_PREFIX.length) : cookie))
    .join("; ");

function moveBelow(headers: Headers, basePath: string): void {
  const location = headers.get("location");
  if (location !== null && /^\/(?!\/)/.test(location)) headers.set("location", basePath + location);
  const cookies = headers.getSetCookie();
  if (cookies.length === 0) return;
  headers.delete("set-cookie");
  for (const cookie of cookies) {
    const named = cookie.startsWith(HOST_PREFIX) ? SECURE_PREFIX + cookie.slice(HOST_PREFIX.length) : cookie;
    headers.append("set-cookie", named.replace(/; Path=\/(?=;|$)/, `; Path=${basePath}`));
  }
}

/**
 * A built text (page, script, style sheet) whose own absolute paths lead below the base path: those in quotes, in `url(…)` and in
 * attributes that begin with one of `roots`, such as `/assets/`.
 */
export function rebase(text: string, basePath: string, roots: readonly string[]): string {
  if (basePath === "") return text;
  const pattern = new RegExp(`(["'\`(=])(${roots.map((root) => RegExp.escape(root)).join("|")})`, "g");
  return text.replace(pattern, (_, before: string, root: string) => before + basePath + root);
}

/** A page whose links and files lead below the base path, which its `html` element names for scripts. */
export function rebasePage(html: string, basePath: string): string {
  if (basePath === "") return html;
  return html
    .replaceAll(/\b(href|src)="\/(?!\/)/g, (_, attribute: string) => `${attribute}="${basePath}/`)
    .replace("<html ", () => `<html data-base-path="${basePath}" `);
}
