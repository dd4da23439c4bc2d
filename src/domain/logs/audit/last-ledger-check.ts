import { desc, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { isOfType } from "../log-filter.ts";
import { LOG_TYPE } from "../write-log.ts";

/** When all books were last checked, by whom, and how many totals were off. */
export type LastCheck = Readonly<{
  /** Epoch seconds. */
  at: number;
  username: string;
  checked: number;
  off: number;
}>;

/** The last check of all books that the audit log has; null: none. */
export async function readLastCheck(db: Db): Promise<LastCheck | null> {
  // Quotes within texts are escaped, so that only the note's own member matches.
  const number = (name: string) => sql<number>`substring(${logs.other} from ${`"${name}":([0-9]+)`})::float8`;
  const [last] = await db
    .select({ at: logs.createdAt, username: logs.username, checked: number("checked"), off: number("off") })
    .from(logs)
    .where(sql`${isOfType(LOG_TYPE.management)} and ${logs.other} like '%"code":"books_checked"%'`)
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(1);
  return last ?? null;
}
