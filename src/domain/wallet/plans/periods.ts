import type { PlanPeriod, PlanWindow, subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";

type Subscription = typeof subscriptions.$inferSelect;

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const FIXED_WINDOWS = { day: DAY_S, week: 7 * DAY_S } as const;
const ROLLING_S = 5 * HOUR_S;

/** A window of a subscription, as it is stored; epoch seconds. */
type Window = Pick<Subscription, "windowStart" | "windowEnd" | "rollingSeconds" | "isWindowOpen">;

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
 * The window of `now` in a period; epoch seconds. Windows of days, weeks and months follow each other from the start of the period,
 * and one of kind `period` is as long. One of five hours has no end of its own yet: the ledger opens it with the first charge
 * that draws on it (`src/billing/journal/apply/batch-parts.ts`).
 */
export function windowAt(
  kind: PlanWindow,
  now: number,
  { periodStart: start, periodEnd: end }: Pick<Subscription, "periodStart" | "periodEnd">,
): Window {
  if (kind === "5h") return { windowStart: now, windowEnd: end, rollingSeconds: ROLLING_S, isWindowOpen: false };
  const fixed = (windowStart: number, windowEnd: number): Window => ({
    ...{ windowStart, windowEnd: Math.min(windowEnd, end), rollingSeconds: 0, isWindowOpen: true },
  });
  if (kind === "period") return fixed(start, end);
  if (kind === "month") {
    let count = 1;
    while (addMonths(start, count) <= now) count++;
    return fixed(addMonths(start, count - 1), addMonths(start, count));
  }
  const length = FIXED_WINDOWS[kind];
  const begun = start + Math.floor(Math.max(0, now - start) / length) * length;
  return fixed(begun, begun + length);
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
