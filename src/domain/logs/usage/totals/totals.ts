import { type SQL, sql } from "drizzle-orm";
import { usageFold } from "../../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../../db/types.ts";

export const HOUR_S = 3600;
export const DAY_S = 24 * HOUR_S;

/** Of the users, channels and keys of a day or month, those that spent most are in the totals. */
export const LARGEST = 300;

/** How far the totals go, in epoch seconds: hours and days before these are in them. */
type Folded = Readonly<{ hours: number; days: number }>;

/** Reads how far the totals go. */
export async function readFolded(db: Db): Promise<Folded> {
  const [fold] = await db.select({ hours: usageFold.until, days: usageFold.daysUntil }).from(usageFold);
  return fold ?? { hours: 0, days: 0 };
}

/** The start of the month (UTC) that a time lies in, or of one `ahead` of it; epoch seconds. */
export function startOfMonth(time: number, ahead: number): number {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1) / 1000;
}

/** Equal periods of time by which hours are summed: `stepS` seconds long, on a clock that is `shiftS` ahead of UTC. */
export type Buckets = Readonly<{ stepS: number; shiftS: number }>;

/** The start of the bucket that the column `hour` lies in, before the bucket's clock was shifted. */
export const bucketOf = ({ stepS, shiftS }: Buckets): SQL =>
  sql`(hour - (hour + ${sql.raw(String(shiftS))}) % ${sql.raw(String(stepS))})`;

/** A range of whole hours, epoch seconds; `until` is behind it. */
export type HourRange = Readonly<{ from: number; until: number }>;

/**
 * How sums of whole days (UTC) fall into buckets. A day counts at one of its hours, `anchorS` seconds after its begin, and
 * `moved` are the hours of days in which another bucket begins that belong to the other one.
 */
type DaySplit = Readonly<{ anchorS: number; moved: readonly HourRange[] }>;

/** The split of the days in a range of whole days; null for buckets that are not made of whole days. */
export function splitDays(buckets: Buckets | null, { from, until }: HourRange): DaySplit | null {
  if (!buckets) return { anchorS: 0, moved: [] };
  const { stepS, shiftS } = buckets;
  if (stepS % DAY_S !== 0) return null;
  // Of the day; a bucket gets the whole hours that begin in it.
  const begin = Math.ceil(modulo(-shiftS, DAY_S) / HOUR_S) * HOUR_S;
  if (begin % DAY_S === 0) return { anchorS: 0, moved: [] };
  const isLate = begin > DAY_S / 2;
  const moved: HourRange[] = [];
  for (let day = from; day < until; day += DAY_S) {
    const start = day + begin;
    if (Math.floor((start + shiftS) / stepS) === Math.floor((start - HOUR_S + shiftS) / stepS)) continue;
    moved.push(isLate ? { from: start, until: day + DAY_S } : { from: day, until: start });
  }
  return { anchorS: isLate ? 0 : DAY_S - HOUR_S, moved };
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
