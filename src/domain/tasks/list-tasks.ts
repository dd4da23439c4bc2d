import { and, count, desc, eq, gte, lte, type SQL } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { drawingTasks, mediaTasks } from "../../../db/schema/tasks.ts";
import type { Db } from "../../../db/types.ts";
import type { Language } from "../../lib/messages.ts";
import { sayStored } from "../../lib/reason.ts";
import { type DrawingRow, imagePathOf, type MediaRow, type Site } from "./task-view.ts";

/** What narrows a list of tasks; times are in the unit of the table. `userId` limits it to one user's. */
type Common = Readonly<{ userId?: number; channelId?: number; start?: number; end?: number }>;
export type DrawingFilter = Common & Readonly<{ mjId?: string }>;
export type MediaFilter = Common & Readonly<{ taskId?: string; platform?: string; action?: string; status?: string }>;

/** `page` counts from 0. */
type Page = Readonly<{ page: number; pageSize: number }>;
/** Owners do not see which channel served them; why tasks failed is in the reader's language. */
export type Viewer = Readonly<{ isOwner: boolean; language: Language }>;

/** A page of drawing tasks, the newest submission first; filter times in milliseconds. */
export async function listDrawingTasks(
  { db, ...site }: Site & Readonly<{ db: Db }>,
  filter: DrawingFilter,
  { page, pageSize }: Page,
  viewer: Viewer,
) {
  const where = and(
    input(filter.userId, (id) => eq(drawingTasks.userId, id)),
    input(filter.channelId, (id) => eq(drawingTasks.channelId, id)),
    input(filter.mjId, (id) => eq(drawingTasks.mjId, id)),
    input(filter.start, (time) => gte(drawingTasks.submitTime, time)),
    input(filter.end, (time) => lte(drawingTasks.submitTime, time)),
  );
  const { total } = requireRow(await db.select({ total: count() }).from(drawingTasks).where(where));
  const rows = await db
    .select()
    .from(drawingTasks)
    .where(where)
    .orderBy(desc(drawingTasks.submitTime), desc(drawingTasks.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map((row) => viewDrawing(site, row, viewer)), total };
}

/** A page of music and video tasks, the newest submission first; filter times in seconds. */
export async function listMediaTasks(db: Db, filter: MediaFilter, { page, pageSize }: Page, viewer: Viewer) {
  const where = and(
    input(filter.userId, (id) => eq(mediaTasks.userId, id)),
    input(filter.channelId, (id) => eq(mediaTasks.channelId, id)),
    input(filter.taskId, (id) => eq(mediaTasks.taskId, id)),
    input(filter.platform, (name) => eq(mediaTasks.platform, name)),
    input(filter.action, (name) => eq(mediaTasks.action, name)),
    input(filter.status, (name) => eq(mediaTasks.status, name)),
    input(filter.start, (time) => gte(mediaTasks.submitTime, time)),
    input(filter.end, (time) => lte(mediaTasks.submitTime, time)),
  );
  const { total } = requireRow(await db.select({ total: count() }).from(mediaTasks).where(where));
  const rows = await db
    .select()
    .from(mediaTasks)
    .where(where)
    .orderBy(desc(mediaTasks.submitTime), desc(mediaTasks.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map((row) => viewMedia(row, viewer)), total };
}

const input = <Value>(value: Value | undefined, condition: (value: Value) => SQL): SQL | undefined =>
  value === undefined ? undefined : condition(value);

/** A drawing task with the names of fields that drawing clients know. */
const viewDrawing = (site: Site, row: DrawingRow, viewer: Viewer) => ({
  id: row.id,
  code: row.code,
  user_id: row.userId,
  action: row.action,
  mj_id: row.mjId,
  prompt: row.prompt,
  prompt_en: row.promptEn,
  description: row.description,
  state: row.state,
  created_at: row.createdAt,
  submit_time: row.submitTime,
  start_time: row.startTime,
  finish_time: row.finishTime,
  image_url: imagePathOf(site, row),
  status: row.status,
  progress: row.progress,
  fail_reason: sayStored(row.failReason, viewer.language),
  quota: row.quota,
  refunded: row.refunded,
  buttons: row.buttons,
  properties: row.properties,
  ...(!viewer.isOwner && { channel_id: row.channelId }),
});

const viewMedia = (row: MediaRow, viewer: Viewer) => ({
  id: row.id,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
  task_id: row.taskId,
  platform: row.platform,
  user_id: row.userId,
  quota: row.quota,
  refunded: row.refunded,
  action: row.action,
  model: row.modelName,
  status: row.status,
  fail_reason: sayStored(row.failReason, viewer.language),
  submit_time: row.submitTime,
  start_time: row.startTime,
  finish_time: row.finishTime,
  progress: row.progress,
  properties: row.properties,
  data: row.data,
  ...(!viewer.isOwner && { channel_id: row.channelId }),
});
