import { useAtomValue } from "jotai";
import { ApiError, readData } from "../api/client.ts";
import { securityApi, sessionApi } from "../api/groups.ts";
import { rememberUser, type StoredUser, userAtom } from "./stored-user.ts";
import { forgetUserStorage } from "./user-storage.ts";

type Session = Readonly<{
  user: StoredUser | null;
  /** Signs in and stores the user; null if the account requires a second factor. Rejects ApiError. */
  signIn: (username: string, password: string, turnstile: string) => Promise<StoredUser | null>;
  /** Submits the second factor. Rejects ApiError. */
  finishSignIn: (code: string) => Promise<void>;
  /** Stores a user whom the server has signed in. */
  remember: (user: StoredUser) => void;
  /** Forgets a deleted account, with what this device kept of it. */
  forget: () => void;
  /** Ends the session on the server, then here, with what this device kept of the user. Rejects ApiError and stays signed in if the server can't be reached. */
  signOut: () => Promise<void>;
}>;

/** The signed-in user of this device, and the actions that change it. */
export const useSession = (): Session => ({
  user: useAtomValue(userAtom),
  signIn,
  finishSignIn,
  remember: rememberUser,
  forget: forgetUserStorage,
  signOut,
});

async function signIn(username: string, password: string, turnstile: string): Promise<StoredUser | null> {
  const data = await readData(sessionApi.login.post({ username, password }, { query: { turnstile } }), {
    stayOn401: true,
  });
  if ("require_2fa" in data) return null;
  rememberUser(data);
  return data;
}

async function finishSignIn(code: string): Promise<void> {
  rememberUser(await readData(securityApi.login["2fa"].post({ code }), { stayOn401: true }));
}

async function signOut(): Promise<void> {
  let outside: Readonly<{ url: string }> | null = null;
  try {
    outside = await readData(sessionApi.logout.get(), { stayOn401: true });
  } catch (error) {
    // The session had expired already.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  forgetUserStorage();
  // The provider that signed in ends its session too, and sends the browser back.
  if (outside) window.location.assign(outside.url);
}
