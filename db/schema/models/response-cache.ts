import { bigint, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

/** What the cache of responses did on a day for a model and an account, kept in the transaction that charges the calls. */
export const responseCacheDays = pgTable(
  "response_cache_days",
  {
    /** 0: of all accounts together. */
    userId: integer("user_id").notNull(),
    /** Days since 1970 in UTC. */
    day: integer("day").notNull(),
    model: text("model").notNull(),
    hits: bigint("hits", { mode: "number" }).notNull(),
    misses: bigint("misses", { mode: "number" }).notNull(),
    /** Quota units that hits cost less than calls would have. */
    saved: bigint("saved", { mode: "number" }).notNull(),
    /** Quota units that providers would have cost for hits, as far as channels say what their calls cost. */
    upstreamSaved: bigint("upstream_saved", { mode: "number" }).notNull(),
    /** Tokens of hits, of requests and responses. */
    tokens: bigint("tokens", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.day, t.model] })],
);
