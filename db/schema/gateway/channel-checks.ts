import { bigint, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../columns.ts";
import { channels } from "./channels.ts";

/** What was found when it was checked whether a channel serves the model that it claims to. */
export const channelChecks = pgTable(
  "channel_checks",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedByDefaultAsIdentity(),
    channelId: integer("channel_id")
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    model: text("model").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    /** From 0 to 100; null: the channel answered nothing that could be checked. */
    score: integer("score"),
    findings: jsonb("findings").$type<readonly Readonly<Record<string, unknown>>[]>().notNull(),
    /** The version of the questions. */
    probes: text("probes").notNull(),
    cost: quotaUnits("cost").notNull(),
  },
  (t) => [index("channel_checks_of_idx").on(t.channelId, t.model, t.id)],
);
