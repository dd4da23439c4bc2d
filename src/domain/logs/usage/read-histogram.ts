import { and, type SQL, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { type LogFilter, logConditions } from "../log-filter.ts";
import { LOG_TYPE } from "../write-log.ts";
import { DAY_S, HOUR_S } from "./totals/totals.ts";
import { usageHours } from "./totals/usage-hours.ts";
import { bigint } from "./usage-sums.ts";

/** Longer buckets are made of whole days, of which there are sums. */
const LONGEST_HOURS = 12 * HOUR_S;

export type Bucket = { start: number; count: number; failed: number; quota: number };

/** Calls over time for a chart: at most 200 equal buckets, of minutes for short ranges, of whole hours or days for long ones. */
export async function readHistogram(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
): Promise<{ step: number; buckets: Bucket[] }> {
  const span = Math.max(filter.end - filter.start, 60);
  const short = span <= 2 * HOUR_S;
  const step = short ? Math.ceil(span / 60 / 60) * 60 : longStep(span);
  const from = Math.floor(filter.start / step) * step;
  const rows = short ? await rowBuckets(db, filter, step) : await hourBuckets(db, filter, step);
  const found = new Map(rows.map((row) => [Number(row.start), row]));
  const buckets: Bucket[] = [];
  for (let start = from; start <= filter.end; start += step) {
    const { count = 0, failed = 0, quota = 0 } = found.get(start) ?? {};
    buckets.push({ start, count: Number(count), failed: Number(failed), quota: Number(quota) });
  }
  return { step, buckets };
}

function longStep(span: number): number {
  const step = Math.ceil(span / HOUR_S / 200) * HOUR_S;
  return step > LONGEST_HOURS ? Math.ceil(step / DAY_S) * DAY_S : step;
}

const bucketOf = (time: SQL, step: number) => sql<number>`(${time} - ${time} % ${sql.raw(String(step))})::bigint`;

function rowBuckets(db: Db, filter: LogFilter, step: number): Promise<Bucket[]> {
  return db
    .select({
      start: bucketOf(sql`${logs.createdAt}`, step),
      count: bigint(sql`sum(1)`),
      failed: bigint(sql`sum(case when ${logs.failed} then 1 else 0 end)`),
      quota: bigint(sql`sum(${logs.quota})`),
    })
    .from(logs)
    .where(and(logConditions({ ...filter, type: LOG_TYPE.consumption })))
    .groupBy(sql`1`);
}

async function hourBuckets(db: Db, filter: LogFilter & Readonly<{ start: number; end: number }>, step: number) {
  const range = { from: filter.start - (filter.start % HOUR_S), until: filter.end + 1 };
  const hours = await usageHours(db, filter, "none", range, { stepS: step, shiftS: 0 });
  if (!hours) return rowBuckets(db, filter, step);
  return db.execute<Bucket>(sql`
    select ${bucketOf(sql`hour`, step)} as start, ${bigint(sql`sum(count)`)} as count,
      ${bigint(sql`sum(failed)`)} as failed, ${bigint(sql`sum(quota)`)} as quota
    from ${hours} group by 1`);
}
