import { readHostCookie, setHostCookie } from "../../../lib/http/host-cookie.ts";
import { SESSION_SECONDS } from "./sessions.ts";

const NAME = "session";

/** The value of the session cookie; null without one. */
export const sessionCookieOf = (request: Request): string | null => readHostCookie(request, NAME);

/** The `Set-Cookie` texts of a session. */
export const sessionCookie = (value: string, isHttps: boolean): string[] =>
  setHostCookie({ name: NAME, value, maxAgeSeconds: SESSION_SECONDS }, isHttps);

/** The `Set-Cookie` texts that remove it. */
export const clearedSessionCookie = (isHttps: boolean): string[] =>
  setHostCookie({ name: NAME, value: "", maxAgeSeconds: 0 }, isHttps);
