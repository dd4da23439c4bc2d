import { sql } from "drizzle-orm";
import { usageRollups, usageTotals } from "../../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../../db/types.ts";
import { isNarrow, type LogFilter } from "../../log-filter.ts";
import type { Owners } from "../totals/owned-hours.ts";
import type { HourRange } from "../totals/totals.ts";
import { DAY_S, LARGEST, readFolded, startOfMonth } from "../totals/totals.ts";
import type { HourKey } from "../totals/usage-hours.ts";

const r = usageRollups;
const t = usageTotals;
const COLUMNS = { user: r.userId, channel: r.channelId, token: r.tokenId } as const;
/** As many are summed exactly to find the largest; if there are more, all are. */
const MOST_CANDIDATES = 200;

/** Those that may have spent most in a range: the largest are among them. */
export type Largest = Readonly<{ by: Owners["dimension"]; ids: readonly number[] }>;

/**
 * The users, channels or API keys among which are the `most` that spent most in a range of whole hours; null when the
 * question is another one. Of whole months and days only the largest are looked at. Who is not among them spent no
 * more than the smallest of these: when that could make a difference, all roll-ups of the range are summed.
 */
export async function findLargest(
  db: Db,
  filter: LogFilter,
  by: HourKey,
  { from, until, most }: HourRange & Readonly<{ most: number }>,
): Promise<Largest | null> {
  if ((by !== "user" && by !== "channel" && by !== "token") || isNarrow(filter)) return null;
  const candidates = await findCandidates(db, by, { from, until, most });
  if (candidates) return { by, ids: candidates };
  const rows = await db.execute<{ id: number }>(sql`
    select ${COLUMNS[by]} as id from ${r} where ${r.hour} >= ${from} and ${r.hour} < ${until}
    group by 1 order by sum(${r.quota}) desc, sum(${r.count}) desc, (${COLUMNS[by]})::text limit ${most}`);
  return { by, ids: [...rows].map(({ id }) => id) };
}

/**
 * Sums what is known of each: `quota` at least, and at most what the smallest known ones spent in the periods in which it is
 * not known. The candidates are the `most` largest by what is known, and all others that may be larger than these.
 */
async function findCandidates(
  db: Db,
  by: Owners["dimension"],
  { from, until, most }: HourRange & Readonly<{ most: number }>,
): Promise<number[] | null> {
  const { days, hours } = await readFolded(db);
  const monthsFrom = startOfMonth(from, from === startOfMonth(from, 0) ? 0 : 1);
  const monthsUntil = Math.max(monthsFrom, startOfMonth(Math.min(until, hours), 0));
  const hasMonths = monthsFrom < monthsUntil;
  const daysFrom = Math.ceil(from / DAY_S) * DAY_S;
  const daysUntil = Math.max(daysFrom, Math.floor(Math.min(until, days) / DAY_S) * DAY_S);
  const outside = (column: typeof t.start | typeof r.hour, first: number, last: number) =>
    first < last ? sql`(${column} < ${first} or ${column} >= ${last})` : sql`true`;
  const rows = await db.execute<{ id: number; quota: number; most: number }>(sql`
    with periods as materialized (
      select ${t.dimension} as dimension, ${t.start} as start, ${t.key}::int as id, ${t.quota} as quota, ${t.count} as count
      from ${t} where ${t.dimension} = ${by} and ${t.start} >= ${monthsFrom} and ${t.start} < ${monthsUntil}
      union all
      select ${t.dimension}, ${t.start}, ${t.key}::int, ${t.quota}, ${t.count} from ${t}
      where ${t.dimension} = ${`${by}_day`} and ${t.start} >= ${daysFrom} and ${t.start} < ${daysUntil}
        and ${hasMonths ? outside(t.start, monthsFrom, monthsUntil) : sql`true`}
    ), cuts as materialized (
      select dimension, start, greatest(0, min(quota)) as cut from periods group by 1, 2 having sum(1) >= ${LARGEST}
    ), known as (
      select id, quota, count, coalesce(cut, 0) as cut from periods left join cuts using (dimension, start)
      union all
      select ${COLUMNS[by]} as id, ${r.quota}, ${r.count}, 0 from ${r} where ${r.hour} >= ${from} and ${r.hour} < ${until}
        and ${outside(r.hour, daysFrom, daysUntil)} and ${hasMonths ? outside(r.hour, monthsFrom, monthsUntil) : sql`true`}
    ), sums as materialized (
      select id, sum(quota) as quota, sum(count) as count, (select coalesce(sum(cut), 0) from cuts) - sum(cut) as missing
      from known group by id
    ), top as materialized (
      select * from sums order by quota desc, count desc, id::text limit ${most}
    ), least as (select coalesce(min(quota), 0) as quota from top)
    select found.id, found.quota::float8 as quota, (select coalesce(sum(cut), 0) from cuts)::float8 as most
    from (
      select * from top
      union
      select sums.* from sums, least where sums.missing > 0 and sums.quota + sums.missing >= least.quota
    ) found order by found.quota desc, found.count desc, found.id::text limit ${MOST_CANDIDATES + 1}`);
  const found = [...rows];
  const [largest] = found;
  const least = found[Math.min(most, found.length) - 1];
  if (!largest || !least) return [];
  // Somebody who is known of no period may have spent as much.
  const isUnsure = largest.most > 0 && (found.length < most || largest.most >= least.quota);
  return isUnsure || found.length > MOST_CANDIDATES ? null : found.map(({ id }) => id);
}
