import { readUser } from "../features/session/stored-user.ts";

/** Headers of every call of the management API: who calls, in which language, and that nothing is cached. */
export function requestHeaders(): Record<string, string> {
  const user = readUser();
  return {
    "Cache-Control": "no-store",
    "Accept-Language": document.documentElement.lang || "en",
    ...(user && { "Sluice-User": String(user.id) }),
  };
}
