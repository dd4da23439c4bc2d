import { readUser } from "../state/stored-user.ts";

/**
 * Sends a request to this server outside the management API: streams and documents. Resolves with any response; rejects
 * when the server can't be reached.
 */
export const fetchPlain = (path: `/${string}`, init?: RequestInit): Promise<Response> => fetch(path, init);

/** Headers of every call of the management API: the user, the language, and no caching. */
export function requestHeaders(): Record<string, string> {
  const user = readUser();
  return {
    "Cache-Control": "no-store",
    "Accept-Language": document.documentElement.lang || "en",
    ...(user && { "Sluice-User": String(user.id) }),
  };
}
