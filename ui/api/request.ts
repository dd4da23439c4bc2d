import { readUser } from "../state/stored-user.ts";

/**
 * A request of our own server that is no call of the management API: streams, and documents. Resolves with whatever it
 * answers; rejects where the server cannot be reached.
 */
export const fetchPlain = (path: `/${string}`, init?: RequestInit): Promise<Response> => fetch(path, init);

/** Headers of every call of the management API: who calls, in which language, and that nothing is cached. */
export function requestHeaders(): Record<string, string> {
  const user = readUser();
  return {
    "Cache-Control": "no-store",
    "Accept-Language": document.documentElement.lang || "en",
    ...(user && { "Sluice-User": String(user.id) }),
  };
}
