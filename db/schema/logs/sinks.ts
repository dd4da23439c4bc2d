import { bigint, boolean, integer, pgTable, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";

/** Where usage records are exported, and how far each destination has got. */
export const usageSinks = pgTable("usage_sinks", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  type: text("type").notNull(),
  name: text("name").notNull(),
  /** Addresses and credentials as JSON, encrypted. */
  configCipher: text("config_cipher").notNull(),
  enabled: boolean("enabled").notNull().default(true),
  /** Log rows up to this id have been accepted by the destination. */
  position: bigint("position", { mode: "number" }).notNull(),
  /** Records accepted so far. */
  exported: bigint("exported", { mode: "number" }).notNull().default(0),
  /** Failed attempts since the last success. */
  failures: integer("failures").notNull().default(0),
  /** Why the last attempt failed, as `keepReason` writes it; empty: it did not. */
  lastError: text("last_error").notNull().default(""),
  /** Null: nothing has been delivered yet. */
  lastSuccessAt: epochSeconds("last_success_at"),
  /** Epoch seconds before which nothing is sent. */
  nextAt: epochSeconds("next_at").notNull().default(0),
  createdAt: epochSeconds("created_at").notNull(),
});
