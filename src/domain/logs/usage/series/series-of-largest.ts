import { sql } from "drizzle-orm";
import type { Db } from "../../../../../db/types.ts";
import { type Buckets, bucketOf, type HourRange } from "../totals/buckets.ts";
import { type Owners, ownedHours } from "../totals/owned-hours.ts";
import { readFolded } from "../totals/totals.ts";
import { readOwners, usageHours } from "../totals/usage-hours.ts";
import type { Largest } from "./find-largest.ts";
import { CELL_SUMS, type Cell, cellOf, isEmptyCell, SUMMED } from "./series-cell.ts";

/**
 * The cells of the `most` largest, and those of all others: what they leave of everybody's. Which they are is decided here,
 * by exact sums of those that may be.
 */
export async function cellsOfLargest(
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
