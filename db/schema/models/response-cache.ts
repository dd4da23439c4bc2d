import { bigint, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

/** What the cache of responses did on a day for a model. */
export const responseCacheDays = pgTable(
  "response_cache_days",
  {
    /** Days since 1970 in UTC. */
    day: integer("day").notNull(),
    model: text("model").notNull(),
    hits: bigint("hits", { mode: "number" }).notNull(),
    misses: bigint("misses", { mode: "number" }).notNull(),
    /** Quota units that hits cost less than calls would have. */
    saved: bigint("saved", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.model] })],
);
