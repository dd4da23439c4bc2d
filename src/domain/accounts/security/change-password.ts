import { eq, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { sessions, users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { checkPasswordLength, hashPassword, verifyPassword } from "../identity/passwords.ts";
import { countGuess, requireFresh } from "../sign-in/confirm-owner.ts";
import type { Session } from "../sign-in/sessions.ts";

/**
 * Sets a new password after checking the present one (where there is none, that the session is new); the user's access
 * tokens and other sessions end, `session` stays. `longest`: characters that the site allows. Wrong tries count against `limiter`. Throws OperationError.
 */
export async function changePassword(
  deps: Readonly<{ db: Db; changes: Changes; limiter: Limiter }>,
  input: Readonly<{ userId: number; original: string; password: string; longest: number; session: Session | null }>,
): Promise<void> {
  const { db, changes, limiter } = deps;
  const { session } = input;
  checkPasswordLength(input.password, input.longest);
  const [user] = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, input.userId));
  if (user?.hash === null) requireFresh(session);
  else await checkOriginal(limiter, input, user?.hash ?? null);
  await setPassword(db, input.userId, input.password, session?.id ?? null);
  await changes.publish("users", [input.userId]);
}

async function checkOriginal(
  limiter: Limiter,
  { userId, original, password }: Readonly<{ userId: number; original: string; password: string }>,
  hash: string | null,
): Promise<void> {
  if (original === "") throw new OperationError("original_password_required");
  const attempt = `password:${userId}`;
  await countGuess(limiter, attempt);
  if (!(await verifyPassword(original, hash))) throw new OperationError("original_password_wrong");
  await limiter.forget(attempt);
  if (password === original) throw new OperationError("password_unchanged");
}

/** Stores the password and ends the user's access tokens, and sessions but the kept one; the caller publishes the user. */
export async function setPassword(
  db: Db,
  userId: number,
  password: string,
  currentSessionId: string | null,
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const [user] = await tx
      .update(users)
      .set({ passwordHash, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId))
      .returning({ version: users.sessionVersion });
    if (!user) throw new OperationError("user_not_found");
    if (currentSessionId !== null) {
      await tx.update(sessions).set({ version: user.version }).where(eq(sessions.id, currentSessionId));
    }
    await tx.delete(sessions).where(sql`${sessions.userId} = ${userId} and ${sessions.version} < ${user.version}`);
  });
}
