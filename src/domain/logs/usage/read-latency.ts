import { and, desc, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { type LogFilter, logConditions } from "../log-filter.ts";
import { readChannelNames } from "../log-view.ts";
import { LOG_TYPE } from "../write-log.ts";

/** How calls of one model, channel or user went; milliseconds within which half, nine in ten and 99 in 100 of them succeeded. */
export type Latency = {
  /** The model's name, or the id of the channel or user. */
  key: string;
  name: string;
  count: number;
  failed: number;
  /** Null when none succeeded. */
  p50_ms: number | null;
  p90_ms: number | null;
  p99_ms: number | null;
};

const KEYS = {
  model: sql<string>`${logs.modelName}`,
  channel: sql<string>`${logs.channelId}::text`,
  user: sql<string>`${logs.userId}::text`,
};

/** More are not read, so that a long range takes no longer: the newest of it stand for it. */
const MOST_CALLS = 20_000;
const MOST_ROWS = 50;

/**
 * Percentiles of the time that calls took and their failures, for the newest 20,000 calls that fit, most called first.
 * `calls`: how many these were.
 */
export async function readLatency(
  db: Db,
  filter: LogFilter,
  by: keyof typeof KEYS,
): Promise<{ calls: number; rows: Latency[] }> {
  const newest = db
    .select({
      key: KEYS[by].as("key"),
      failed: logs.failed,
      elapsedMs: logs.elapsedMs,
    })
    .from(logs)
    .where(and(logConditions({ ...filter, type: LOG_TYPE.consumption })))
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(MOST_CALLS);
  // Counted are the rows that were read for their times anyway, never all of the log.
  type Found = { key: string; count: number; failed: number; times: number[] | null; calls: number };
  const found = await db.execute<Found>(sql`
    select key, sum(1)::int as count, coalesce(sum(1) filter (where failed), 0)::int as failed,
      percentile_disc(array[0.5, 0.9, 0.99]) within group (order by elapsed_ms) filter (where not failed) as times,
      sum(sum(1)) over ()::int as calls
    from (${newest}) newest group by key order by sum(1) desc, key limit ${MOST_ROWS}`);
  const rows = [...found];
  const names =
    by === "channel"
      ? await readChannelNames(
          db,
          rows.map(({ key }) => ({ channelId: Number(key) })),
        )
      : null;
  return {
    calls: rows[0]?.calls ?? 0,
    rows: rows.map(({ key, count, failed, times }) => ({
      key,
      name: names ? (names.get(Number(key)) ?? "") : key,
      count,
      failed,
      p50_ms: times?.[0] ?? null,
      p90_ms: times?.[1] ?? null,
      p99_ms: times?.[2] ?? null,
    })),
  };
}
