import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import { logs, usageRollups } from "../../../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../../../db/server/log-database.ts";
import type { Db } from "../../../../../db/types.ts";
import { type LogFilter, logConditions, rollupConditions } from "../../log-filter.ts";
import { readChannelNames } from "../../log-view.ts";
import { LOG_TYPE } from "../../write-log.ts";
import { type Owners, ownedHours } from "../totals/owned-hours.ts";
import { type Buckets, bucketOf, DAY_S, HOUR_S, type HourRange, readFolded } from "../totals/totals.ts";
import { type HourKey, readOwners, usageHours } from "../totals/usage-hours.ts";
import { findLargest, type Largest } from "./find-largest.ts";
import { localEdges } from "./local-days.ts";
import { CELL_SUMS, type Cell, cellOf, isEmptyCell, type SeriesPoint, SUMMED } from "./series-cell.ts";

/** The epoch began on a Thursday; weeks begin on Mondays. */
const TO_MONDAY_S = 3 * DAY_S;
/** Nobody can distinguish more series than these in a chart: what is left is summed as "others". */
const MOST_SERIES = 12;

const SERIES_STEPS = { hour: HOUR_S, day: DAY_S, week: 7 * DAY_S } as const;
export type SeriesStep = keyof typeof SERIES_STEPS;

export type SeriesDimension = SeriesKey;

/** Days and weeks are those of `timeZone`, else of a clock that is `offsetMinutes` ahead of UTC all year. */
export type SeriesClock = Readonly<{ offsetMinutes: number; timeZone?: string }>;
type SeriesQuestion = SeriesClock & Readonly<{ by: SeriesDimension; step: SeriesStep; most?: number }>;

/** One model, user, channel, group or token; key null sums all that are not among the largest. */
export type Series = { key: string | null; name: string; points: SeriesPoint[] };

/**
 * Consumption over time, split by one dimension, largest spending first. Times are epoch seconds, extended to whole hours. What
 * is not among the `most` largest is summed.
 */
export async function readSeries(
  db: Db,
  filter: LogFilter & Readonly<{ start: number; end: number }>,
  { by, step, most = MOST_SERIES, ...clock }: SeriesQuestion,
): Promise<Series[]> {
  const range = { from: filter.start - (filter.start % HOUR_S), until: filter.end + 1 };
  const cells = await readCells(db, filter, by, most, bucketsOf(step, clock, range));
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
    : otherHours(filter, by, { from, until }, await groupingOf(db, filter, by));
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

/** The periods of a step on a clock. The hours of roll-ups are whole ones of UTC, whatever the zone. */
export function bucketsOf(step: SeriesStep, { offsetMinutes, timeZone }: SeriesClock, range: HourRange): Buckets {
  if (timeZone !== undefined && step !== "hour") return { edges: localEdges(timeZone, step, range) };
  return {
    stepS: SERIES_STEPS[step],
    shiftS: Math.trunc(offsetMinutes) * 60 + (step === "week" ? TO_MONDAY_S : 0),
  };
}

async function nameChannels(db: Db, series: Series[]): Promise<Series[]> {
  const ids = series.flatMap(({ key }) => (key === null ? [] : [Number(key)]));
  if (ids.length === 0) return series;
  const names = await readChannelNames(
    db,
    ids.map((channelId) => ({ channelId })),
  );
  return series.map((one) => ({ ...one, name: names.get(Number(one.key)) ?? "" }));
}

/** Dimensions that neither roll-ups nor totals have: tags, end users, and the project and member that API keys belong to now. */
type OtherKey = "tag" | "end_user" | "project" | "member";
type SeriesKey = Exclude<HourKey, "none"> | OtherKey;

const owned = sql`left join ${tokens} on ${tokens.id} = calls.token_id`;
type Grouping = Readonly<{ key: SQL; name: SQL; join: SQL }>;
/** By what calls are grouped; key and name are empty for those without. A call counts under each of its tags. */
const KEYS: Readonly<Record<SeriesKey, Grouping>> = {
  model: { key: sql`calls.model_name`, name: sql`calls.model_name`, join: sql`` },
  group: { key: sql`calls."group"`, name: sql`calls."group"`, join: sql`` },
  user: { key: sql`calls.user_id::text`, name: sql`calls.username`, join: sql`` },
  channel: { key: sql`calls.channel_id::text`, name: sql`''`, join: sql`` },
  token: { key: sql`calls.token_id::text`, name: sql`calls.token_name`, join: sql`` },
  tag: { key: sql`tag`, name: sql`tag`, join: sql`cross join unnest(calls.tags) tag` },
  end_user: { key: sql`calls.end_user`, name: sql`calls.end_user`, join: sql`` },
  project: {
    key: sql`coalesce(${tokens.projectId}::text, '')`,
    name: sql`coalesce(${projects.name}, '')`,
    join: sql`${owned} left join ${projects} on ${projects.id} = ${tokens.projectId}`,
  },
  member: {
    key: sql`coalesce(${tokens.createdBy}::text, '')`,
    name: sql`coalesce(${users.username}, '')`,
    join: sql`${owned} left join ${users} on ${users.id} = ${tokens.createdBy}`,
  },
};

/** Whether only rows of the log answer, not roll-ups. */
const isOfRows = (filter: LogFilter, by: SeriesKey): boolean =>
  by === "tag" || by === "end_user" || filter.tag !== undefined || filter.endUser !== undefined;

/** Whether roll-ups with their totals answer, which know nothing of tags, end users, projects and members. */
const isRolledUp = (filter: LogFilter, by: SeriesKey): by is Exclude<HourKey, "none"> =>
  !isOfRows(filter, by) && by !== "project" && by !== "member";

/** How calls are grouped. Projects and members are read by themselves where the log has a database of its own. */
async function groupingOf(db: Db, { userId }: LogFilter, by: SeriesKey): Promise<Grouping> {
  const main = mainOf(db);
  if (main === db || (by !== "project" && by !== "member")) return KEYS[by];
  const { key, name, join } = KEYS[by];
  const calls = sql`(select ${tokens.id} as token_id from ${tokens} where ${userId === undefined ? sql`true` : eq(tokens.userId, userId)}) calls`;
  const [found] = await main.execute<{ json: string }>(sql`
    select coalesce(json_agg(owned), '[]')::text as json
    from (select calls.token_id as id, ${key} as key, ${name} as name from ${calls} ${join} where ${key} <> '') owned`);
  return {
    key: sql`coalesce(owned.key, '')`,
    name: sql`coalesce(owned.name, '')`,
    join: sql`left join json_to_recordset(${found?.json ?? "[]"}::text::json) as owned(id int, key text, name text) on owned.id = calls.token_id`,
  };
}

/** The derived table `hours` of `usageHours`, from the rows of the log where tags or end users count. Null when roll-ups cannot answer. */
function otherHours(filter: LogFilter, by: SeriesKey, range: HourRange, { key, name, join }: Grouping): SQL | null {
  const calls = isOfRows(filter, by) ? rowsOf(filter, by, range) : rollupsOf(filter, range);
  if (!calls) return null;
  return sql`(
    select hour, ${key} as key, ${name} as name, calls.count, calls.failed, calls.quota, calls.prompt_tokens,
      calls.completion_tokens, calls.elapsed_ms
    from (${calls}) calls ${join}
  ) hours`;
}

const rowsOf = (filter: LogFilter, by: SeriesKey, { from, until }: HourRange): SQL => sql`
  select created_at - created_at % ${sql.raw(String(HOUR_S))} as hour, user_id, username, token_id, token_name, channel_id,
    model_name, "group", tags, end_user, 1 as count, failed::int as failed, logs.quota, prompt_tokens, completion_tokens, elapsed_ms
  from ${logs}
  where ${logConditions({ ...filter, type: LOG_TYPE.consumption, start: from, end: until - 1 })} ${
    by === "end_user"
      ? sql`and ${logs.endUser} is not null`
      : by === "tag" || filter.tag !== undefined
        ? sql`and ${logs.tags} is not null`
        : sql``
  }`;

function rollupsOf(filter: LogFilter, { from, until }: HourRange): SQL | null {
  const narrowing = rollupConditions(filter);
  const r = usageRollups;
  return (
    narrowing &&
    sql`select ${r}.*, null::text[] as tags, null::text as end_user from ${r} where ${and(gte(r.hour, from), lt(r.hour, until), ...narrowing)}`
  );
}

/**
 * The cells of the `most` largest, and those of all others: what they leave of everybody's. Which they are is decided here,
 * by exact sums of those that may be.
 */
async function cellsOfLargest(
  db: Db,
  { by, ids }: Largest,
  { from, until, buckets, most }: HourRange & Readonly<{ buckets: Buckets; most: number }>,
): Promise<Cell[]> {
  const everybody = await usageHours(db, {}, "none", { from, until }, buckets);
  if (!everybody) return [];
  const userIds = by === "token" ? await readOwners(db, ids) : null;
  const owners: Owners = { dimension: by, ids, byModel: false, areLargest: true, ...(userIds && { userIds }) };
  const { days } = await readFolded(db);
  const hours = ownedHours(owners, { from, until }, days, buckets);
  const [some, all] = await Promise.all([
    db.execute<Cell>(sql`
      select ${bucketOf(buckets)} as start, id::text as key, max(name) as name, ${CELL_SUMS} from ${hours} hours
      group by 1, id order by id, 1`),
    db.execute<Cell>(sql`
      select ${bucketOf(buckets)} as start, null as key, '' as name, ${CELL_SUMS} from ${everybody} group by 1 order by 1`),
  ]);
  const largest = rank([...some].map(cellOf)).slice(0, most);
  const cells = largest.flatMap((one) => one.cells);
  return [...cells, ...withoutThem([...all].map(cellOf), cells)];
}

/** Cells by their key, largest spending first, each with the name that comes last. */
function rank(cells: readonly Cell[]) {
  const byKey = Map.groupBy(cells, ({ key }) => key);
  const ranked = [...byKey].map(([key, own]) => {
    const name =
      own
        .map((cell) => cell.name)
        .sort()
        .at(-1) ?? "";
    const total = (of: "quota" | "count") => own.reduce((sum, cell) => sum + cell[of], 0);
    return {
      key: String(key),
      quota: total("quota"),
      count: total("count"),
      cells: own.filter((cell) => !isEmptyCell(cell)).map((cell) => ({ ...cell, name })),
    };
  });
  return ranked
    .filter((one) => one.cells.length > 0)
    .sort((a, b) => b.quota - a.quota || b.count - a.count || (a.key < b.key ? -1 : 1));
}

function withoutThem(everybody: readonly Cell[], largest: readonly Cell[]): Cell[] {
  const left = new Map(everybody.map((cell) => [cell.start, { ...cell }]));
  for (const cell of largest) {
    const rest = left.get(cell.start);
    if (rest) for (const name of SUMMED) rest[name] -= cell[name];
  }
  return [...left.values()].filter((cell) => !isEmptyCell(cell));
}
