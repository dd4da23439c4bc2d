import { type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { type LogFilter, logConditions } from "../log-filter.ts";
import { LOG_TYPE } from "../write-log.ts";
import { usageHours } from "./totals/usage-hours.ts";

/** Sums over consumption rows: quota units and tokens. */
export type UsageSums = {
  count: number;
  failed: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
};

const HOUR_S = 3600;
/** A whole hour that no row reaches. */
const AFTER_ALL = HOUR_S * 100_000_000;

/**
 * Sums consumption over a time range of any length: whole hours come from the roll-ups, only the parts of an hour at either
 * end are read from the log itself.
 */
export async function sumUsage(db: Db, filter: LogFilter): Promise<UsageSums> {
  const start = filter.start ?? 0;
  const end = filter.end === undefined ? AFTER_ALL : filter.end + 1;
  const firstHour = Math.ceil(start / HOUR_S) * HOUR_S;
  const lastHour = Math.floor(end / HOUR_S) * HOUR_S;
  const hours =
    firstHour < lastHour ? await usageHours(db, filter, "none", { from: firstHour, until: lastHour }, null) : null;
  if (!hours) return sumRows(db, filter, start, end - 1);
  const parts = [sumHours(db, hours)];
  if (start < firstHour) parts.push(sumRows(db, filter, start, firstHour - 1));
  if (lastHour < end) parts.push(sumRows(db, filter, lastHour, end - 1));
  return (await Promise.all(parts)).reduce(addSums);
}

/** Sums consumption rows of the log between two times, both inclusive: for short ranges. */
async function sumRows(db: Db, filter: LogFilter, start: number, end: number): Promise<UsageSums> {
  const rows = await db
    .select({
      count: bigint(sql`sum(1)`),
      failed: bigint(sql`sum(case when ${logs.failed} then 1 else 0 end)`),
      quota: bigint(sql`sum(${logs.quota})`),
      prompt_tokens: bigint(sql`sum(${logs.promptTokens})`),
      completion_tokens: bigint(sql`sum(${logs.completionTokens})`),
    })
    .from(logs)
    .where(logConditions({ ...filter, type: LOG_TYPE.consumption, start, end }));
  return asNumbers(requireRow(rows));
}

async function sumHours(db: Db, hours: SQL): Promise<UsageSums> {
  const rows = await db.execute<UsageSums>(sql`
    select ${bigint(sql`sum(count)`)} as count, ${bigint(sql`sum(failed)`)} as failed, ${bigint(sql`sum(quota)`)} as quota,
      ${bigint(sql`sum(prompt_tokens)`)} as prompt_tokens, ${bigint(sql`sum(completion_tokens)`)} as completion_tokens
    from ${hours}`);
  return asNumbers(requireRow(rows));
}

/** A sum as a number; 0 over no rows. */
export const bigint = (sum: SQL) => sql<number>`coalesce(${sum}, 0)::bigint`;

const asNumbers = (row: UsageSums): UsageSums => ({
  count: Number(row.count),
  failed: Number(row.failed),
  quota: Number(row.quota),
  prompt_tokens: Number(row.prompt_tokens),
  completion_tokens: Number(row.completion_tokens),
});

const addSums = (a: UsageSums, b: UsageSums): UsageSums => ({
  count: a.count + b.count,
  failed: a.failed + b.failed,
  quota: a.quota + b.quota,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
});

export type UsageStat = UsageSums & { rpm: number; tpm: number };

/** Sums over the range, and served calls and tokens of the last 60 seconds whatever the range: refused and failed ones do not count. */
export async function readStat(db: Db, filter: LogFilter): Promise<UsageStat> {
  const now = nowSeconds();
  const [sums, minute] = await Promise.all([sumUsage(db, filter), sumRows(db, filter, now - 59, now)]);
  return { ...sums, rpm: minute.count - minute.failed, tpm: minute.prompt_tokens + minute.completion_tokens };
}
