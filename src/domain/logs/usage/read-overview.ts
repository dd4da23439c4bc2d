import { and, desc, type SQL, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { type LogFilter, logConditions } from "../log-filter.ts";
import { LOG_TYPE } from "../write-log.ts";
import { sumUsage, type UsageSums } from "./usage-sums.ts";

/** How the newest requests of a period went, without hits of the response cache in the figures. Null: none of them has the figure. */
export type Performance = {
  /** How many requests the figures are of. */
  calls: number;
  /** Milliseconds to the first byte of streams, and to the end of the response, of requests that succeeded. */
  first_token_p50_ms: number | null;
  first_token_p95_ms: number | null;
  duration_p50_ms: number | null;
  duration_p95_ms: number | null;
  /** Output tokens a second, the median of requests that succeeded. Of streams, after the first byte. */
  tokens_per_second: number | null;
  /** Input tokens, those of them that the provider had cached, and the quota units that the lower price saved. */
  prompt_tokens: number;
  cached_tokens: number;
  saved_quota: number;
};

/** The figures of a part of a period, for a small chart. */
export type PerformancePoint = Omit<Performance, "calls"> & { start: number };

type Period = Readonly<{ sums: UsageSums; performance: Performance }>;

export type UsageOverview = Readonly<{
  current: Period;
  /** The period of the same length that it is compared with: the one that ended where this one began, unless chosen. */
  previous: Period;
  points: readonly PerformancePoint[];
}>;

/** Reading the notes of more rows takes too long for a page. */
const MOST_CALLS = 1000;
const POINTS = 24;

/**
 * Usage and performance in a period (epoch seconds, both inclusive), and in one of the same length: the one before, or
 * that which starts at `compareStart`.
 */
export async function readOverview(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  compareStart?: number,
): Promise<UsageOverview> {
  const span = filter.end - filter.start;
  const start = compareStart ?? Math.max(0, filter.start - span - 1);
  const end = compareStart === undefined ? filter.start - 1 : compareStart + span;
  const before = { ...filter, start, end };
  const [sums, earlierSums, newest, earlier] = await Promise.all([
    sumUsage(db, filter),
    sumUsage(db, before),
    readPerformance(db, filter),
    readPerformance(db, before),
  ]);
  return {
    current: { sums, performance: newest.total },
    previous: { sums: earlierSums, performance: earlier.total },
    points: newest.points,
  };
}

/** A number of a row's notes. Quotes within texts are escaped, so that only a member's own name matches. */
const note = (name: string): SQL => sql`substring(${logs.other} from ${`"${name}":(-?[0-9.]+)`})::float8`;

/** What the notes of a request have that the response cache answered: its speed is no provider's. */
const CACHE_HIT = '"response_cache":{"age_seconds":';

/** The newest requests that fit. */
function newestCalls(db: Db, filter: LogFilter) {
  const first = note("frt");
  const streamed = sql`${logs.isStream} and ${first} > 0 and ${logs.elapsedMs} > ${first}`;
  const millis = sql`case when ${streamed} then ${logs.elapsedMs} - ${first} else ${logs.elapsedMs} end`;
  const price = sql`coalesce(${note("model_ratio")}, 0) * coalesce(${note("group_ratio")}, 1)`;
  return db
    .select({
      createdAt: logs.createdAt,
      failed: logs.failed,
      isHit: sql`position(${CACHE_HIT} in coalesce(${logs.other}, '')) > 0`.as("is_hit"),
      elapsedMs: logs.elapsedMs,
      promptTokens: logs.promptTokens,
      firstMs: sql`case when ${logs.isStream} and ${first} > 0 then ${first} end`.as("first_ms"),
      rate: sql`case when ${logs.completionTokens} > 1 and ${millis} > 0
        then ${logs.completionTokens} * 1000.0 / ${millis} end`.as("rate"),
      cached: sql`coalesce(${note("cache_tokens")}, 0)`.as("cached"),
      saved: sql`coalesce(${note("cache_tokens")} * (1 - ${note("cache_ratio")}) * ${price}, 0)`.as("saved"),
    })
    .from(logs)
    .where(and(logConditions({ ...filter, type: LOG_TYPE.consumption })))
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(MOST_CALLS);
}

const FIGURES = sql`
  percentile_cont(0.5) within group (order by first_ms) filter (where not failed and not is_hit) as first_token_p50_ms,
  percentile_cont(0.95) within group (order by first_ms) filter (where not failed and not is_hit) as first_token_p95_ms,
  percentile_cont(0.5) within group (order by elapsed_ms) filter (where not failed and not is_hit) as duration_p50_ms,
  percentile_cont(0.95) within group (order by elapsed_ms) filter (where not failed and not is_hit) as duration_p95_ms,
  percentile_cont(0.5) within group (order by rate) filter (where not failed and not is_hit) as tokens_per_second,
  coalesce(sum(prompt_tokens) filter (where not is_hit), 0)::float8 as prompt_tokens,
  coalesce(sum(cached) filter (where not is_hit), 0)::float8 as cached_tokens,
  coalesce(sum(saved) filter (where not is_hit), 0)::float8 as saved_quota`;

/** The performance of the newest requests, in total and in up to 24 equal parts of their time. */
export async function readPerformance(db: Db, filter: LogFilter) {
  // The row of the total has no part.
  const rows = await db.execute<Performance & { start: number | null }>(sql`
    with newest as materialized (${newestCalls(db, filter)}),
      span as (select min(created_at) as first, greatest(1, max(created_at) - min(created_at) + 1) as seconds from newest)
    select (first + (part * seconds) / ${POINTS})::float8 as start, coalesce(sum(1), 0)::int as calls, ${FIGURES}
    from (select newest.*, first, seconds, ((created_at - first) * ${POINTS}) / seconds as part from newest, span) parts
    group by grouping sets ((part, first, seconds), ()) order by part nulls first`);
  const [total, ...points] = [...rows];
  if (!total) throw new Error("a sum over no rows is a row");
  const { start: _, ...performance } = total;
  return {
    total: performance,
    points: points.map(({ calls: _, start, ...point }) => ({ ...point, start: start ?? 0 })),
  };
}
