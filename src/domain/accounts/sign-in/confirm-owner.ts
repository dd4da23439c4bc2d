import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { verifyPassword } from "../identity/passwords.ts";
import { SESSION_SECONDS, type Session } from "./sessions.ts";

/** Whoever has no password, or binds and unbinds, proves to be the owner by having signed in this lately. */
export const FRESH_SECONDS = 900;

type Proof = Readonly<{
  userId: number;
  /** Null with an access token, which is no proof. */
  session: Session | null;
  password: string | undefined;
}>;

/** Counts a guess at an account's secret. Throws OperationError when there were too many. */
export async function countGuess(limiter: Limiter, key: string): Promise<void> {
  const seconds = await limiter.take(key);
  if (seconds > 0) {
    throw new OperationError("login_throttled", { seconds }, { status: 429, retryAfterSeconds: seconds });
  }
}

/**
 * Makes sure that the owner is at the keyboard, not somebody with a stolen session, before the ways to sign in change: by
 * the password, or where there is none by a session that is new. Throws OperationError.
 */
export async function confirmOwner(
  { db, limiter }: Readonly<{ db: Db; limiter: Limiter }>,
  { userId, session, password }: Proof,
): Promise<void> {
  requireSession(session);
  const [user] = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId));
  if (!user) throw new OperationError("user_not_found");
  if (user.hash === null) return requireFresh(session);
  if (!password) throw new OperationError("owner_password_required");
  const attempt = `password:${userId}`;
  await countGuess(limiter, attempt);
  if (!(await verifyPassword(password, user.hash))) throw new OperationError("owner_password_wrong");
  await limiter.forget(attempt);
}

/** The same before something that a recent sign-in suffices for as well. Throws OperationError. */
export async function confirmRecentSignIn(deps: Parameters<typeof confirmOwner>[0], proof: Proof): Promise<void> {
  requireSession(proof.session);
  if (!isFresh(proof.session)) await confirmOwner(deps, proof);
}

/** Throws OperationError for callers with an access token: whoever found one must not get more than it opens. */
export function requireSession(session: Session | null): void {
  if (!session) throw new OperationError("session_required");
}

/** Throws OperationError unless there is a session that began within the last quarter of an hour. */
export function requireFresh(session: Session | null): void {
  requireSession(session);
  if (!isFresh(session)) throw new OperationError("sign_in_again");
}

const isFresh = (session: Session | null): boolean =>
  nowSeconds() - ((session?.expiresAt ?? 0) - SESSION_SECONDS) <= FRESH_SECONDS;
