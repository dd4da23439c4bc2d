import { and, desc, eq, gte, sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";
import type { LogOther } from "../../../billing/types.ts";
import type { LogView } from "../log-view.ts";
import { LOG_TYPE } from "../write-log.ts";
import { viewRows } from "./list-logs.ts";

/** Of all calls: to look through more would take long, and old trouble says little. */
const LOOKED_THROUGH = 20_000;

/**
 * Calls that failed on a channel and that another channel answered in the end, newest first: of the newest 20,000 calls since
 * `start` (epoch seconds) at most `limit`. Those that ended in the failure are in the log under the channel itself.
 */
export async function readRescued(db: Db, channelId: number, start: number, limit: number): Promise<LogView[]> {
  const newest = db
    .select()
    .from(logs)
    .where(and(eq(logs.type, LOG_TYPE.consumption), gte(logs.createdAt, start)))
    .orderBy(desc(logs.createdAt), desc(logs.id))
    .limit(LOOKED_THROUGH)
    .as("newest");
  // The error that follows may be another channel's: what is found so is read.
  const mayBe = sql`${newest.other} like ${`%"channelId":${channelId},%"error":%`}`;
  const rows = await db
    .select()
    .from(newest)
    .where(and(eq(newest.failed, false), mayBe))
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(limit);
  return viewRows(
    db,
    rows.filter(({ other }) => hasFailedOn(channelId, other)),
    "admin",
  );
}

function hasFailedOn(channelId: number, other: string): boolean {
  try {
    const { admin_info: info } = JSON.parse(other) as LogOther;
    return info?.attempts?.some((attempt) => attempt.channelId === channelId && Boolean(attempt.error)) === true;
  } catch {
    return false;
  }
}
