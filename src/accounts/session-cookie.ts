import { SESSION_SECONDS } from "./sessions.ts";

const NAME = "session";

/** The value of the session cookie; null without one. */
export function sessionCookieOf(request: Request): string | null {
  for (const pair of request.headers.get("cookie")?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === NAME && value) return value;
  }
  return null;
}

/** The `Set-Cookie` text of a session, out of reach of scripts and of other sites' posts. */
export const sessionCookie = (value: string, isHttps: boolean): string =>
  `${NAME}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${SESSION_SECONDS}${isHttps ? "; Secure" : ""}`;

export const clearedSessionCookie = (isHttps: boolean): string =>
  `${NAME}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0${isHttps ? "; Secure" : ""}`;
