import { useAtomValue } from "jotai";
import { ApiError, request } from "../../api/client.ts";
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
  const { data } = await request<StoredUser | { require_2fa: true }>("/api/user/login", {
    method: "POST",
    query: { turnstile },
    body: { username, password },
    stayOn401: true,
  });
  if ("require_2fa" in data) return null;
  rememberUser(data);
  return data;
}

async function finishSignIn(code: string): Promise<void> {
  const path = "/api/user/login/2fa";
  rememberUser((await request<StoredUser>(path, { method: "POST", body: { code }, stayOn401: true })).data);
}

async function signOut(): Promise<void> {
  try {
    await request<null>("/api/user/logout", { stayOn401: true });
  } catch (error) {
    // A session that has ended already is as good as one that ends now.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  forgetUser();
}
