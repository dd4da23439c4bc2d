import { and, eq, inArray, lt } from "drizzle-orm";
import { drawingTasks, mediaTasks } from "../../../db/schema/tasks.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import type { TaskReport } from "../../formats/tasks/report.ts";
import { keepReason } from "../../lib/reason.ts";
import type { OpenTask, TaskKind } from "./task.ts";

const drawingFields = {
  id: drawingTasks.id,
  publicId: drawingTasks.mjId,
  upstreamId: drawingTasks.mjId,
  action: drawingTasks.action,
  userId: drawingTasks.userId,
  tokenId: drawingTasks.tokenId,
  channelId: drawingTasks.channelId,
  keyHash: drawingTasks.keyHash,
  chargeId: drawingTasks.chargeId,
  createdAt: drawingTasks.createdAt,
  status: drawingTasks.status,
  progress: drawingTasks.progress,
  notifyHook: drawingTasks.notifyHook,
  failReason: drawingTasks.failReason,
  startTime: drawingTasks.startTime,
  imageUrl: drawingTasks.imageUrl,
  promptEn: drawingTasks.promptEn,
  description: drawingTasks.description,
  prompt: drawingTasks.prompt,
  buttons: drawingTasks.buttons,
  properties: drawingTasks.properties,
};

const mediaFields = {
  id: mediaTasks.id,
  publicId: mediaTasks.taskId,
  upstreamId: mediaTasks.upstreamId,
  action: mediaTasks.action,
  userId: mediaTasks.userId,
  tokenId: mediaTasks.tokenId,
  channelId: mediaTasks.channelId,
  keyHash: mediaTasks.keyHash,
  chargeId: mediaTasks.chargeId,
  createdAt: mediaTasks.createdAt,
  status: mediaTasks.status,
  progress: mediaTasks.progress,
  notifyHook: mediaTasks.notifyHook,
  failReason: mediaTasks.failReason,
  startTime: mediaTasks.startTime,
  data: mediaTasks.data,
};

/**
 * Takes up to `limit` open tasks that nobody has asked about since `before` (epoch seconds), those that waited longest
 * first, and notes that they are asked about now: other processes take others.
 */
export async function claimOpenTasks(
  db: Db,
  kind: TaskKind,
  { before, now, limit }: Readonly<{ before: number; now: number; limit: number }>,
): Promise<OpenTask[]> {
  const due = (table: typeof drawingTasks | typeof mediaTasks) =>
    db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.isOpen, true), lt(table.polledAt, before)))
      .orderBy(table.polledAt, table.id)
      .limit(limit)
      .for("update", { skipLocked: true });
  const rows =
    kind === "drawing"
      ? await db
          .update(drawingTasks)
          .set({ polledAt: now })
          .where(inArray(drawingTasks.id, due(drawingTasks)))
          .returning(drawingFields)
      : await db
          .update(mediaTasks)
          .set({ polledAt: now })
          .where(inArray(mediaTasks.id, due(mediaTasks)))
          .returning(mediaFields);
  return rows.map((row) => openTask(kind, row));
}

/** An open drawing task by its row; null: it is over, or there is none. */
export async function findOpenDrawing(db: Db, id: number): Promise<OpenTask | null> {
  const [row] = await db
    .select(drawingFields)
    .from(drawingTasks)
    .where(and(eq(drawingTasks.id, id), eq(drawingTasks.isOpen, true)));
  return row ? openTask("drawing", row) : null;
}

const openTask = (kind: TaskKind, row: Omit<OpenTask, "kind" | "stored">): OpenTask => ({
  ...row,
  kind,
  stored: row,
});

/** Whether a report on an open task says anything that its row does not hold; that it is over always is. */
export function isNews({ kind, stored }: OpenTask, report: TaskReport): boolean {
  if (isOver(report)) return true;
  const values = kind === "drawing" ? drawingValues(report) : mediaValues(report);
  return Object.entries(values).some(([column, value]) => !Bun.deepEquals(stored[column], value));
}

const isOver = ({ status }: TaskReport): boolean => status === "SUCCESS" || status === "FAILURE";

const sharedValues = (report: TaskReport) => ({
  status: report.status,
  progress: isOver(report) ? "100%" : report.progress,
  failReason: keepReason(report.failReason),
});

/** What the client wrote stays where the upstream says nothing. */
const drawingValues = (report: TaskReport) => ({
  ...sharedValues(report),
  startTime: report.startMs,
  ...(report.drawing && {
    imageUrl: report.drawing.imageUrl,
    promptEn: report.drawing.promptEn,
    ...(report.drawing.description !== "" && { description: report.drawing.description }),
    ...(report.drawing.prompt !== "" && { prompt: report.drawing.prompt }),
    buttons: report.drawing.buttons,
    properties: report.drawing.properties,
  }),
});

const mediaValues = (report: TaskReport) => ({
  ...sharedValues(report),
  startTime: Math.floor(report.startMs / 1000),
  ...(report.data !== undefined && { data: report.data }),
});

/** Writes an upstream's report into a task that is still open; false: it was over. `now`: epoch milliseconds. */
export async function writeReport(db: DbOrTx, task: OpenTask, report: TaskReport, nowMs: number): Promise<boolean> {
  const finishMs = isOver(report) ? report.finishMs || nowMs : 0;
  const isOpen = !isOver(report);
  if (task.kind === "drawing") {
    const written = await db
      .update(drawingTasks)
      .set({ ...drawingValues(report), isOpen, finishTime: finishMs })
      .where(and(eq(drawingTasks.id, task.id), eq(drawingTasks.isOpen, true)))
      .returning({ id: drawingTasks.id });
    return written.length > 0;
  }
  const written = await db
    .update(mediaTasks)
    .set({
      ...mediaValues(report),
      isOpen,
      finishTime: Math.floor(finishMs / 1000),
      updatedAt: Math.floor(nowMs / 1000),
    })
    .where(and(eq(mediaTasks.id, task.id), eq(mediaTasks.isOpen, true)))
    .returning({ id: mediaTasks.id });
  return written.length > 0;
}

/** Notes what a task that has failed gave back, in quota units. */
export async function writeRefund(db: DbOrTx, { kind, id }: OpenTask, refunded: number): Promise<void> {
  if (kind === "drawing") await db.update(drawingTasks).set({ refunded }).where(eq(drawingTasks.id, id));
  else await db.update(mediaTasks).set({ refunded }).where(eq(mediaTasks.id, id));
}
