import { and, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { usageDays, usageRollups, usageTotals } from "../../../../../db/schema/logs/logs.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { type Buckets, DAY_S, type HourRange, splitDays } from "./totals.ts";

const r = usageRollups;
const d = usageDays;
const t = usageTotals;
const COLUMNS = {
  user: { id: r.userId, name: sql`${r.username}` },
  channel: { id: r.channelId, name: sql`''` },
  token: { id: r.tokenId, name: sql`${r.tokenName}` },
} as const;

/** Users, channels or API keys whose calls are read: keys only where one of `userIds` owns them, if given. */
export type Owners = Readonly<{
  dimension: keyof typeof COLUMNS;
  ids: readonly number[];
  models?: readonly string[];
  userIds?: readonly number[];
  /** Whether rows are grouped by model. */
  byModel: boolean;
  /** Whether they are among those that spent most on many days, whose sums of days are found without their models. */
  areLargest?: boolean;
}>;

/**
 * A derived table of the calls of some users, channels or API keys in a range of whole hours: hour, id, model_name, name and
 * the sums. Days before `daysUntil` come from the sums of days, if the buckets are made of days; of all other hours, and of
 * days that lie in two buckets, the roll-ups say what belongs where.
 */
export function ownedHours(owners: Owners, range: HourRange, daysUntil: number, buckets: Buckets | null): SQL {
  const divided = divide(range, daysUntil, buckets);
  if (!divided) return sql`(${rollupsIn(owners, [{ ...range, moves: false }], 0)})`;
  const { days, anchorS, parts } = divided;
  const summed = owners.areLargest ? daysOfLargest(owners, days, anchorS) : daysIn(owners, days, anchorS);
  return parts.length === 0 ? sql`(${summed})` : sql`(${summed} union all ${rollupsIn(owners, parts, anchorS)})`;
}

function daysIn(owners: Owners, { from, until }: HourRange, anchorS: number): SQL {
  const { dimension, ids, models, userIds, byModel } = owners;
  const where = and(
    eq(d.dimension, dimension),
    isOneOf(d.id, ids),
    gte(d.day, from),
    lt(d.day, until),
    models && inArray(d.modelName, [...models]),
    userIds && isOneOf(d.userId, userIds),
  );
  const model = byModel ? sql`${d.modelName}` : sql`''`;
  // Few rows to sum again, where a day has many models.
  return sql`
    select ${d.day} + ${sql.raw(String(anchorS))} as hour, ${d.id} as id, ${model} as model_name, max(${d.name}) as name,
      sum(${d.count})::bigint as count, sum(${d.failed})::bigint as failed, sum(${d.quota})::bigint as quota,
      sum(${d.promptTokens})::bigint as prompt_tokens, sum(${d.completionTokens})::bigint as completion_tokens,
      sum(${d.elapsedMs})::bigint as elapsed_ms
    from ${d} where ${where} group by ${d.day}, ${d.id}, 3`;
}

/**
 * The totals of days name those that spent most on each: one row instead of one for each model. The days on which one of the
 * owners was not among them, and the name, which is the latest one, are read from the sums by model.
 */
function daysOfLargest({ dimension, ids }: Owners, { from, until }: HourRange, anchorS: number): SQL {
  const anchor = sql.raw(String(anchorS));
  const owners = sql`unnest(${`{${ids.join(",")}}`}::int[]) owners(id)`;
  const days = sql`generate_series(${from}::bigint, ${until - DAY_S}::bigint, ${sql.raw(String(DAY_S))}) as day`;
  const ofOwner = and(eq(d.dimension, dimension), sql`${d.id} = owners.id`);
  return sql`
    select hour, id, '' as model_name, name, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms from (
      with known as materialized (
        select ${t.start} as day, ${t.key}::int as id, ${t.count} as count, ${t.failed} as failed, ${t.quota} as quota,
          ${t.promptTokens} as prompt_tokens, ${t.completionTokens} as completion_tokens, ${t.elapsedMs} as elapsed_ms
        from ${t} where ${t.dimension} = ${`${dimension}_day`} and ${t.start} = any(array(select ${days}))
          and ${t.key} = any(${`{${ids.join(",")}}`}::text[])
      )
      select day + ${anchor} as hour, id, '' as name, count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms
      from known
      union all
      select days.day + ${anchor}, owners.id, '', found.* from ${owners} cross join (select ${days}) days
        left join known on known.id = owners.id and known.day = days.day
        cross join lateral (
          select sum(${d.count})::bigint as count, sum(${d.failed})::bigint, sum(${d.quota})::bigint, sum(${d.promptTokens})::bigint,
            sum(${d.completionTokens})::bigint, sum(${d.elapsedMs})::bigint
          from ${d} where ${ofOwner} and ${d.day} = days.day
        ) found
      where known.id is null and found.count is not null
      union all
      select latest.day + ${anchor}, owners.id, latest.name, 0, 0, 0, 0, 0, 0 from ${owners} cross join lateral (
        select ${d.day} as day, ${d.name} as name from ${d}
        where ${and(ofOwner, gte(d.day, from), lt(d.day, until))} order by ${d.day} desc limit 1
      ) latest
    ) days`;
}

function rollupsIn(
  { dimension, ids, models, userIds, byModel }: Owners,
  parts: DayParts["parts"],
  anchorS: number,
): SQL {
  const { id, name } = COLUMNS[dimension];
  return hoursIn(
    parts,
    anchorS,
    ["id", "model_name", "name"],
    (isInPart) => sql`
      select ${r.hour} as hour, ${id} as id, ${byModel ? sql`${r.modelName}` : sql`''`} as model_name, ${name} as name, ${r.count} as count,
        ${r.failed} as failed, ${r.quota} as quota, ${r.promptTokens} as prompt_tokens,
        ${r.completionTokens} as completion_tokens, ${r.elapsedMs} as elapsed_ms
      from ${r} where ${and(
        isInPart(sql`${r.hour}`),
        isOneOf(id, ids),
        models && inArray(r.modelName, [...models]),
        userIds && isOneOf(r.userId, userIds),
      )}`,
  );
}

/** Hours that are read one by one; if they move, they are also taken off where their day counts. */
type Part = HourRange & Readonly<{ moves: boolean }>;

const SUMS = ["count", "failed", "quota", "prompt_tokens", "completion_tokens", "elapsed_ms"] as const;

/** A range of hours as whole days, each counted `anchorS` after its begin, and the hours that are read besides. */
type DayParts = Readonly<{ days: HourRange; anchorS: number; parts: readonly Part[] }>;

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
