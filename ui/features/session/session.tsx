import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { ApiError, request } from "../../api/client.ts";
import { forgetUser, readUser, rememberUser, type StoredUser } from "./stored-user.ts";

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

const Context = createContext<Session | null>(null);

/** Who is signed in. Throws outside of SessionProvider. */
export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("no session provider above");
  return session;
}

/** Knows who is signed in on this device. */
export const SessionProvider = ({ children }: { children: ReactNode }) => {
  const [user, setUser] = useState(readUser);
  const remember = useCallback((signedIn: StoredUser) => {
    rememberUser(signedIn);
    setUser(signedIn);
  }, []);
  const signIn = useCallback(
    async (username: string, password: string, turnstile: string) => {
      const { data } = await request<StoredUser | { require_2fa: true }>("/api/user/login", {
        method: "POST",
        query: { turnstile },
        body: { username, password },
        stayOn401: true,
      });
      if ("require_2fa" in data) return null;
      remember(data);
      return data;
    },
    [remember],
  );
  const finishSignIn = useCallback(
    async (code: string) => {
      const path = "/api/user/login/2fa";
      remember((await request<StoredUser>(path, { method: "POST", body: { code }, stayOn401: true })).data);
    },
    [remember],
  );
  const forget = useCallback(() => {
    forgetUser();
    setUser(null);
  }, []);
  const signOut = useCallback(async () => {
    try {
      await request<null>("/api/user/logout", { stayOn401: true });
    } catch (error) {
      // A session that has ended already is as good as one that ends now.
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
    forget();
  }, [forget]);
  const session = useMemo(
    () => ({ user, signIn, finishSignIn, remember, forget, signOut }),
    [user, signIn, finishSignIn, remember, forget, signOut],
  );
  return <Context value={session}>{children}</Context>;
};
