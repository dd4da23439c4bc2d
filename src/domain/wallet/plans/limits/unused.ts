import type { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";

type Subscription = typeof subscriptions.$inferSelect;

/** What the windows of a subscription have paid since it began: quota units and included calls. */
export type Drawn = Readonly<{ units: number; calls: number }>;

/** What they have paid until now. */
export const drawnOf = ({ drawn: units, drawnCalls: calls }: Pick<Subscription, "drawn" | "drawnCalls">): Drawn => ({
  units,
  calls,
});

type Period = Pick<
  Subscription,
  | "periodStart"
  | "windowStart"
  | "windowEnd"
  | "rollingSeconds"
  | "isWindowOpen"
  | "remaining"
  | "drawn"
  | "drawnBefore"
  | "windowCalls"
  | "callsLeft"
  | "drawnCalls"
>;

/**
 * From when on, in epoch seconds, the paid period counts as unused where a change of the plan credits the rest: from `at`, or later
 * by what the present window has paid until `drawn` beyond its time. A window of five hours goes on after the change, so what it has
 * paid is not asked for twice (`makeUpFor`). `surplus`: what the other plan lets the window keep beyond its own (`surplusOf`).
 */
export function unusedFrom(
  subscription: Period,
  at: number,
  surplus: number,
  drawn: Drawn = drawnOf(subscription),
): number {
  const { periodStart, windowStart, windowEnd, rollingSeconds, remaining, windowCalls, callsLeft } = subscription;
  const from = Math.max(at, periodStart);
  if (rollingSeconds > 0) {
    const present = remaining + Math.max(0, subscription.drawn - subscription.drawnBefore);
    return surplus > 0 ? from + 1 + shareOfTime(surplus, present, rollingSeconds) : from;
  }
  const since = drawnSince(subscription, drawn);
  const left = remaining + since.units;
  const filled = left + Math.max(0, subscription.drawn - since.units - subscription.drawnBefore);
  const units = shareOfTime(Math.max(0, left - surplus), filled, windowEnd - windowStart);
  const calls = shareOfTime(Math.min(windowCalls, callsLeft + since.calls), windowCalls, windowEnd - windowStart);
  return Math.max(from, windowEnd - Math.min(units, calls));
}

/**
 * Quota units of the present window beyond the other plan's that stay after a change: what is left, and what an open window of five
 * hours has paid. Nobody gets them for nothing, so they are not credited.
 */
export function surplusOf(
  subscription: Period,
  present: Readonly<{ windowQuota: number }>,
  next: Readonly<{ windowQuota: number }>,
  now: number,
): number {
  const { remaining, drawn, drawnBefore } = subscription;
  const paid = isOpenRolling(subscription, now) ? Math.max(0, drawn - drawnBefore) : 0;
  return Math.max(0, Math.min(remaining + paid, present.windowQuota) - next.windowQuota);
}

/** Seconds of a window that are worth what is left of it, rounded down. */
const shareOfTime = (left: number, filled: number, seconds: number): number =>
  filled <= 0 ? seconds : Number((BigInt(left) * BigInt(seconds)) / BigInt(filled));

/** What was drawn since `before`; what somebody else says of the past counts within the present window only. */
function drawnSince({ drawn, drawnBefore, drawnCalls }: Period, before: Drawn): Drawn {
  const units = drawn - Math.min(drawn, Math.max(drawnBefore, before.units));
  return { units, calls: Math.max(0, drawnCalls - before.calls) };
}

/**
 * What is missing in the first window after a change that begins at once: what was drawn since the unused part of the period was
 * credited (`credited`; null: nothing was), and what an open window of five hours has paid, which goes on.
 */
export function makeUpFor(subscription: Period, credited: Drawn | null, now: number): Drawn {
  const since = credited === null ? { units: 0, calls: 0 } : laterThan(subscription, credited);
  if (!isOpenRolling(subscription, now)) return since;
  const { drawn, drawnBefore, windowCalls, callsLeft } = subscription;
  return {
    units: Math.max(since.units, drawn - drawnBefore),
    calls: Math.max(since.calls, windowCalls - callsLeft),
  };
}

const laterThan = ({ drawn, drawnCalls }: Period, { units, calls }: Drawn): Drawn => ({
  units: Math.max(0, drawn - units),
  calls: Math.max(0, drawnCalls - calls),
});

/** Whether a window of five hours has begun and is not over. */
export const isOpenRolling = (
  { rollingSeconds, isWindowOpen, windowEnd }: Pick<Subscription, "rollingSeconds" | "isWindowOpen" | "windowEnd">,
  now: number,
): boolean => rollingSeconds > 0 && isWindowOpen && now < windowEnd;

type Paid = Pick<Subscription, "paid" | "periodStart" | "periodEnd">;

/** What the rest of a period from `from` on is worth of what was `paid` for it, in the same unit, rounded down. */
export const creditOf = ({ paid, ...period }: Paid, from: number): number => {
  const [left, seconds] = restOf(period, from);
  return Number((BigInt(paid) * left) / seconds);
};

/** What the rest of a period from `now` on costs of what all of it costs, `units`, rounded up. */
export const costOfRest = (units: number, period: Omit<Paid, "paid">, now: number): number => {
  const [left, seconds] = restOf(period, now);
  return Number((BigInt(units) * left + seconds - 1n) / seconds);
};

/** Seconds of a period that are left, and all of them. */
const restOf = ({ periodStart, periodEnd }: Omit<Paid, "paid">, from: number): [left: bigint, all: bigint] => [
  BigInt(Math.max(0, periodEnd - Math.max(from, periodStart))),
  BigInt(periodEnd - periodStart),
];
