/** Cookies that only this host can set: https://www.rfc-editor.org/rfc/rfc6265#section-4.1, RFC 6265bis "__Host-" prefix. */

const PREFIX = "__Host-";

export type HostCookie = Readonly<{ name: string; value: string; maxAgeSeconds: number }>;

/** The value of a cookie that `setHostCookie` wrote; null without one. The form that no other host can plant wins. */
export function readHostCookie(request: Request, name: string): string | null {
  let plain: string | null = null;
  for (const pair of request.headers.get("cookie")?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (!value) continue;
    if (key === PREFIX + name) return value;
    if (key === name) plain ??= value;
  }
  return plain;
}

/**
 * The `Set-Cookie` texts of a cookie that scripts cannot read and other sites' forms do not send. Over HTTPS its name has
 * the `__Host-` prefix, so that no subdomain and no plain connection can plant one; a plain one of the same name is removed.
 */
export function setHostCookie({ name, value, maxAgeSeconds }: HostCookie, isHttps: boolean): string[] {
  if (!isHttps) return [`${name}=${value}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}`];
  return [
    `${PREFIX}${name}=${value}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}; Secure`,
    `${name}=; ${ATTRIBUTES}; Max-Age=0; Secure`,
  ];
}

const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Lax";
