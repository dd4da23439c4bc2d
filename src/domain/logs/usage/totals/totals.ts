import { usageFold } from "../../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../../db/types.ts";

export const HOUR_S = 3600;
export const DAY_S = 24 * HOUR_S;

/** Of the users, channels and keys of a day or month, those that spent most are in the totals. */
export const LARGEST = 300;

/** How far the totals go, in epoch seconds: hours and days before these are in them. */
export type Folded = Readonly<{ hours: number; days: number }>;

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
