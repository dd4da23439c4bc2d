import { and, eq, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { mergeNotificationSetting, type NotificationRequest } from "../../notifications/notification-setting.ts";
import type { UserEntry } from "../directory.ts";
import { checkDisplayName } from "../identity/usernames.ts";

/**
 * Changes what users may change of themselves: the display name. One that stays is not checked: that of an imported user may
 * be longer than new ones. A username other than the own one is refused.
 */
export async function updateProfile(
  deps: Readonly<{ db: Db; changes: Changes }>,
  user: UserEntry,
  profile: Readonly<{ username?: string; display_name?: string }>,
): Promise<void> {
  if (profile.username !== undefined && profile.username !== "" && profile.username !== user.username) {
    throw new OperationError("username_fixed");
  }
  if (profile.display_name === undefined) return;
  const { display_name: newName } = profile;
  const displayName = newName === user.displayName ? newName : checkDisplayName(newName);
  await deps.db.update(users).set({ displayName }).where(eq(users.id, user.id));
  await deps.changes.publish("users", [user.id]);
}

type SettingRequest = NotificationRequest & Readonly<{ accept_unset_model_ratio_model?: boolean }>;

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

/** Keeps in which language a user read the console last: notices come in it. */
export async function rememberLanguage(db: Db, userId: number, language: Language): Promise<void> {
  await db
    .update(users)
    .set({ setting: sql`${users.setting} || jsonb_build_object('language', ${language}::text)` })
    .where(and(eq(users.id, userId), sql`${users.setting} ->> 'language' is distinct from ${language}::text`));
}
