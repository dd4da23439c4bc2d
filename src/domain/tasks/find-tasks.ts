import { and, asc, desc, eq, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../db/schema/tasks.ts";
import type { Db } from "../../../db/types.ts";
import type { DrawingRow, MediaRow } from "./task-view.ts";

/** Tasks of one user by the names that the user knows; others' are not found. */

/** A user's drawing tasks with these public ids; those of others are left out. */
export async function findDrawings(db: Db, userId: number, mjIds: readonly string[]): Promise<DrawingRow[]> {
  if (mjIds.length === 0) return [];
  return await db
    .select()
    .from(drawingTasks)
    .where(and(eq(drawingTasks.userId, userId), isNamed(drawingTasks.mjId, mjIds)))
    .orderBy(desc(drawingTasks.id));
}

/** A user's media tasks with these ids, of one platform or (null) of all; those of others are left out. */
export async function findMedia(
  db: Db,
  userId: number,
  platform: string | null,
  taskIds: readonly string[],
): Promise<MediaRow[]> {
  if (taskIds.length === 0) return [];
  return await db
    .select()
    .from(mediaTasks)
    .where(
      and(
        eq(mediaTasks.userId, userId),
        platform === null ? undefined : eq(mediaTasks.platform, platform),
        isNamed(mediaTasks.taskId, taskIds),
      ),
    )
    .orderBy(desc(mediaTasks.id));
}

/** A drawing task by its row, whoever's. */
export async function findDrawingRow(db: Db, id: number): Promise<DrawingRow | null> {
  const [row] = await db.select().from(drawingTasks).where(eq(drawingTasks.id, id));
  return row ?? null;
}

/** One parameter, however many names. */
const isNamed = (column: SQLWrapper, names: readonly string[]): SQL =>
  sql`${column} in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`;

/** A page of somebody's videos; `after` is the id of the last one before it. */
type Page = Readonly<{ userId: number; after: string | null; limit: number; newestFirst: boolean }>;

/** Videos of a user that an upstream took and that were not deleted. */
export async function listVideos(db: Db, { userId, after, limit, newestFirst }: Page): Promise<MediaRow[]> {
  const from = sql`(select id from media_tasks where task_id = ${after} and user_id = ${userId})`;
  return await db
    .select()
    .from(mediaTasks)
    .where(
      and(
        eq(mediaTasks.userId, userId),
        sql`starts_with(${mediaTasks.taskId}, 'video_')`,
        ne(mediaTasks.upstreamId, ""),
        sql`coalesce(${mediaTasks.properties} ->> 'deleted', '') <> 'true'`,
        after === null ? undefined : newestFirst ? sql`${mediaTasks.id} < ${from}` : sql`${mediaTasks.id} > ${from}`,
      ),
    )
    .orderBy(newestFirst ? desc(mediaTasks.id) : asc(mediaTasks.id))
    .limit(limit);
}

/** Takes a video from its owner's sight; the record of the task and its charge stays. */
export async function deleteVideo(db: Db, id: number): Promise<void> {
  await db
    .update(mediaTasks)
    .set({ properties: sql`coalesce(${mediaTasks.properties}, '{}'::jsonb) || '{"deleted": true}'::jsonb`, data: null })
    .where(eq(mediaTasks.id, id));
}
