import { and, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import { channels } from "../../db/schema/channels.ts";
import { usageRollups } from "../../db/schema/logs.ts";
import type { Db } from "../../db/types.ts";
import { type LogFilter, rollupConditions } from "./log-filter.ts";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** The epoch began on a Thursday; weeks begin on Mondays. */
const TO_MONDAY_S = 3 * DAY_S;
/** More series than these nobody tells apart: what is left is summed as "others". */
const MOST_SERIES = 12;

export const SERIES_STEPS = { hour: HOUR_S, day: DAY_S, week: 7 * DAY_S } as const;
export type SeriesStep = keyof typeof SERIES_STEPS;

const DIMENSIONS = {
  model: { key: usageRollups.modelName, name: usageRollups.modelName },
  user: { key: usageRollups.userId, name: usageRollups.username },
  channel: { key: usageRollups.channelId, name: sql`''` },
  group: { key: usageRollups.group, name: usageRollups.group },
  token: { key: usageRollups.tokenId, name: usageRollups.tokenName },
} as const;
export type SeriesDimension = keyof typeof DIMENSIONS;

/** Sums of one period of one series: calls, quota units, tokens, milliseconds. */
export type SeriesPoint = {
  /** Epoch seconds at which the period begins. */
  start: number;
  count: number;
  failed: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  elapsed_ms: number;
};

/** One model, user, channel, group or token; key null sums all that are not among the largest. */
export type Series = { key: string | null; name: string; points: SeriesPoint[] };

type Cell = Omit<SeriesPoint, "start"> & { start: number; key: string | null; name: string };

/**
 * Consumption over time, split by one dimension, largest spending first. Times are epoch seconds, extended to whole hours;
 * days and weeks are those of a clock that is `offsetMinutes` ahead of UTC.
 */
export async function readSeries(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  { by, step, offsetMinutes }: Readonly<{ by: SeriesDimension; step: SeriesStep; offsetMinutes: number }>,
): Promise<Series[]> {
  const cells = await readCells(db, filter, by, bucketOf(step, offsetMinutes));
  const series = new Map<string | null, Series>();
  for (const { key, name, ...sums } of cells) {
    const one = series.get(key) ?? { key, name, points: [] };
    one.points.push(numbersOf(sums));
    series.set(key, one);
  }
  const found = [...series.values()];
  return by === "channel" ? nameChannels(db, found) : found;
}

function readCells(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  by: SeriesDimension,
  bucket: SQL,
): Promise<Iterable<Cell>> {
  const r = usageRollups;
  const where = and(
    gte(r.hour, filter.start - (filter.start % HOUR_S)),
    lte(r.hour, filter.end),
    ...(rollupConditions(filter) ?? []),
  );
  const { key, name } = DIMENSIONS[by];
  return db.execute<Cell>(sql`
    with cells as materialized (
      select ${bucket} as start, (${key})::text as key, max(${name}) as name, sum(${r.count}) as count,
        sum(${r.failed}) as failed, sum(${r.quota}) as quota, sum(${r.promptTokens}) as prompt_tokens,
        sum(${r.completionTokens}) as completion_tokens, sum(${r.elapsedMs}) as elapsed_ms
      from ${r} where ${where} group by 1, 2
    ), ranks as (
      select key, max(name) as name, row_number() over (order by sum(quota) desc, sum(count) desc, key) as place
      from cells group by key
    ), placed as (
      select cells.*, least(ranks.place, ${MOST_SERIES + 1}) as place, ranks.name as shown
      from cells join ranks using (key)
    )
    select start::bigint, case when place <= ${MOST_SERIES} then key end as key,
      case when place <= ${MOST_SERIES} then shown else '' end as name, sum(count)::bigint as count,
      sum(failed)::bigint as failed, sum(quota)::bigint as quota, sum(prompt_tokens)::bigint as prompt_tokens,
      sum(completion_tokens)::bigint as completion_tokens, sum(elapsed_ms)::bigint as elapsed_ms
    from placed group by place, 1, 2, 3 order by place, 1`);
}

function bucketOf(step: SeriesStep, offsetMinutes: number): SQL {
  const seconds = sql.raw(String(SERIES_STEPS[step]));
  const shift = sql.raw(String(Math.trunc(offsetMinutes) * 60 + (step === "week" ? TO_MONDAY_S : 0)));
  return sql`(${usageRollups.hour} - (${usageRollups.hour} + ${shift}) % ${seconds})`;
}

const numbersOf = (point: SeriesPoint): SeriesPoint => ({
  start: Number(point.start),
  count: Number(point.count),
  failed: Number(point.failed),
  quota: Number(point.quota),
  prompt_tokens: Number(point.prompt_tokens),
  completion_tokens: Number(point.completion_tokens),
  elapsed_ms: Number(point.elapsed_ms),
});

async function nameChannels(db: Db, series: Series[]): Promise<Series[]> {
  const ids = series.flatMap(({ key }) => (key === null ? [] : [Number(key)]));
  if (ids.length === 0) return series;
  const rows = await db
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(inArray(channels.id, ids));
  const names = new Map(rows.map(({ id, name }) => [String(id), name]));
  return series.map((one) => ({ ...one, name: (one.key && names.get(one.key)) || "" }));
}
