import { eq, sql } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { sessions, users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { RateLimiter } from "../lib/rate-limiter.ts";
import { checkPasswordLength, hashPassword, verifyPassword } from "./passwords.ts";

/**
 * Sets a new password after checking the present one; every other session of the user ends, `keptSessionId` stays.
 * Wrong tries count against `limiter`. Throws OperationError.
 */
export async function changePassword(
  deps: Readonly<{ db: Db; changes: Changes; limiter: RateLimiter }>,
  input: Readonly<{ userId: number; original: string; password: string; keptSessionId: string | null }>,
): Promise<void> {
  const { db, changes, limiter } = deps;
  if (input.original === "") throw new OperationError("original_password_required");
  checkPasswordLength(input.password);
  const attempt = `password:${input.userId}`;
  const waitSeconds = limiter.take(attempt);
  if (waitSeconds > 0) {
    throw new OperationError(
      "login_throttled",
      { seconds: waitSeconds },
      { status: 429, retryAfterSeconds: waitSeconds },
    );
  }
  const [user] = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, input.userId));
  if (!(await verifyPassword(input.original, user?.hash ?? null))) throw new OperationError("original_password_wrong");
  limiter.forget(attempt);
  if (input.password === input.original) throw new OperationError("password_unchanged");
  await setPassword(db, input.userId, input.password, input.keptSessionId);
  await changes.publish("users", [input.userId]);
}

/** Stores the password and ends the user's sessions but the kept one; the caller publishes the user. */
export async function setPassword(
  db: Db,
  userId: number,
  password: string,
  keptSessionId: string | null,
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    const [user] = await tx
      .update(users)
      .set({ passwordHash, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, userId))
      .returning({ version: users.sessionVersion });
    if (!user) throw new OperationError("user_not_found");
    if (keptSessionId !== null) {
      await tx.update(sessions).set({ version: user.version }).where(eq(sessions.id, keptSessionId));
    }
    await tx.delete(sessions).where(sql`${sessions.userId} = ${userId} and ${sessions.version} < ${user.version}`);
  });
}
