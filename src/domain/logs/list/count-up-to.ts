import { type SQL, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { logs } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { bigint } from "../usage/usage-sums.ts";

/** How many log rows fit, of which at most `most` are looked at: the total of a list of rows that are no calls. */
export async function countUpTo(db: Db, where: SQL | undefined, most: number): Promise<number> {
  // Added up there: thousands of rows that came here to be counted would hold up calls.
  const some = db
    .select({ one: sql<number>`1`.as("one") })
    .from(logs)
    .where(where)
    .limit(most)
    .as("some");
  return Number(requireRow(await db.select({ found: bigint(sql`sum(${some.one})`) }).from(some)).found);
}
