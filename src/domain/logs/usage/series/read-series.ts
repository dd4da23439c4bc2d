import { sql } from "drizzle-orm";
import type { Db } from "../../../../../db/types.ts";
import { readChannelNames } from "../../list/channel-names.ts";
import type { LogFilter } from "../../list/log-filter.ts";
import { type Buckets, bucketOf } from "../totals/buckets.ts";
import { DAY_S, HOUR_S } from "../totals/totals.ts";
import { usageHours } from "../totals/usage-hours.ts";
import { findLargest } from "./find-largest.ts";
import { isRolledUp, otherHours, type SeriesKey } from "./other-hours.ts";
import { CELL_SUMS, type Cell, cellOf, isEmptyCell, type SeriesPoint } from "./series-cell.ts";
import { cellsOfLargest } from "./series-of-largest.ts";

/** The epoch began on a Thursday; weeks begin on Mondays. */
const TO_MONDAY_S = 3 * DAY_S;
/** Nobody can distinguish more series than these in a chart: what is left is summed as "others". */
const MOST_SERIES = 12;

export const SERIES_STEPS = { hour: HOUR_S, day: DAY_S, week: 7 * DAY_S } as const;
export type SeriesStep = keyof typeof SERIES_STEPS;

export type SeriesDimension = SeriesKey;

type SeriesQuestion = Readonly<{ by: SeriesDimension; step: SeriesStep; offsetMinutes: number; most?: number }>;

/** One model, user, channel, group or token; key null sums all that are not among the largest. */
export type Series = { key: string | null; name: string; points: SeriesPoint[] };

/**
 * Consumption over time, split by one dimension, largest spending first. Times are epoch seconds, extended to whole hours;
 * days and weeks are those of a clock that is `offsetMinutes` ahead of UTC. What is not among the `most` largest is summed.
 */
export async function readSeries(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  { by, step, offsetMinutes, most = MOST_SERIES }: SeriesQuestion,
): Promise<Series[]> {
  const cells = await readCells(db, filter, by, most, bucketsOf(step, offsetMinutes));
  const series = new Map<string | null, Series>();
  for (const { key, name, ...sums } of cells) {
    const one = series.get(key) ?? { key, name, points: [] };
    one.points.push(sums);
    series.set(key, one);
  }
  const found = [...series.values()];
  return by === "channel" ? nameChannels(db, found) : found;
}

async function readCells(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  by: SeriesDimension,
  most: number,
  buckets: Buckets,
): Promise<Cell[]> {
  const from = filter.start - (filter.start % HOUR_S);
  const until = filter.end + 1;
  const largest = isRolledUp(filter, by) ? await findLargest(db, filter, by, { from, until, most }) : null;
  if (largest) return cellsOfLargest(db, largest, { from, until, buckets, most });
  const hours = isRolledUp(filter, by)
    ? await usageHours(db, filter, by, { from, until }, buckets)
    : otherHours(filter, by, { from, until });
  if (!hours) return [];
  const cells = await db.execute<Cell>(sql`
    with cells as materialized (
      select ${bucketOf(buckets)} as start, key, max(name) as name, ${CELL_SUMS} from ${hours} group by 1, 2
    ), ranks as (
      select key, max(name) as name, row_number() over (order by sum(quota) desc, sum(count) desc, key) as place
      from cells group by key
    ), placed as (
      select cells.*, least(ranks.place, ${most + 1}) as place, ranks.name as shown
      from cells join ranks using (key)
    )
    select start::bigint, case when place <= ${most} then key end as key,
      case when place <= ${most} then shown else '' end as name, ${CELL_SUMS}
    from placed group by place, 1, 2, 3 order by place, 1`);
  return [...cells].map(cellOf).filter((cell) => !isEmptyCell(cell));
}

const bucketsOf = (step: SeriesStep, offsetMinutes: number): Buckets => ({
  stepS: SERIES_STEPS[step],
  shiftS: Math.trunc(offsetMinutes) * 60 + (step === "week" ? TO_MONDAY_S : 0),
});

async function nameChannels(db: Db, series: Series[]): Promise<Series[]> {
  const ids = series.flatMap(({ key }) => (key === null ? [] : [Number(key)]));
  if (ids.length === 0) return series;
  const names = await readChannelNames(
    db,
    ids.map((channelId) => ({ channelId })),
  );
  return series.map((one) => ({ ...one, name: names.get(Number(one.key)) ?? "" }));
}
