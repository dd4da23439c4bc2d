import { type SQL, sql } from "drizzle-orm";
import { type Buckets, type HourRange, splitDays } from "./buckets.ts";
import { DAY_S } from "./totals.ts";

/** Hours that are read one by one; if they move, they are also taken off where their day counts. */
type Part = HourRange & Readonly<{ moves: boolean }>;

const SUMS = ["count", "failed", "quota", "prompt_tokens", "completion_tokens", "elapsed_ms"] as const;

/** A range of hours as whole days, each counted `anchorS` after its begin, and the hours that are read besides. */
export type DayParts = Readonly<{ days: HourRange; anchorS: number; parts: readonly Part[] }>;

/** Divides a range into days, of which there are sums before `daysUntil`, and hours; null: all of it is read by the hour. */
export function divide(range: HourRange, daysUntil: number, buckets: Buckets | null): DayParts | null {
  const from = Math.ceil(range.from / DAY_S) * DAY_S;
  const until = Math.floor(Math.min(range.until, daysUntil) / DAY_S) * DAY_S;
  const split = from < until ? splitDays(buckets, { from, until }) : null;
  if (!split) return null;
  const edges = [
    { from: range.from, until: from, moves: false },
    { from: until, until: range.until, moves: false },
  ].filter((edge) => edge.from < edge.until);
  const parts = [...edges, ...split.moved.map((part) => ({ ...part, moves: true }))];
  return { days: { from, until }, anchorS: split.anchorS, parts };
}

/**
 * A query for the hours of `parts`, with the columns `labels` and the sums: `select` reads them where its condition on the
 * hours holds.
 */
export function hoursIn(
  parts: readonly Part[],
  anchorS: number,
  labels: readonly string[],
  select: (isInPart: (hour: SQL) => SQL) => SQL,
): SQL {
  const list = (values: readonly (number | boolean)[]) => `{${values.join(",")}}`;
  const columns = labels.map((label) => `found.${label}`).join(", ");
  const sums = SUMS.map((name) => `sign * found.${name} as ${name}`).join(", ");
  const rows = select((hour) => sql`${hour} >= parts.first and ${hour} < parts.last`);
  const summed = sql.raw(SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(", "));
  // Hours that move do so together: their sum is a small part of the rows that would be taken off and added.
  const hours = parts.some(({ moves }) => moves)
    ? sql`select case when parts.moves then parts.first else hour end as hour, ${sql.raw(labels.join(", "))}, ${summed}
        from (${rows}) hours group by 1, ${sql.raw(labels.join(", "))}`
    : rows;
  // The offset keeps the planner from reading a whole table once instead of the few rows of each range by their index.
  return sql`
    select place.hour as hour, ${sql.raw(columns)}, ${sql.raw(sums)}
    from unnest(${list(parts.map(({ from }) => from))}::bigint[], ${list(parts.map(({ until }) => until))}::bigint[],
        ${list(parts.map(({ moves }) => moves))}::boolean[]) parts(first, last, moves)
      cross join lateral (${hours} offset 0) found
      cross join lateral (values (found.hour, 1), (found.hour - found.hour % ${sql.raw(String(DAY_S))} + ${sql.raw(String(anchorS))}, -1))
        place(hour, sign)
    where moves or sign = 1`;
}
