import { pgTable, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "./columns.ts";

/** Settings that differ from their default; secret ones are encrypted. */
export const options = pgTable("options", {
  key: text("key").primaryKey(),
  value: text("value").notNull(),
});

/** One row (id = 1) once the gateway is set up. */
export const setups = pgTable("setups", {
  id: text("id").primaryKey(),
  version: text("version").notNull(),
  initializedAt: epochSeconds("initialized_at").notNull(),
});

/** When something that one process does for all was last begun. */
export const jobTurns = pgTable("job_turns", {
  job: text("job").primaryKey(),
  begunAt: epochSeconds("begun_at").notNull(),
});
