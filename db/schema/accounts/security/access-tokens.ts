import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds } from "../../columns.ts";
import { users } from "../users.ts";

/** System access tokens, with which people's own tools call the management API as they themselves. */
export const accessTokens = pgTable(
  "access_tokens",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** Empty: the one that `GET /api/user/token` replaces. */
    name: text("name").notNull().default(""),
    /** Keyed hash of the token, which is shown once. */
    tokenHash: text("token_hash").notNull(),
    /** The token's last characters, by which people tell tokens apart; empty: not known. */
    tokenEnd: text("token_end").notNull().default(""),
    /** The user's `session_version` when it was made: what ends all sessions ends it too. */
    sessionVersion: integer("session_version").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** Null: never. */
    expiresAt: epochSeconds("expires_at"),
    lastUsedAt: epochSeconds("last_used_at"),
  },
  (t) => [uniqueIndex("access_tokens_token_hash_key").on(t.tokenHash), index("access_tokens_user_idx").on(t.userId)],
);
