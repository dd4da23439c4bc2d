import { and, desc, eq, gt, ne } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { sessions, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";

type SessionDeps = Readonly<{ db: Db; changes: Changes }>;

/** A login of the user on some device. */
export type SessionView = {
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

/** Ends all logins of the user but `keptId`; returns how many. */
export async function endOtherSessions(
  { db, changes }: SessionDeps,
  userId: number,
  currentId: string | null,
): Promise<number> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), currentId === null ? undefined : ne(sessions.id, currentId)))
    .returning({ id: sessions.id });
  await changes.publish("users", [userId]);
  return ended.length;
}
