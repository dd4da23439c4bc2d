import { index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { epochMs } from "../columns.ts";

/** Chats of the playground that their users store here instead of in their browser. */
export const playgroundChats = pgTable(
  "playground_chats",
  {
    id: uuid("id").primaryKey(),
    userId: integer("user_id").notNull(),
    title: text("title").notNull(),
    /** Questions and answers without files, for searching. */
    words: text("words").notNull(),
    /** The console's JSON. */
    body: text("body").notNull(),
    bytes: integer("bytes").notNull(),
    updatedAt: epochMs("updated_at").notNull(),
  },
  (t) => [index("playground_chats_user_idx").on(t.userId, t.updatedAt)],
);
