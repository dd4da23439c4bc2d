import { and, eq, isNull } from "drizzle-orm";
import { recoveryCodes, totpSecrets } from "../../../../db/schema/accounts/sign-in.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { checkReach } from "../access/check-reach.ts";
import type { UserEntry } from "../directory.ts";
import { hasTotp } from "./totp.ts";

/** How a user's account is guarded. */
type SecurityView = { has_password: boolean; totp_enabled: boolean };

/** Reads whether a user has a password and a second factor. */
export async function viewSecurity(db: Db, userId: number): Promise<SecurityView> {
  const [user] = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId));
  return { has_password: Boolean(user?.hash), totp_enabled: await hasTotp(db, userId) };
}

/**
 * Turns off the second factor of somebody who has lost it. The user must stand below the actor, unless the actor is a super
 * admin; one's own goes off with a code alone. The log says who did it. Throws OperationError.
 */
export async function removeSecondFactor(db: Db, actor: UserEntry, userId: number): Promise<void> {
  if (userId === actor.id) throw new OperationError("own_second_factor");
  await db.transaction(async (tx) => {
    const [target] = await tx
      .select({ username: users.username, role: users.role, adminRoleId: users.adminRoleId })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)));
    if (!target) throw new OperationError("user_not_found");
    checkReach(actor, target);
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
    const removed = await tx
      .delete(totpSecrets)
      .where(eq(totpSecrets.userId, userId))
      .returning({ userId: totpSecrets.userId });
    if (removed.length === 0) throw new OperationError("second_factor_off");
    const what = `Turned off two-step verification of user ${target.username} (#${userId})`;
    await writeManagementLog(tx, actor, what, {
      note: { code: "second_factor_removed", params: { name: target.username, id: userId } },
      target: "user",
      user_id: userId,
      action: "update",
      before: { two_step: true },
      after: { two_step: false },
    });
  });
}
