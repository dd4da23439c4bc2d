/** Redirect URIs of applications: which are accepted, and when a requested one is the registered one. */

/** Schemes without a dot that agents register for themselves. */
const AGENT_SCHEMES: ReadonlySet<string> = new Set([
  ...["antigravity", "claude", "cursor", "goose", "jetbrains", "lmstudio", "raycast", "vscode"],
  ...["vscode-insiders", "warp", "windsurf", "zed"],
]);
/** A domain in reverse order, as RFC 8252 (7.1) has it: no scheme that browsers act on has a dot. */
const REVERSE_DOMAIN = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/;
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;
const LONGEST = 500;

/**
 * What is wrong with a redirect URI, in English; null: nothing. Accepted are https, http on this machine, and schemes that belong to an
 * application. Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization, RFC 8252 (7).
 */
export function redirectUriError(uri: string): string | null {
  if (uri.length > LONGEST) return `A redirect URI may have ${LONGEST} characters.`;
  if (/[^\x21-\x7e]|[\\#"<>]/.test(uri)) return "A redirect URI must be an absolute URI without a fragment.";
  const url = URL.parse(uri);
  if (!url) return "A redirect URI must be an absolute URI without a fragment.";
  if (url.username !== "" || url.password !== "") return "A redirect URI must not contain credentials.";
  if (url.protocol === "https:") return null;
  if (url.protocol === "http:")
    return LOOPBACK.test(uri) ? null : "A redirect URI must use https unless it leads to this machine.";
  const scheme = url.protocol.slice(0, -1);
  if (AGENT_SCHEMES.has(scheme) || REVERSE_DOMAIN.test(scheme)) return null;
  return "A redirect URI must use https, http on localhost, or a scheme that is a domain in reverse order.";
}

/** Whether a requested URI is a registered one: character by character, but for the port of one on this machine (RFC 8252, 7.3). */
export const isRegisteredUri = (registered: readonly string[], requested: string): boolean =>
  registered.includes(requested) ||
  (LOOPBACK.test(requested) &&
    redirectUriError(requested) === null &&
    registered.some((uri) => LOOPBACK.test(uri) && withoutPort(uri) === withoutPort(requested)));

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, "$1");

/** Where a redirect URI leads, for people: its host, or the scheme of an application. */
export function redirectHost(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}

/** A redirect URI with the parameters of a response; those that it has stay. */
export function withResponse(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return `${uri}${uri.includes("?") ? "&" : "?"}${query}`;
}
