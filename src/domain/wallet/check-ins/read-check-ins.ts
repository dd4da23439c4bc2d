import { and, desc, eq, gte } from "drizzle-orm";
import { checkIns } from "../../../../db/schema/billing/wallet.ts";
import type { WalletDeps } from "../operation.ts";
import { dayIn, shiftDay } from "./calendar-day.ts";
import { rewardRange } from "./check-in.ts";

export type CheckInStatus = {
  can_check_in: boolean;
  enabled: boolean;
  /** Days in a row, up to today or, where today is still open, up to yesterday; at most a year. */
  streak: number;
  /** Quota units of a check-in. */
  least: number;
  most: number;
  /** The last seven days, oldest first; null: not checked in. */
  week: { day: string; quota: number | null }[];
};

const LONGEST_STREAK = 366;
const WEEK = 7;

/** Whether a user can check in now, and how they did lately. */
export async function readCheckIns(
  { db, settings }: Omit<WalletDeps, "changes">,
  userId: number,
  timeMs = Date.now(),
): Promise<CheckInStatus> {
  const today = dayIn(settings.get("CheckInTimeZone"), timeMs);
  const rows = await db
    .select({ day: checkIns.day, quota: checkIns.quota })
    .from(checkIns)
    .where(and(eq(checkIns.userId, userId), gte(checkIns.day, shiftDay(today, -LONGEST_STREAK))))
    .orderBy(desc(checkIns.day));
  const byDay = new Map(rows.map(({ day, quota }) => [day, quota]));
  const enabled = settings.get("CheckInEnabled");
  const range = rewardRange(settings);
  return {
    can_check_in: enabled && range.least > 0 && !byDay.has(today),
    enabled,
    streak: streakOf(byDay, today),
    ...range,
    week: Array.from({ length: WEEK }, (_, index) => {
      const day = shiftDay(today, index - WEEK + 1);
      return { day, quota: byDay.get(day) ?? null };
    }),
  };
}

function streakOf(byDay: ReadonlyMap<string, number>, today: string): number {
  let day = byDay.has(today) ? today : shiftDay(today, -1);
  let streak = 0;
  for (; byDay.has(day); day = shiftDay(day, -1)) streak += 1;
  return streak;
}
