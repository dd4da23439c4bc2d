import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds } from "../../columns.ts";
import { users } from "../users.ts";

/** Accounts of kind `service`, with which programs call the management API by a token, within their rights. */
export const serviceAccounts = pgTable(
  "service_accounts",
  {
    userId: integer("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** `channels:read`: what `src/domain/accounts/access/access-rules.ts` lists. */
    rights: text("rights").array().notNull(),
    /** Keyed hash of the token, which is shown once; null: revoked. */
    tokenHash: text("token_hash"),
    /** The token's last characters, by which people tell tokens apart. */
    tokenEnd: text("token_end").notNull(),
    createdBy: integer("created_by").references(() => users.id, { onDelete: "set null" }),
    createdAt: epochSeconds("created_at").notNull(),
    /** Null: never. */
    expiresAt: epochSeconds("expires_at"),
    lastUsedAt: epochSeconds("last_used_at"),
  },
  (t) => [
    uniqueIndex("service_accounts_token_hash_key").on(t.tokenHash),
    index("service_accounts_created_by_idx").on(t.createdBy),
  ],
);
