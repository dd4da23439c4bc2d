import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "./columns.ts";

/** Gateway processes that hold quota; one that let its lease run out is dead and its holds are released. */
export const processes = pgTable("processes", {
  id: text("id").primaryKey(),
  startedAt: epochSeconds("started_at").notNull(),
  leaseUntil: epochSeconds("lease_until").notNull(),
});

/** Quota set aside by a process for calls of a user (subject "user") or of a limited API key ("token"). */
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
    check("holds_subject_known", sql`${t.subject} in ('user', 'token')`),
  ],
);
