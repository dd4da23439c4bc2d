import { boolean, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";
import { epochSeconds } from "../columns.ts";

/**
 * Files, uploads, batches, fine-tuning jobs, conversations, vector stores and containers that an upstream keeps: whose they
 * are, and which channel's key made them, since no other can see them.
 */
export const upstreamObjects = pgTable(
  "upstream_objects",
  {
    /** As the upstream names it. */
    id: text("id").primaryKey(),
    /** file, upload, batch, job, response, conversation, vector_store, container, eval, eval_run */
    kind: text("kind").notNull(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The API key that made it; it pays. */
    tokenId: integer("token_id").notNull(),
    channelId: integer("channel_id").notNull(),
    /** SHA-256 of the channel's key. */
    keyHash: text("key_hash").notNull(),
    /** JSON of the object as the upstream last returned it. */
    body: text("body").notNull().default("{}"),
    createdAt: epochSeconds("created_at").notNull(),
    /** When it was charged; null: not yet. Only batches and jobs are. */
    settledAt: epochSeconds("settled_at"),
  },
  (t) => [
    index("upstream_objects_user_idx").on(t.userId, t.kind, t.createdAt),
    index("upstream_objects_unsettled_idx").on(t.kind, t.settledAt),
  ],
);

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
