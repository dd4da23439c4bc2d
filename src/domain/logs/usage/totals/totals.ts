import { type SQL, sql } from "drizzle-orm";
import { usageFold } from "../../../../../db/schema/logs/logs.ts";
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

/**
 * Periods of time by which hours are summed: equal ones, `stepS` seconds long, on a clock that is `shiftS` ahead of UTC; or those
 * that begin at `edges`, the calendar days or weeks of a time zone.
 */
export type Buckets = Readonly<{ stepS: number; shiftS: number }> | Readonly<{ edges: readonly number[] }>;

/** The start of the bucket that a column of epoch seconds lies in, before the bucket's clock was shifted. */
export function bucketOf(buckets: Buckets, column: SQL = sql`hour`): SQL {
  if ("edges" in buckets) {
    const edges = sql.raw(`'{${buckets.edges.join(",")}}'::bigint[]`);
    return sql`(${edges})[greatest(width_bucket(${column}, ${edges}), 1)]`;
  }
  const { stepS, shiftS } = buckets;
  return sql`(${column} - (${column} + ${sql.raw(String(shiftS))}) % ${sql.raw(String(stepS))})`;
}

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
  const begins = beginsIn(buckets, { from, until });
  if (!begins) return null;
  const inside = begins.filter((begin) => begin % DAY_S !== 0);
  const isLate = inside.some((begin) => begin % DAY_S > DAY_S / 2);
  const moved = inside.map((begin) => {
    const day = begin - (begin % DAY_S);
    return isLate ? { from: begin, until: day + DAY_S } : { from: day, until: begin };
  });
  return { anchorS: isLate || inside.length === 0 ? 0 : DAY_S - HOUR_S, moved };
}

/** The first whole hours of the buckets that begin in a range; null where buckets are shorter than a day. */
function beginsIn(buckets: Buckets, { from, until }: HourRange): number[] | null {
  const hourFrom = (time: number) => Math.ceil(time / HOUR_S) * HOUR_S;
  if ("edges" in buckets) return buckets.edges.map(hourFrom).filter((begin) => begin >= from && begin < until);
  const { stepS, shiftS } = buckets;
  if (stepS % DAY_S !== 0) return null;
  const begins: number[] = [];
  for (let edge = from - modulo(from + shiftS, stepS); edge < until; edge += stepS) begins.push(hourFrom(edge));
  return begins.filter((begin) => begin >= from && begin < until);
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
