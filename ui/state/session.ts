import { useAtomValue } from "jotai";
import { ApiError, readData } from "../api/client.ts";
import { securityApi, sessionApi } from "../api/groups.ts";
import { forgetUser, rememberUser, type StoredUser, userAtom } from "./stored-user.ts";

type Session = Readonly<{
  user: StoredUser | null;
  /** Signs in and remembers who it is; null when the account asks for a second factor too. Rejects ApiError. */
  signIn: (username: string, password: string, turnstile: string) => Promise<StoredUser | null>;
  /** The second factor, after the first was right. Rejects ApiError. */
  finishSignIn: (code: string) => Promise<void>;
  /** Remembers somebody whom the server has signed in. */
  remember: (user: StoredUser) => void;
  /** Forgets an account that is no more. */
  forget: () => void;
  /** Ends the session on the server, then here. Rejects ApiError and stays signed in when the server cannot be asked. */
  signOut: () => Promise<void>;
}>;

/** Who is signed in on this device, and how that changes. */
export const useSession = (): Session => ({
  user: useAtomValue(userAtom),
  signIn,
  finishSignIn,
  remember: rememberUser,
  forget: forgetUser,
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
  try {
    await readData(sessionApi.logout.get(), { stayOn401: true });
  } catch (error) {
    // A session that has ended already is as good as one that ends now.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  forgetUser();
}
