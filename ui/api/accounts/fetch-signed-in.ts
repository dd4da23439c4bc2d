import { sitePath } from "../../lib/base-path.ts";
import { readUser } from "../../state/stored-user.ts";
import { askToSignIn } from "./sign-in-again.ts";

/** Signing in and out: its own refusals are about the password. */
const SIGNS_IN = /\/(login|logout)(\/|\?|$)/;
/** What only a session answers, and each page of the console reads. */
const NEEDS_SESSION = /\/api\/user\/self(\/|\?|$)/;

/** Before, an expired session is that of an earlier visit: nothing is on the page yet. */
let wasSignedIn = false;

/**
 * Sends a request of somebody who is signed in. When the session has ended since the page was opened, it asks for the password over
 * the page, and sends the request once more. Rejects as `fetch` does.
 */
export async function fetchSignedIn(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok && NEEDS_SESSION.test(url)) wasSignedIn = true;
  if (response.status !== 401 || !wasSignedIn || SIGNS_IN.test(url) || !readUser()) return response;
  const isOwnAct = (init?.method ?? "GET").toUpperCase() !== "GET";
  return (await askToSignIn(isOwnAct)) ? fetch(url, init) : response;
}

/** Whether this device has a session of the user again, such as from another tab; never rejects. */
export async function isSignedInAgain(userId: number): Promise<boolean> {
  const init = { credentials: "same-origin", headers: { "Sluice-User": String(userId) } } as const;
  const response = await fetch(sitePath("/api/user/self"), init).catch(() => null);
  return response?.ok ?? false;
}
