import { and, gte, sql } from "drizzle-orm";
import { usageRollups } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";

const HOURS = 24;
const HOUR_S = 3600;

type Hour = { count: number; failed: number };

/** Calls and failures of the last 24 hours for each channel, an entry an hour, oldest first; channels without any are absent. */
export async function readTraffic(db: Db, channelIds: readonly number[]): Promise<Map<number, Hour[]>> {
  const first = Math.floor(nowSeconds() / HOUR_S) * HOUR_S - (HOURS - 1) * HOUR_S;
  const rows = await db
    .select({
      channelId: usageRollups.channelId,
      hour: usageRollups.hour,
      count: sql<number>`sum(${usageRollups.count})::bigint`,
      failed: sql<number>`sum(${usageRollups.failed})::bigint`,
    })
    .from(usageRollups)
    .where(and(isOneOf(usageRollups.channelId, channelIds), gte(usageRollups.hour, first)))
    .groupBy(usageRollups.channelId, usageRollups.hour);
  const traffic = new Map<number, Hour[]>();
  for (const row of rows) {
    const hours = traffic.get(row.channelId) ?? Array.from({ length: HOURS }, () => ({ count: 0, failed: 0 }));
    const index = (row.hour - first) / HOUR_S;
    if (index < HOURS) hours[index] = { count: Number(row.count), failed: Number(row.failed) };
    traffic.set(row.channelId, hours);
  }
  return traffic;
}
