import { sql } from "drizzle-orm";
import { check, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { epochSeconds } from "../columns.ts";

/** What was decided about calls that fail alike: they are muted, or resolved until they fail again. The others have no row. */
export const failureDecisions = pgTable(
  "failure_decisions",
  {
    /** Whose list it is: a user's, or the site's (0). */
    ownerId: integer("owner_id").notNull(),
    /** What the calls have in common: `provider_limit/7/rate_limit_exceeded/gpt-4o`. */
    cause: text("cause").notNull(),
    status: text("status").$type<"muted" | "resolved">().notNull(),
    decidedAt: epochSeconds("decided_at").notNull(),
    /** Who decided it. */
    decidedBy: integer("decided_by").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.ownerId, t.cause] }),
    check("failure_decisions_status_known", sql`${t.status} in ('muted', 'resolved')`),
  ],
);
