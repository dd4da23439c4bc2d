import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";
import { users } from "./users.ts";

/** What the site tells all its users. */
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
