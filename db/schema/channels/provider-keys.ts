import { bigint, boolean, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { users } from "../accounts/users.ts";

/** Keys of callers at providers, by which their calls go to an account of their own. */
export const providerKeys = pgTable(
  "provider_keys",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** The person or organization that it belongs to: no call of another account uses it. */
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Channel-type number. */
    type: integer("type").notNull(),
    keyCipher: text("key_cipher").notNull(),
    /** Names and patterns of the models that it is for. */
    models: text("models").array().notNull(),
    /** `first`: channels of the site take over when it fails; `only`: they never do. */
    mode: text("mode").notNull(),
    isEnabled: boolean("is_enabled").notNull(),
    createdAt: bigint("created_at", { mode: "number" }).notNull(),
    /** The provider refused it, with this reason; empty: not since it last worked. */
    lastError: text("last_error").notNull().default(""),
    failedAt: bigint("failed_at", { mode: "number" }),
  },
  (t) => [index("provider_keys_user_idx").on(t.userId)],
);

/** What calls by callers' own keys came to on a day, kept in the transaction that charges the calls. */
export const providerKeyDays = pgTable(
  "provider_key_days",
  {
    /** Days since 1970 in UTC. */
    day: integer("day").notNull(),
    /** The provider's name as the log has it. */
    provider: text("provider").notNull(),
    calls: bigint("calls", { mode: "number" }).notNull(),
    /** Quota units that the calls cost. */
    fees: bigint("fees", { mode: "number" }).notNull(),
    /** Quota units that they would have cost by the site's channels. */
    worth: bigint("worth", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.provider] })],
);
