import { and, eq } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../db/schema/tasks.ts";
import type { Db } from "../../../db/types.ts";
import { keepReason, type Reason, sayReason } from "../../lib/reason.ts";
import type { TaskKind } from "./task.ts";

export type NewDrawing = Pick<
  typeof drawingTasks.$inferInsert,
  | "userId"
  | "tokenId"
  | "channelId"
  | "action"
  | "prompt"
  | "state"
  | "botType"
  | "customId"
  | "notifyHook"
  | "chargeId"
  | "createdAt"
>;
export type NewMedia = Pick<
  typeof mediaTasks.$inferInsert,
  | "userId"
  | "tokenId"
  | "channelId"
  | "platform"
  | "action"
  | "modelName"
  | "taskId"
  | "properties"
  | "notifyHook"
  | "chargeId"
  | "createdAt"
>;

/** Stores a drawing task before its upstream receives it, and returns its row's id. */
export async function addDrawing(db: Db, task: NewDrawing): Promise<number> {
  const [row] = await db
    .insert(drawingTasks)
    .values({ ...task, submitTime: Date.now(), isOpen: true })
    .returning({ id: drawingTasks.id });
  return idOf(row);
}

/** Stores a music or video task before its upstream receives it, and returns its row's id. */
export async function addMedia(db: Db, task: NewMedia): Promise<number> {
  const now = task.createdAt;
  const [row] = await db
    .insert(mediaTasks)
    .values({ ...task, submitTime: now, updatedAt: now, progress: "0%", isOpen: true })
    .returning({ id: mediaTasks.id });
  return idOf(row);
}

const idOf = (row: { id: number } | undefined): number => {
  if (!row) throw new Error("the database stored no task");
  return row.id;
};

/** Which upstream took a task, under which name, and what it cost in quota units. */
export type Taken = Readonly<{ upstreamId: string; channelId: number; keyHash: string; quota: number }>;

/** Notes that an upstream took the drawing task. With `isOver` there is nothing to follow. */
export async function takeDrawing(
  db: Db,
  id: number,
  { upstreamId, ...taken }: Taken,
  answer: Readonly<{ code: number; description: string; isOver: boolean }>,
): Promise<void> {
  const { code, description, isOver } = answer;
  await db
    .update(drawingTasks)
    .set({
      ...taken,
      mjId: upstreamId,
      code,
      description,
      status: isOver ? "SUCCESS" : "SUBMITTED",
      ...(isOver && { progress: "100%", isOpen: false, finishTime: Date.now() }),
    })
    .where(and(eq(drawingTasks.id, id), eq(drawingTasks.isOpen, true)));
}

/** Notes that an upstream took the music or video task; `named`: what only shows when it did. */
export async function takeMedia(
  db: Db,
  id: number,
  taken: Taken,
  named: Readonly<{ taskId?: string; platform?: string; action?: string }>,
): Promise<void> {
  await db
    .update(mediaTasks)
    .set({ ...taken, ...named, status: "SUBMITTED" })
    .where(and(eq(mediaTasks.id, id), eq(mediaTasks.isOpen, true)));
}

/** Ends a task that no upstream took, and that therefore was not charged. */
export async function refuseTask(
  db: Db,
  kind: TaskKind,
  id: number,
  refusal: Readonly<{ reason: Reason; code: number; channelId: number }>,
): Promise<void> {
  const { reason, code, channelId } = refusal;
  const ended = { status: "FAILURE", failReason: keepReason(reason), progress: "0%", isOpen: false, channelId };
  if (kind === "drawing") {
    const values = { ...ended, code, description: sayReason(reason, "en"), finishTime: Date.now() };
    await db.update(drawingTasks).set(values).where(eq(drawingTasks.id, id));
  } else {
    const values = { ...ended, finishTime: Math.floor(Date.now() / 1000) };
    await db.update(mediaTasks).set(values).where(eq(mediaTasks.id, id));
  }
}
