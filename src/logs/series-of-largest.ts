import { type SQL, sql } from "drizzle-orm";
import { usageFold, usageRollups, usageTotals } from "../../db/schema/logs.ts";
import { tokens } from "../../db/schema/tokens.ts";
import type { Db } from "../../db/types.ts";
import { isOneOf } from "../lib/sql-text.ts";
import { isNarrow, type LogFilter } from "./log-filter.ts";
import { CELL_SUMS, type Cell, cellOf, type SeriesPoint } from "./series-cell.ts";
import { type HourKey, usageHours } from "./usage-hours.ts";

const r = usageRollups;
const t = usageTotals;
const COLUMNS = { user: r.userId, channel: r.channelId, token: r.tokenId } as const;
type Dimension = keyof typeof COLUMNS;

/** Those that spent most in a range, largest first. */
export type Largest = Readonly<{ by: Dimension; ids: readonly number[] }>;

/**
 * The users, channels or API keys that spent most between two times (epoch seconds of whole hours), by the totals of whole
 * months; null when there is no such month between them, or the question is another.
 */
export async function largestOfMonths(
  db: Db,
  filter: LogFilter,
  by: HourKey,
  { from, until, most }: Readonly<{ from: number; until: number; most: number }>,
): Promise<Largest | null> {
  if ((by !== "user" && by !== "channel" && by !== "token") || isNarrow(filter)) return null;
  const [fold] = await db.select({ until: usageFold.until }).from(usageFold);
  const first = monthStart(from, from === monthStart(from, 0) ? 0 : 1);
  const last = monthStart(Math.min(until, fold?.until ?? 0), 0);
  if (first >= last) return null;
  const edge = (start: number, end: number) => sql`
    select ${COLUMNS[by]}::text as key, ${r.quota} as quota, ${r.count} as count from ${r}
    where ${r.hour} >= ${start} and ${r.hour} < ${end}`;
  const rows = await db.execute<{ key: string }>(sql`
    select key from (
      select ${t.key} as key, ${t.quota} as quota, ${t.count} as count from ${t}
      where ${t.dimension} = ${by} and ${t.start} >= ${first} and ${t.start} < ${last}
      union all ${edge(from, first)} union all ${edge(last, until)}
    ) sums group by key order by sum(quota) desc, sum(count) desc, key limit ${most}`);
  return { by, ids: [...rows].map(({ key }) => Number(key)) };
}

/** The cells of the largest out of an index, and those of all others: what they leave of everybody's. */
export async function cellsOfLargest(
  db: Db,
  { by, ids }: Largest,
  { from, until, bucket }: Readonly<{ from: number; until: number; bucket: SQL }>,
): Promise<Cell[]> {
  const all = usageHours({}, "none", from, until);
  if (!all) return [];
  const [largest, everybody] = await Promise.all([
    db.execute<Cell>(sql`
      select ${bucket} as start, key, max(name) as name, ${CELL_SUMS} from (
        select ${r.hour} as hour, ${COLUMNS[by]}::text as key, ${nameOf(by)} as name, ${r.count} as count,
          ${r.failed} as failed, ${r.quota} as quota, ${r.promptTokens} as prompt_tokens,
          ${r.completionTokens} as completion_tokens, ${r.elapsedMs} as elapsed_ms
        from ${r} where ${isOneOf(COLUMNS[by], ids)} ${byOwner(by, ids)} and ${r.hour} >= ${from} and ${r.hour} < ${until}
      ) hours group by 1, 2 order by array_position(${`{${ids.join(",")}}`}::text[], key), 1`),
    db.execute<Cell>(sql`
      select ${bucket} as start, null as key, '' as name, ${CELL_SUMS} from ${all} group by 1 order by 1`),
  ]);
  const cells = [...largest].map(cellOf);
  const names = new Map<string | null, string>();
  for (const { key, name } of cells) if (name > (names.get(key) ?? "")) names.set(key, name);
  const named = cells.map((cell) => ({ ...cell, name: names.get(cell.key) ?? "" }));
  return [...named, ...withoutThem([...everybody].map(cellOf), cells)];
}

const nameOf = (by: Dimension): SQL =>
  by === "user" ? sql`${r.username}` : by === "token" ? sql`${r.tokenName}` : sql`''`;

/** Keys are looked up under their owners, for which there is an index; the playground (0) is no key and has none. */
const byOwner = (by: Dimension, ids: readonly number[]): SQL =>
  by === "token" && !ids.includes(0)
    ? sql`and ${r.userId} = any(array(select ${tokens.userId} from ${tokens} where ${isOneOf(tokens.id, ids)}))`
    : sql``;

const SUMMED = [
  "count",
  "failed",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "elapsed_ms",
] as const satisfies readonly (keyof SeriesPoint)[];

function withoutThem(everybody: readonly Cell[], largest: readonly Cell[]): Cell[] {
  const left = new Map(everybody.map((cell) => [cell.start, { ...cell }]));
  for (const cell of largest) {
    const rest = left.get(cell.start);
    if (rest) for (const name of SUMMED) rest[name] -= cell[name];
  }
  return [...left.values()].filter((cell) => SUMMED.some((name) => cell[name] !== 0));
}

/** The start of the month (UTC) that a time lies in, or of one `ahead` of it. */
function monthStart(time: number, ahead: number): number {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1) / 1000;
}
