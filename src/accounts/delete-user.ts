import { and, eq, isNull, sql } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { passkeys, recoveryCodes, totpSecrets } from "../../db/schema/sign-in.ts";
import { tokens } from "../../db/schema/tokens.ts";
import { identities, sessions, users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import { ROLE } from "./roles.ts";

/**
 * Deregisters a user for good: API keys, sessions, bindings and personal data go, the name stays taken and the books stay
 * whole. Throws OperationError when the user is a super admin or gone already.
 */
export async function deleteUser(deps: Readonly<{ db: Db; changes: Changes }>, userId: number): Promise<void> {
  const { db, changes } = deps;
  const tokenIds = await db.transaction(async (tx) => {
    const [user] = await tx
      .select({ role: users.role })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
      .for("update");
    if (!user) throw new OperationError("user_not_found");
    if (user.role >= ROLE.root) throw new OperationError("root_cannot_be_deleted");
    const now = nowSeconds();
    await tx
      .update(users)
      .set({
        deletedAt: now,
        passwordHash: null,
        accessTokenHash: null,
        email: null,
        displayName: "",
        note: "",
        setting: {},
        sessionVersion: sql`${users.sessionVersion} + 1`,
      })
      .where(eq(users.id, userId));
    await tx.delete(identities).where(eq(identities.userId, userId));
    await tx.delete(sessions).where(eq(sessions.userId, userId));
    await tx.delete(passkeys).where(eq(passkeys.userId, userId));
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    await tx.delete(totpSecrets).where(eq(totpSecrets.userId, userId));
    const gone = await tx
      .update(tokens)
      .set({ deletedAt: now })
      .where(and(eq(tokens.userId, userId), isNull(tokens.deletedAt)))
      .returning({ id: tokens.id });
    return gone.map((token) => token.id);
  });
  await changes.publish("users", [userId]);
  if (tokenIds.length > 0) await changes.publish("tokens", tokenIds);
}
