import { randomInt } from "node:crypto";
import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { checkIns } from "../../../../db/schema/billing/wallet.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { addQuota } from "../add-quota.ts";
import type { WalletDeps } from "../operation.ts";
import { dayIn } from "./calendar-day.ts";

/**
 * Checks a user in for the present day of the site's time zone and returns the quota units gained. However many calls come
 * at once, one succeeds. Throws OperationError.
 */
export async function checkIn(
  { db, changes, settings }: WalletDeps,
  userId: number,
  timeMs = Date.now(),
): Promise<number> {
  if (!settings.get("CheckInEnabled")) throw new OperationError("check_in_disabled");
  const { least, most } = rewardRange(settings);
  if (least <= 0) throw new OperationError("check_in_reward_unset");
  const day = dayIn(settings.get("CheckInTimeZone"), timeMs);
  const createdTime = Math.floor(timeMs / 1000);
  const quota = randomInt(least, most + 1);
  await db.transaction(async (tx) => {
    const taken = await tx
      .insert(checkIns)
      .values({ userId, day, quota, createdTime })
      .onConflictDoNothing()
      .returning({ day: checkIns.day });
    if (taken.length === 0) throw new OperationError("already_checked_in");
    await tx.update(users).set({ lastCheckInDay: day, lastCheckInAt: createdTime }).where(eq(users.id, userId));
    await addQuota(tx, userId, quota);
    await writeLog(tx, {
      type: LOG_TYPE.checkIn,
      userId,
      content: "Daily check-in",
      note: { code: "check_in" },
      quota,
      other: { day },
    });
  });
  await changes.publish("users", [userId]);
  return quota;
}

/** Quota units a check-in brings at least and at most; equal where the reward is fixed. */
export function rewardRange(settings: SettingsReader): { least: number; most: number } {
  const least = settings.get("CheckInQuota");
  return { least, most: Math.max(least, settings.get("CheckInMaxQuota")) };
}
