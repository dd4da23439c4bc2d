import { desc, max, sql, sum } from "drizzle-orm";
import { logArchives } from "../../../../db/schema/logs/logs.ts";
import type { Db } from "../../../../db/types.ts";

/** A month whose log rows, or some of them, are in files. */
export type ArchiveMonth = Readonly<{
  /** Such as 2026-01. */
  month: string;
  rows: number;
  bytes: number;
  files: number;
  /** folder, s3 or both. */
  places: readonly string[];
  /** Epoch seconds of the newest file. */
  archived_at: number;
  /** Rows of a file are still being deleted from the log, so both have them. */
  is_moving: boolean;
}>;

/** All months with archived rows, newest first. */
export async function listArchives(db: Db): Promise<ArchiveMonth[]> {
  const rows = await db
    .select({
      month: logArchives.month,
      rows: sum(logArchives.rows).mapWith(Number),
      bytes: sum(logArchives.bytes).mapWith(Number),
      files: sum(sql`1`).mapWith(Number),
      places: sql<string>`string_agg(distinct ${logArchives.place}, ',' order by ${logArchives.place})`,
      archivedAt: max(logArchives.createdAt),
      isMoving: sql<boolean>`bool_or(${logArchives.state} = 'written')`,
    })
    .from(logArchives)
    .where(sql`${logArchives.state} <> 'writing'`)
    .groupBy(logArchives.month)
    .orderBy(desc(logArchives.month));
  return rows.map(({ month, places, archivedAt, isMoving, ...sums }) => ({
    month: new Date(month * 1000).toISOString().slice(0, 7),
    ...sums,
    places: places.split(","),
    archived_at: archivedAt ?? 0,
    is_moving: isMoving,
  }));
}
