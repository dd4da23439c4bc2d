import { and, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../db/schema/gateway/tasks.ts";
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
