import { boolean, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { epochMs, epochSeconds } from "./columns.ts";

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

/**
 * What `sluice import` has brought and people may have changed or removed since: a later import leaves it alone. Rows whose table
 * remembers what was removed are not listed.
 */
export const importedRows = pgTable(
  "imported_rows",
  {
    kind: text("kind").notNull(),
    /** Names the row at its source, or by what it belongs to here. */
    key: text("key").notNull(),
    /** Its id here; 0: it has none. */
    targetId: integer("target_id").notNull().default(0),
    importedAt: epochSeconds("imported_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.key] })],
);

/** Resources that files of the site's configuration (`sluice apply`) manage. */
export const managedResources = pgTable(
  "managed_resources",
  {
    /** The section of the file: `channels`. */
    kind: text("kind").notNull(),
    /** What the file calls it. */
    name: text("name").notNull(),
    /** Its row; 0: it has none of its own. */
    targetId: integer("target_id").notNull().default(0),
    /** Of the files that name it. */
    label: text("label").notNull(),
    /** A file made it, so that it goes when files name it no more; else it was there before. */
    isMade: boolean("is_made").notNull(),
    appliedAt: epochSeconds("applied_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.name] })],
);

/**
 * The last run of each job, whichever process ran it, and the lease of a run that is under way. Times of a run are epoch
 * milliseconds by the database's clock, so that the clocks of replicas don't matter.
 */
export const jobTurns = pgTable("job_turns", {
  job: text("job").primaryKey(),
  /** Epoch seconds from which the job's period counts. */
  begunAt: epochSeconds("begun_at").notNull(),
  /** Host and process id of who ran it last; null: nobody yet. */
  holder: text("holder"),
  /** Names the last run: a process that lost its lease can't end the run of another. */
  runId: text("run_id"),
  startedAt: epochMs("started_at"),
  /** Null while the run is under way, or if its process died. */
  endedAt: epochMs("ended_at"),
  /** Null once the run has ended; in the past: its process died or hangs, and another may take over. */
  leaseUntil: epochMs("lease_until"),
  /** Why the last run failed, as `keepReason` writes it; empty: it succeeded. */
  error: text("error").notNull().default(""),
});
