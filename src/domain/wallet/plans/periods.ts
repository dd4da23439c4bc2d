import type { PlanPeriod, PlanWindow } from "../../../../db/schema/billing/plans.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const FIXED_WINDOWS = { "5h": 5 * HOUR_S, day: DAY_S, week: 7 * DAY_S } as const;

/** How long a subscription whose next period is not paid waits for it. */
export const GRACE_S = 3 * DAY_S;

/** Epoch seconds at which `count` periods that begin at `start` end. */
export function periodEnd(start: number, period: PlanPeriod, count: number): number {
  switch (period) {
    case "day":
      return start + count * DAY_S;
    case "week":
      return start + count * 7 * DAY_S;
    case "month":
      return addMonths(start, count);
    case "year":
      return addMonths(start, 12 * count);
  }
}

/**
 * The window that `now` lies in, counted from `start`; epoch seconds. Windows follow each other without a break, and one of
 * kind `period` is as long as the paid period.
 */
export function windowAt(
  kind: PlanWindow,
  start: number,
  now: number,
  endOfPeriod: number,
): Readonly<{ start: number; end: number }> {
  if (kind === "period") return { start, end: endOfPeriod };
  if (kind === "month") {
    let count = 1;
    while (addMonths(start, count) <= now) count++;
    return { start: addMonths(start, count - 1), end: addMonths(start, count) };
  }
  const length = FIXED_WINDOWS[kind];
  const begun = start + Math.floor(Math.max(0, now - start) / length) * length;
  return { start: begun, end: begun + length };
}

/** The same day and time `count` months later (UTC), or the last day of a month that is shorter. */
function addMonths(start: number, count: number): number {
  const from = new Date(start * 1000);
  const to = new Date(start * 1000);
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + count);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to.getTime() / 1000;
}
