import { and, asc, desc, eq, ne, sql } from "drizzle-orm";
import { mediaTasks } from "../../../db/schema/gateway/tasks.ts";
import type { Db } from "../../../db/types.ts";
import type { MediaRow } from "./task-view.ts";

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
