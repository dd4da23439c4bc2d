import { bigint, boolean, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";

/** Files of log rows that fell out of retention. A file holds rows of one month (UTC), in order of time and id. */
export const logArchives = pgTable(
  "log_archives",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** folder or s3. */
    place: text("place").notNull(),
    /** Where it lies in its place. */
    name: text("name").notNull(),
    /** writing: it may be incomplete, and its rows are in the log; written: it is verified, and its rows are being deleted; done. */
    state: text("state").notNull(),
    /** Set until the file is done; unique, so that two processes never archive at the same time. */
    isOpen: boolean("is_open").unique(),
    /** Epoch seconds at which the month begins. */
    month: epochSeconds("month").notNull().default(0),
    rows: integer("rows").notNull().default(0),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    sha256: text("sha256").notNull().default(""),
    /** The first and the last row by time and id. */
    firstAt: epochSeconds("first_at").notNull().default(0),
    firstId: bigint("first_id", { mode: "number" }).notNull().default(0),
    lastAt: epochSeconds("last_at").notNull().default(0),
    lastId: bigint("last_id", { mode: "number" }).notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [index("log_archives_month_idx").on(t.month)],
);
