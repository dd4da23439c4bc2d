import { bigint, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";

/** A row of the options table that is no option: the log is in a database of its own, and everything for it is left in `logDeliveries`. */
export const LOG_ELSEWHERE_ROW = "_log_elsewhere";

/**
 * What the log's own database lacks (LOG_DATABASE_URL), written in the transaction that charges a call or records an event: an
 * outbox. Empty where the log is in this database.
 */
export const logDeliveries = pgTable(
  "log_deliveries",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** The order of delivery. */
    place: bigint("place", { mode: "number" }).notNull().generatedByDefaultAsIdentity(),
    /** rows: log rows, whose roll-ups are added there; refund: changes a row; others are made when an existing log is moved. */
    kind: text("kind").notNull(),
    /** How many log rows or sums it has. */
    rows: integer("rows").notNull(),
    /** JSON. */
    body: text("body").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** Why the log's database refused it, which nothing but a repair will change; empty: it did not. */
    error: text("error").notNull().default(""),
  },
  (t) => [index("log_deliveries_place_idx").on(t.place)],
);

/** In the log's own database: deliveries that it has and that may still stand in the other one. Kept in the transaction that applies them. */
export const logDelivered = pgTable("log_delivered", {
  id: uuid("id").primaryKey(),
  deliveredAt: epochSeconds("delivered_at").notNull(),
});
