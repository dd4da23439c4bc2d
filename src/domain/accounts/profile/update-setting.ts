import { eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { mergeNotificationSetting, type NotificationRequest } from "../../notifications/notification-setting.ts";

export type SettingRequest = NotificationRequest & Readonly<{ accept_unset_model_ratio_model?: boolean }>;

/**
 * Saves how a user is warned and whether they accept models without a price; what is not sent stays. Secrets
 * are stored encrypted. Throws OperationError.
 */
export async function updateSetting(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault }>,
  userId: number,
  request: SettingRequest,
): Promise<void> {
  const { db, changes, vault } = deps;
  await db.transaction(async (tx) => {
    const [user] = await tx.select({ setting: users.setting }).from(users).where(eq(users.id, userId)).for("update");
    if (!user) throw new OperationError("user_not_found");
    await tx
      .update(users)
      .set({ setting: mergeNotificationSetting(user.setting, request, vault) })
      .where(eq(users.id, userId));
  });
  await changes.publish("users", [userId]);
}
