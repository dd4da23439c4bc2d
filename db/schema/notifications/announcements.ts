import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";
import { epochSeconds } from "../columns.ts";

/** Announcements of the site to all its users. */
export const announcements = pgTable(
  "announcements",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    level: text("level").notNull().default("info"),
    title: text("title").notNull(),
    /** Markdown. */
    content: text("content").notNull(),
    /** From when on it is shown. */
    publishedAt: epochSeconds("published_at").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [
    index("announcements_published_idx").on(t.publishedAt.desc(), t.id.desc()),
    check("announcements_level_known", sql`${t.level} in ('info', 'success', 'warning', 'critical')`),
  ],
);

/** Who has read which announcement. */
export const announcementReads = pgTable(
  "announcement_reads",
  {
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    announcementId: integer("announcement_id")
      .notNull()
      .references(() => announcements.id, { onDelete: "cascade" }),
    readAt: epochSeconds("read_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.announcementId] })],
);

/** Notifications that administrators sent to all subscribed users. */
export const broadcasts = pgTable(
  "broadcasts",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    createdAt: epochSeconds("created_at").notNull(),
    /** When the process that sends it last reported; one that died reports no more. */
    reportedAt: epochSeconds("reported_at").notNull(),
    senderName: text("sender_name").notNull(),
    event: text("event").notNull(),
    title: text("title").notNull(),
    content: text("content").notNull(),
    status: text("status").notNull(),
    delivered: integer("delivered").notNull().default(0),
    failed: integer("failed").notNull().default(0),
  },
  (t) => [
    index("broadcasts_created_idx").on(t.createdAt.desc(), t.id.desc()),
    check("broadcasts_status_known", sql`${t.status} in ('running', 'finished', 'stopped', 'failed')`),
  ],
);

/** Who was sent which notification, by which method. */
export const broadcastDeliveries = pgTable(
  "broadcast_deliveries",
  {
    broadcastId: integer("broadcast_id")
      .notNull()
      .references(() => broadcasts.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    method: text("method").notNull(),
    isDelivered: boolean("is_delivered").notNull(),
    sentAt: epochSeconds("sent_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.broadcastId, t.userId] }), index("broadcast_deliveries_user_idx").on(t.userId)],
);
