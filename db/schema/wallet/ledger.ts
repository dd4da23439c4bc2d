import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../columns.ts";

/** What stands for a process where a hold belongs to none: such holds end with what they are for. */
export const storedHoldName = (name: string): string => `kept:${name}`;

/** As a pattern of SQL. */
export const STORED_HOLD_NAMES = storedHoldName("%");

/** Gateway processes that hold quota; one that let its lease run out is dead and its holds are released. */
export const processes = pgTable("processes", {
  id: text("id").primaryKey(),
  startedAt: epochSeconds("started_at").notNull(),
  leaseUntil: epochSeconds("lease_until").notNull(),
  /** Host and data directory, for whoever has to find it. Empty: it does not say what is in its journal. */
  location: text("location").notNull().default(""),
  /** Charges in its journal that were not in the database when the lease was last renewed. */
  unwritten: integer("unwritten").notNull().default(0),
  /** Epoch seconds at which the oldest of them was made. */
  unwrittenSince: epochSeconds("unwritten_since"),
  /** Charges that came between the last two renewals. */
  recentCharges: integer("recent_charges").notNull().default(0),
  /** Whether Redis has the journal too: none, complete or behind. */
  journalCopy: text("journal_copy").notNull().default("none"),
});

/**
 * Processes that died and left charges, or may have, which nobody has brought to the database: until their data directory
 * is back, their copy was found, or an operator acknowledged it.
 */
export const lostJournals = pgTable("lost_journals", {
  processId: text("process_id").primaryKey(),
  location: text("location").notNull(),
  /** Epoch seconds of its last sign of life. */
  lastSeenAt: epochSeconds("last_seen_at").notNull(),
  /** As of then. */
  unwritten: integer("unwritten").notNull(),
  unwrittenSince: epochSeconds("unwritten_since"),
  journalCopy: text("journal_copy").notNull(),
});

/** Quota set aside by a process for calls of a user (subject "user"), of a limited API key ("token") or within a budget ("budget"). */
export const holds = pgTable(
  "holds",
  {
    processId: text("process_id")
      .notNull()
      .references(() => processes.id),
    subject: text("subject").notNull(),
    subjectId: integer("subject_id").notNull(),
    amount: quotaUnits("amount").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.processId, t.subject, t.subjectId] }),
    index("holds_subject_idx").on(t.subject, t.subjectId),
    check("holds_amount_not_negative", sql`${t.amount} >= 0`),
    check("holds_subject_known", sql`${t.subject} in ('user', 'token', 'budget')`),
  ],
);
