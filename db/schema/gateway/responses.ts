import { boolean, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";
import { epochSeconds } from "../columns.ts";

/**
 * Answers of the Responses API that clients may refer to later: which channel made them, or, where the gateway itself keeps
 * the conversation, the conversation so far. Stored for a configurable time.
 */
export const storedResponses = pgTable(
  "stored_responses",
  {
    /** As the client knows it. */
    id: text("id").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    channelId: integer("channel_id").notNull(),
    /** SHA-256 of the channel's key that made it; empty: not known. */
    keyHash: text("key_hash").notNull().default(""),
    /** The channel's upstream has stored it; else `turns` and `body` hold it. */
    isNative: boolean("is_native").notNull(),
    /** JSON of the turns, the answer's included. */
    turns: text("turns").notNull().default("[]"),
    /** JSON of the response as it was answered. */
    body: text("body").notNull().default("{}"),
    createdAt: epochSeconds("created_at").notNull(),
    expiresAt: epochSeconds("expires_at").notNull(),
  },
  (t) => [index("stored_responses_expires_idx").on(t.expiresAt), index("stored_responses_user_idx").on(t.userId)],
);
