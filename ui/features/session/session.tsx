import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { ApiError, request } from "../../api/client.ts";
import { forgetUser, readUser, rememberUser, type StoredUser } from "./stored-user.ts";

type Session = Readonly<{
  user: StoredUser | null;
  /** Signs in and remembers who it is. Rejects ApiError. */
  signIn: (username: string, password: string, turnstile: string) => Promise<StoredUser>;
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
  const signIn = useCallback(async (username: string, password: string, turnstile: string) => {
    const { data } = await request<StoredUser>("/api/user/login", {
      method: "POST",
      query: { turnstile },
      body: { username, password },
      stayOn401: true,
    });
    rememberUser(data);
    setUser(data);
    return data;
  }, []);
  const signOut = useCallback(async () => {
    try {
      await request<null>("/api/user/logout", { stayOn401: true });
    } catch (error) {
      // A session that has ended already is as good as one that ends now.
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
    forgetUser();
    setUser(null);
  }, []);
  const session = useMemo(() => ({ user, signIn, signOut }), [user, signIn, signOut]);
  return <Context value={session}>{children}</Context>;
};
