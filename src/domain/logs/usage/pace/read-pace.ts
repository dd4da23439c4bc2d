import { sql } from "drizzle-orm";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { ownedHours } from "../totals/owned-hours.ts";
import { readFolded } from "../totals/totals.ts";
import { PACE_DAYS } from "./pace-rules.ts";

const HOUR_S = 3600;
const DAY_S = 86_400;

/** Whose pace is asked for: users, channels, or API keys of one owner. */
export type PaceSubjects =
  | Readonly<{ dimension: "user" | "channel"; ids: readonly number[] }>
  | Readonly<{
      dimension: "token";
      ids: readonly number[];
      userIds: readonly number[];
    }>;

/** Since when calls count for a pace, in epoch seconds: the begin of an hour seven days ago. */
export const paceSince = (now = nowSeconds()): number => Math.floor(now / HOUR_S) * HOUR_S - PACE_DAYS * DAY_S;

/**
 * The average of a day of the last seven, in quota units rounded up, by id; who spent nothing is absent. Whole days come from their
 * sums, the hours around them from the roll-ups. `db` is the log's.
 */
export async function readPace(db: Db, subjects: PaceSubjects): Promise<Map<number, number>> {
  if (subjects.ids.length === 0) return new Map();
  const now = nowSeconds();
  const range = {
    from: paceSince(now),
    until: Math.floor(now / HOUR_S) * HOUR_S + HOUR_S,
  };
  const { days } = await readFolded(db);
  const spent = ownedHours({ ...subjects, byModel: false }, range, days, null);
  const rows = await db.execute<{ id: number; quota: number }>(
    sql`select id, sum(quota)::float8 as quota from ${spent} spent group by id having sum(quota) > 0`,
  );
  return new Map([...rows].map(({ id, quota }) => [Number(id), Math.ceil(Number(quota) / PACE_DAYS)]));
}
