import { eq } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { type UserSetting, users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import type { Vault } from "../lib/crypto.ts";
import { OperationError } from "../lib/operation-error.ts";

export type SettingRequest = Readonly<{
  notify_type?: string;
  /** Quota units. */
  quota_warning_threshold?: number;
  webhook_url?: string;
  /** Absent: the stored one stays; null or "": it is cleared. */
  webhook_secret?: string | null;
  notification_email?: string;
  accept_unset_model_ratio_model?: boolean;
}>;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * Saves how a user is warned and whether they accept models without a price; what is not sent stays. The webhook's secret
 * is stored encrypted. Throws OperationError.
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
      .set({ setting: merge(user.setting, request, vault) })
      .where(eq(users.id, userId));
  });
  await changes.publish("users", [userId]);
}

function merge(stored: UserSetting, request: SettingRequest, vault: Vault): UserSetting {
  const { webhook_secret: secret, notify_type: type = stored.notify_type ?? "email", ...given } = request;
  if (type !== "email" && type !== "webhook") throw new OperationError("notify_type_invalid");
  const merged: UserSetting = { ...stored, ...given, notify_type: type };
  if (secret === null || secret === "") delete merged.webhook_secret;
  else if (secret !== undefined) merged.webhook_secret = vault.encrypt(secret);

  if (merged.quota_warning_threshold !== undefined && !(merged.quota_warning_threshold > 0)) {
    throw new OperationError("notify_threshold_invalid");
  }
  const url = (merged.webhook_url ?? "").trim();
  if (type === "webhook" && url === "") throw new OperationError("webhook_url_required");
  if (url !== "" && !(URL.canParse(url) && new URL(url).protocol === "https:")) {
    throw new OperationError("webhook_url_invalid");
  }
  const email = (merged.notification_email ?? "").trim();
  if (email !== "" && !EMAIL.test(email)) throw new OperationError("notification_email_invalid");
  return { ...merged, webhook_url: url, notification_email: email };
}
