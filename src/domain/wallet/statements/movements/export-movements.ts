import { eq } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { ownLogOf } from "../../../../../db/server/log-database.ts";
import type { Db, DbOrTx } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { type CsvCell, csvOf } from "../../../../lib/values/csv.ts";
import { divide, integer, toText } from "../../../../lib/values/decimal.ts";
import { accountUnits } from "../compute-statement.ts";
import { type ChargesBy, firstMovementAt, type MovementRow, readMovementRows } from "./movement-rows.ts";
import { FOREVER, netOf, readMovements } from "./read-movements.ts";

const COLUMNS = ["time", "kind", "quota", "dollars", "balance", "detail", "reference"] as const;

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** A slice asks the database for no more time than this, in seconds, and no more rows. */
const WINDOW_S: Readonly<Record<ChargesBy, number>> = { day: 30 * DAY_S, call: DAY_S };
const SLICE = 1000;
/** Movements within the last hour (or day) are few: they are read at once. */
const RECENT = 100_000;
const DOLLAR_PLACES = 6;
const SNAPSHOT = { isolationLevel: "repeatable read", accessMode: "read only" } as const;

export type MovementDeps = Readonly<{ db: Db; unitsPerDollar: number }>;

/**
 * Everything that changed the balance of `userId` as CSV, oldest first, read in slices while it is sent. The column `quota` adds
 * up to the balance at the end of the file, to the unit: `opening` is what no source explains (changes whose log rows were
 * cleared), `correction` what changed about the past while the file was written. Times are UTC. Throws OperationError.
 */
export async function exportMovements(
  deps: MovementDeps,
  userId: number,
  by: ChargesBy,
  nowSeconds: () => number,
): Promise<ReadableStream<Uint8Array>> {
  const opening = await deps.db.transaction(async (tx) => {
    const all = await readMovements(tx, userId, { from: 0, until: FOREVER });
    return (await balanceOf(tx, userId)) - netOf(all);
  }, SNAPSHOT);
  return csvOf(COLUMNS, slicesOf(deps, userId, by, opening, nowSeconds));
}

async function* slicesOf(
  { db, unitsPerDollar }: MovementDeps,
  userId: number,
  by: ChargesBy,
  opening: number,
  nowSeconds: () => number,
): AsyncGenerator<CsvCell[][]> {
  let balance = 0;
  const cellsOf = ({ at, kind, quota, detail, ref }: MovementRow): CsvCell[] => {
    balance += quota;
    const dollars = toText(divide(integer(quota), integer(unitsPerDollar), DOLLAR_PLACES));
    return [new Date(at * 1000).toISOString(), kind, quota, Number(dollars), balance, detail, ref];
  };
  const start = (await firstMovementAt(db, userId)) ?? nowSeconds();
  yield [cellsOf({ at: start, kind: "opening", quota: opening, detail: "", ref: "" })];
  // Where the log has a database of its own, sums here are of days.
  const step = by === "day" || ownLogOf(db) ? DAY_S : HOUR_S;
  const recent = () => nowSeconds() - (nowSeconds() % step);
  let from = start - (start % DAY_S);
  for (; from < recent(); from = Math.min(from + WINDOW_S[by], recent())) {
    const range = { from, until: Math.min(from + WINDOW_S[by], recent()) };
    let last: MovementRow | undefined;
    for (;;) {
      const rows = await readMovementRows(db, userId, range, by, SLICE, last);
      if (rows.length > 0) yield rows.map(cellsOf);
      if (rows.length < SLICE) break;
      last = rows.at(-1);
    }
  }
  // What may still change is read together with the balance.
  const end = await db.transaction(async (tx) => {
    const rows = await readMovementRows(tx, userId, { from, until: FOREVER }, "day", RECENT);
    return { rows, quota: await balanceOf(tx, userId) };
  }, SNAPSHOT);
  const now = nowSeconds();
  const cells = end.rows.map((row) => cellsOf({ ...row, at: Math.min(row.at, Math.max(now, from)) }));
  const missing = end.quota - balance;
  const correction = { at: now, kind: "correction", quota: missing, detail: "", ref: "" };
  yield missing === 0 ? cells : [...cells, cellsOf(correction)];
}

async function balanceOf(tx: DbOrTx, userId: number): Promise<number> {
  const [user] = await tx.select({ quota: accountUnits }).from(users).where(eq(users.id, userId));
  if (!user) throw new OperationError("user_not_found");
  return user.quota;
}
