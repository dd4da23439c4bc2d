import { randomInt } from "node:crypto";
import { and, asc, desc, eq, gte, lt } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { checkIns, topUpOrders } from "../../../db/schema/wallet/wallet.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { LOG_TYPE, writeLog } from "../logs/write-log.ts";
import { addQuota } from "./balances.ts";
import type { WalletDeps } from "./operation.ts";

const DAY_MS = 86_400_000;

/** The calendar day ("2026-03-01") that it is at `timeMs` in an IANA time zone. */
export function dayIn(timeZone: string, timeMs: number): string {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(timeMs);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}

/** The calendar day so many days after another, or before it. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

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
    const unmet = await unmetCondition(tx, settings, userId);
    if (unmet) throw new OperationError(`check_in_${unmet}`, conditionParams(settings));
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

/** What a user lacks for a check-in. */
export type CheckInCondition = "email" | "top_up" | "requests" | "balance";

/** The first condition of the site that a user does not meet; null: all are met. */
async function unmetCondition(db: DbOrTx, settings: SettingsReader, userId: number): Promise<CheckInCondition | null> {
  const [needsEmail, needsTopUp] = [settings.get("CheckInNeedsEmail"), settings.get("CheckInNeedsTopUp")];
  const [requests, balance] = [settings.get("CheckInMinRequests"), settings.get("CheckInMaxBalance")];
  if (!needsEmail && !needsTopUp && requests === 0 && balance === 0) return null;
  const [user] = await db
    .select({ email: users.email, quota: users.quota, requestCount: users.requestCount })
    .from(users)
    .where(eq(users.id, userId));
  if (needsEmail && !user?.email) return "email";
  if (needsTopUp && !(await hasToppedUp(db, userId))) return "top_up";
  if ((user?.requestCount ?? 0) < requests) return "requests";
  return balance > 0 && (user?.quota ?? 0) > balance ? "balance" : null;
}

async function hasToppedUp(db: DbOrTx, userId: number): Promise<boolean> {
  const [order] = await db
    .select({ id: topUpOrders.id })
    .from(topUpOrders)
    .where(and(eq(topUpOrders.userId, userId), eq(topUpOrders.status, "success")))
    .limit(1);
  return order !== undefined;
}

const conditionParams = (settings: SettingsReader) => ({ count: settings.get("CheckInMinRequests") });

/** Quota units a check-in brings at least and at most; equal where the reward is fixed. */
function rewardRange(settings: SettingsReader): { least: number; most: number } {
  const least = settings.get("CheckInQuota");
  return { least, most: Math.max(least, settings.get("CheckInMaxQuota")) };
}

export type CheckInStatus = {
  can_check_in: boolean;
  /** What the user lacks for it; null: nothing. */
  unmet: CheckInCondition | null;
  /** Requests that it needs; 0: none. */
  needed_requests: number;
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
  const unmet = enabled ? await unmetCondition(db, settings, userId) : null;
  return {
    can_check_in: enabled && range.least > 0 && !byDay.has(today) && unmet === null,
    unmet,
    needed_requests: settings.get("CheckInMinRequests"),
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

/** A day on which a user checked in, and the quota units it brought. */
type CheckInRow = { day: string; quota: number };

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
