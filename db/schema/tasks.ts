import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { users } from "./accounts/users.ts";
import { epochMs, epochSeconds, quotaUnits } from "./columns.ts";

/** What following a task at its upstream takes. */
const followed = () => ({
  /** Request id of the record that charged it, at `created_at`; empty: it was never to be charged. */
  chargeId: text("charge_id").notNull().default(""),
  /** What went back to the user when it failed. */
  refunded: quotaUnits("refunded").notNull().default(0),
  /** The upstream still works on it, as far as is known: it is asked about. */
  isOpen: boolean("is_open").notNull().default(false),
  /** Epoch seconds at which the upstream was last asked. */
  polledAt: epochSeconds("polled_at").notNull().default(0),
  /** Keyed hash of the channel's key that the task belongs to. */
  keyHash: text("key_hash").notNull().default(""),
  /** Where the client wants to be notified; empty: nowhere. */
  notifyHook: text("notify_hook").notNull().default(""),
});

/** Drawing (Midjourney) tasks; times in milliseconds as the protocol has them. */
export const drawingTasks = pgTable(
  "drawing_tasks",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    code: integer("code").notNull().default(0),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenId: integer("token_id").notNull().default(0),
    channelId: integer("channel_id").notNull().default(0),
    action: text("action").notNull(),
    mjId: text("mj_id").notNull().default(""),
    prompt: text("prompt").notNull().default(""),
    promptEn: text("prompt_en").notNull().default(""),
    description: text("description").notNull().default(""),
    state: text("state").notNull().default(""),
    createdAt: epochSeconds("created_at").notNull(),
    submitTime: epochMs("submit_time").notNull().default(0),
    startTime: epochMs("start_time").notNull().default(0),
    finishTime: epochMs("finish_time").notNull().default(0),
    imageUrl: text("image_url").notNull().default(""),
    status: text("status").notNull().default("NOT_START"),
    progress: text("progress").notNull().default("0%"),
    failReason: text("fail_reason").notNull().default(""),
    quota: quotaUnits("quota").notNull().default(0),
    buttons: jsonb("buttons"),
    properties: jsonb("properties"),
    botType: text("bot_type").notNull().default(""),
    customId: text("custom_id").notNull().default(""),
    ...followed(),
  },
  (t) => [
    index("drawing_tasks_user_idx").on(t.userId, t.submitTime),
    index("drawing_tasks_mj_id_idx").on(t.mjId),
    index("drawing_tasks_channel_idx").on(t.channelId, t.submitTime),
    index("drawing_tasks_progress_idx").on(t.progress),
    index("drawing_tasks_open_idx").on(t.polledAt, t.id).where(sql`${t.isOpen}`),
  ],
);

/** Music and video tasks (Suno and the like). */
export const mediaTasks = pgTable(
  "media_tasks",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedByDefaultAsIdentity(),
    createdAt: epochSeconds("created_at").notNull(),
    updatedAt: epochSeconds("updated_at").notNull(),
    taskId: text("task_id").notNull().default(""),
    platform: text("platform").notNull(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    tokenId: integer("token_id").notNull().default(0),
    channelId: integer("channel_id").notNull().default(0),
    quota: quotaUnits("quota").notNull().default(0),
    action: text("action").notNull().default(""),
    status: text("status").notNull().default("NOT_START"),
    failReason: text("fail_reason").notNull().default(""),
    submitTime: epochSeconds("submit_time").notNull().default(0),
    startTime: epochSeconds("start_time").notNull().default(0),
    finishTime: epochSeconds("finish_time").notNull().default(0),
    progress: text("progress").notNull().default(""),
    properties: jsonb("properties"),
    data: jsonb("data"),
    /** The model that it was asked of and is priced by. */
    modelName: text("model_name").notNull().default(""),
    /** The upstream's own name of it; `taskId` is what clients see. */
    upstreamId: text("upstream_id").notNull().default(""),
    ...followed(),
  },
  (t) => [
    index("media_tasks_user_idx").on(t.userId, t.submitTime),
    index("media_tasks_task_idx").on(t.taskId),
    index("media_tasks_channel_idx").on(t.channelId, t.submitTime),
    index("media_tasks_status_idx").on(t.status),
    index("media_tasks_open_idx").on(t.polledAt, t.id).where(sql`${t.isOpen}`),
  ],
);
