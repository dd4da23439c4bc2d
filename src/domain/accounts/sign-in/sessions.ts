import { and, desc, eq, gt, lt, ne } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { accessTokens } from "../../../../db/schema/accounts/security/access-tokens.ts";
import { sessions, sessions as table, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { readHostCookie, setHostCookie } from "../../../lib/http/host-cookie.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { randomText } from "../../../lib/security/crypto.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import type { UserDirectory } from "../directory.ts";

export type Session = Readonly<{
  /** Keyed hash of the cookie's value. */
  id: string;
  userId: number;
  version: number;
  /** Epoch seconds. */
  expiresAt: number;
}>;

/** The provider that signed in, and what ends its session, encrypted; both "" where there is none. */
export type SignInWay = Readonly<{ provider: string; signOutHint: string }>;

export type Sessions = {
  /**
   * Starts a session and returns the cookie's value, which nobody can learn from the database. Rejects OperationError for
   * organizations: whatever way a sign-in came, it ends here.
   */
  start(userId: number, origin: Readonly<{ ip: string; userAgent: string }> & Partial<SignInWay>): Promise<string>;
  /** The session of a cookie's value, when it is in force: not expired, not revoked, its user not deleted. */
  find(value: string): Promise<Session | null>;
  /** Ends one session, in every process. */
  end(session: Session): Promise<void>;
  close(): void;
};

export const SESSION_SECONDS = 30 * 24 * 3600;
/** A cached session is looked up again after this long, should an event have been lost. */
const RECHECK_SECONDS = 60;
const TOUCH_SECONDS = 600;
const MOST_CACHED = 20_000;
const VALUE_BYTES = 32;

/** Console sessions: random cookie values, stored hashed under `secret`, cached in memory. */
export function createSessions(
  deps: Readonly<{ db: Db; changes: Changes; users: UserDirectory; secret: string }>,
): Sessions {
  const { db, changes, users } = deps;
  const hasher = new Bun.CryptoHasher("sha256", deps.secret);
  const cache = recentEntries<string, Session & { checkedAt: number }>(MOST_CACHED);
  // Raised by every change of a user: what was read before must not be cached after it.
  let epoch = 0;

  const unsubscribe = changes.subscribe("users", (ids) => {
    epoch += 1;
    const changed = new Set(ids.map(Number));
    for (const [id, session] of [...cache]) if (changed.has(session.userId)) cache.delete(id);
  });

  const isInForce = (session: Session): boolean => {
    const user = users.get(session.userId);
    const isPerson = user?.kind === "person" && !user.deleted;
    return isPerson && user.sessionVersion === session.version && session.expiresAt > nowSeconds();
  };

  const load = async (id: string): Promise<Session | null> => {
    const before = epoch;
    const [row] = await db.select().from(table).where(eq(table.id, id));
    if (!row) return null;
    const now = nowSeconds();
    if (now - row.lastSeenAt > TOUCH_SECONDS) await db.update(table).set({ lastSeenAt: now }).where(eq(table.id, id));
    const session = { id, userId: row.userId, version: row.version, expiresAt: row.expiresAt };
    if (epoch === before) cache.set(id, { ...session, checkedAt: now });
    return session;
  };

  return {
    async start(userId, origin) {
      // Who has just joined, or has a new password, may not be known here.
      const user = await users.reread(userId);
      if (!user) throw new Error(`no user ${userId} to start a session for`);
      if (user.kind !== "person") throw new OperationError("organization_no_sign_in");
      const value = randomText(VALUE_BYTES);
      const now = nowSeconds();
      await db.delete(table).where(lt(table.expiresAt, now));
      await db.insert(table).values({
        id: hasher.copy().update(value).digest("hex"),
        userId,
        version: user.sessionVersion,
        createdAt: now,
        lastSeenAt: now,
        expiresAt: now + SESSION_SECONDS,
        ip: origin.ip,
        userAgent: origin.userAgent.slice(0, 300),
        provider: origin.provider,
        signOutHint: origin.signOutHint,
      });
      return value;
    },
    async find(value) {
      if (value.length !== Math.ceil((VALUE_BYTES * 4) / 3)) return null;
      const id = hasher.copy().update(value).digest("hex");
      const cached = cache.get(id);
      const session = cached && nowSeconds() - cached.checkedAt < RECHECK_SECONDS ? cached : await load(id);
      if (!session) return null;
      const known = users.get(session.userId)?.sessionVersion ?? -1;
      if (known < session.version) await users.reread(session.userId);
      return isInForce(session) ? session : null;
    },
    async end(session) {
      await db.delete(table).where(eq(table.id, session.id));
      await changes.publish("users", [session.userId]);
    },
    close: unsubscribe,
  };
}

const NAME = "session";

/** The value of the session cookie; null without one. */
export const sessionCookieOf = (request: Request): string | null => readHostCookie(request, NAME);

/** The `Set-Cookie` texts of a session. */
export const sessionCookie = (value: string, isHttps: boolean): string[] =>
  setHostCookie({ name: NAME, value, maxAgeSeconds: SESSION_SECONDS }, isHttps);

/** The `Set-Cookie` texts that remove it. */
export const clearedSessionCookie = (isHttps: boolean): string[] =>
  setHostCookie({ name: NAME, value: "", maxAgeSeconds: 0 }, isHttps);

type SessionDeps = Readonly<{ db: Db; changes: Changes }>;

/** A login of the user on some device. */
type SessionView = {
  id: string;
  /** Epoch seconds. */
  created_at: number;
  last_seen_at: number;
  ip: string;
  user_agent: string;
  /** The one that asks. */
  is_current: boolean;
};

/** The user's logins that are in force, the last seen first. */
export async function listSessions(db: Db, userId: number, currentId: string | null): Promise<SessionView[]> {
  const rows = await db
    .select({
      id: sessions.id,
      created_at: sessions.createdAt,
      last_seen_at: sessions.lastSeenAt,
      ip: sessions.ip,
      user_agent: sessions.userAgent,
    })
    .from(sessions)
    .innerJoin(users, and(eq(users.id, sessions.userId), eq(users.sessionVersion, sessions.version)))
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, nowSeconds())))
    .orderBy(desc(sessions.lastSeenAt))
    .limit(100);
  return rows.map((row) => ({ ...row, is_current: row.id === currentId }));
}

/** Ends one login of the user. Throws OperationError when the user has no such login. */
export async function endSession({ db, changes }: SessionDeps, userId: number, id: string): Promise<void> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
    .returning({ id: sessions.id });
  if (ended.length === 0) throw new OperationError("session_unknown");
  await changes.publish("users", [userId]);
}

/** Ends the user's access tokens, and all logins but the current one; returns how many logins. */
export async function endOtherSessions(
  { db, changes }: SessionDeps,
  userId: number,
  currentId: string | null,
): Promise<number> {
  const ended = await db.transaction(async (tx) => {
    await tx.delete(accessTokens).where(eq(accessTokens.userId, userId));
    return tx
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), currentId === null ? undefined : ne(sessions.id, currentId)))
      .returning({ id: sessions.id });
  });
  await changes.publish("users", [userId]);
  return ended.length;
}
