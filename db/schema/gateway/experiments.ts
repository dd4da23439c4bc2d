import { bigint, boolean, index, integer, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { epochMs, epochSeconds, quotaUnits } from "../columns.ts";

/** Calls of a route's experiment: of its new model or channel, and those that they are compared with. */
export const experimentCalls = pgTable(
  "experiment_calls",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedByDefaultAsIdentity(),
    route: text("route").notNull(),
    /** What is tried and how: other results are not compared with these. */
    experiment: text("experiment").notNull(),
    isTrial: boolean("is_trial").notNull(),
    /** The call's log row; both sides of a mirrored call have the same one. */
    requestId: text("request_id").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    model: text("model").notNull(),
    channelId: integer("channel_id").notNull(),
    failed: boolean("failed").notNull(),
    status: integer("status").notNull(),
    latencyMs: epochMs("latency_ms").notNull(),
    firstTokenMs: epochMs("first_token_ms"),
    /** At list price, without the group's factor. */
    cost: quotaUnits("cost").notNull(),
    promptTokens: integer("prompt_tokens").notNull(),
    completionTokens: integer("completion_tokens").notNull(),
    /** Of the judge: 1: the trial's response is better, −1: the other one, 0: neither; null: not judged. */
    verdict: smallint("verdict"),
    verdictReason: text("verdict_reason").notNull().default(""),
    judgeCost: quotaUnits("judge_cost").notNull().default(0),
  },
  (t) => [
    index("experiment_calls_of_idx").on(t.route, t.experiment, t.id),
    index("experiment_calls_created_idx").on(t.createdAt),
  ],
);
