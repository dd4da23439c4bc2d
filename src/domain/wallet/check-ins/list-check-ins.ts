import { and, asc, eq, gte, lt } from "drizzle-orm";
import { checkIns } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { shiftDay } from "./calendar-day.ts";

/** A day on which a user checked in, and the quota units it brought. */
export type CheckInRow = { day: string; quota: number };

/** The check-ins of a user in a month (`2026-03`), by day. */
export function listCheckIns(db: Db, userId: number, month: string): Promise<CheckInRow[]> {
  const first = `${month}-01`;
  // Whatever the month's length: the first day of the next one.
  const next = `${shiftDay(first, 31).slice(0, 7)}-01`;
  return db
    .select({ day: checkIns.day, quota: checkIns.quota })
    .from(checkIns)
    .where(and(eq(checkIns.userId, userId), gte(checkIns.day, first), lt(checkIns.day, next)))
    .orderBy(asc(checkIns.day));
}
