import { type SQL, sql } from "drizzle-orm";
import { tokens } from "../../../../../db/schema/accounts/api-keys.ts";
import { usageFold, usageRollups, usageTotals } from "../../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../../db/types.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { isNarrow, type LogFilter } from "../../list/log-filter.ts";
import { type HourKey, usageHours } from "../usage-hours.ts";
import { CELL_SUMS, type Cell, cellOf, type SeriesPoint } from "./series-cell.ts";

const r = usageRollups;
const t = usageTotals;
const COLUMNS = { user: r.userId, channel: r.channelId, token: r.tokenId } as const;
type Dimension = keyof typeof COLUMNS;

/** Those that spent most in a range, largest first. */
export type Largest = Readonly<{ by: Dimension; ids: readonly number[] }>;

/**
 * The users, channels or API keys that spent most between two times (epoch seconds); null when the question is another one.
 * Of whole months only the thousand largest are looked at: who was among them in none is not among the largest of all.
 */
export async function findLargest(
  db: Db,
  filter: LogFilter,
  by: HourKey,
  { from, until, most }: Readonly<{ from: number; until: number; most: number }>,
): Promise<Largest | null> {
  if ((by !== "user" && by !== "channel" && by !== "token") || isNarrow(filter)) return null;
  const [fold] = await db.select({ until: usageFold.until }).from(usageFold);
  const first = monthStart(from, from === monthStart(from, 0) ? 0 : 1);
  const last = Math.max(first, monthStart(Math.min(until, fold?.until ?? 0), 0));
  const edges =
    first < last
      ? sql`((${r.hour} >= ${from} and ${r.hour} < ${first}) or (${r.hour} >= ${last} and ${r.hour} < ${until}))`
      : sql`(${r.hour} >= ${from} and ${r.hour} < ${until})`;
  const rows = await db.execute<{ id: number }>(sql`
    select id from (
      select ${t.key}::int as id, ${t.quota} as quota, ${t.count} as count from ${t}
      where ${t.dimension} = ${by} and ${t.start} >= ${first} and ${t.start} < ${last}
      union all
      select ${COLUMNS[by]} as id, ${r.quota} as quota, ${r.count} as count from ${r} where ${edges}
    ) sums group by id order by sum(quota) desc, sum(count) desc, id::text limit ${most}`);
  return { by, ids: [...rows].map(({ id }) => id) };
}

/** The cells of the largest out of an index, and those of all others: what they leave of everybody's. */
export async function cellsOfLargest(
  db: Db,
  { by, ids }: Largest,
  { from, until, bucket }: Readonly<{ from: number; until: number; bucket: SQL }>,
): Promise<Cell[]> {
  const all = usageHours({}, "none", from, until);
  if (!all) return [];
  const byOwner = await narrowToOwners(db, { by, ids });
  const [largest, everybody] = await Promise.all([
    db.execute<Cell>(sql`
      select ${bucket} as start, id::text as key, max(name) as name, ${CELL_SUMS} from (
        select ${r.hour} as hour, ${COLUMNS[by]} as id, ${nameOf(by)} as name, ${r.count} as count,
          ${r.failed} as failed, ${r.quota} as quota, ${r.promptTokens} as prompt_tokens,
          ${r.completionTokens} as completion_tokens, ${r.elapsedMs} as elapsed_ms
        from ${r} where ${isOneOf(COLUMNS[by], ids)} ${byOwner} and ${r.hour} >= ${from} and ${r.hour} < ${until}
      ) hours group by 1, id order by array_position(${`{${ids.join(",")}}`}::int[], id), 1`),
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
async function narrowToOwners(db: Db, { by, ids }: Largest): Promise<SQL> {
  if (by !== "token") return sql``;
  const owned = await db.select({ userId: tokens.userId }).from(tokens).where(isOneOf(tokens.id, ids));
  const owners = owned.map(({ userId }) => userId);
  return owners.length === ids.length ? sql`and ${isOneOf(r.userId, owners)}` : sql``;
}

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
