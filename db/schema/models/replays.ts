import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { epochMs, epochSeconds, quotaUnits } from "../columns.ts";

/** What answers the requests of an evaluation. */
export type ReplayTarget = Readonly<{
  /** A model or a route; absent: nothing is sent, only `prices` are compared. */
  model?: string;
  /** Absent: the group of each request. */
  group?: string;
  /** Only channels with one of these tags serve the model. */
  channel_tags?: readonly string[];
  /** Instead of each request's own; "" removes it. */
  system_prompt?: string;
  /** Dollars for a million tokens, instead of the site's prices. Cached tokens cost what others do unless set. */
  prices?: Readonly<{ input: number; output: number; cached?: number }>;
}>;

/** Who compares the responses of an evaluation with the earlier ones. */
export type ReplayJudge = Readonly<{
  model: string;
  group: string;
  instructions: string;
}>;

export type EvaluationStatus = "running" | "stopped" | "over_budget" | "complete";

/** Requests of the log that were set aside to be replayed. */
export const replaySets = pgTable("replay_sets", {
  id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
  name: text("name").notNull(),
  createdAt: epochSeconds("created_at").notNull(),
  createdBy: integer("created_by").notNull(),
  /** What it was chosen by. */
  filter: jsonb("filter").$type<Readonly<Record<string, unknown>>>().notNull(),
  /** Why requests were left out, and how many. */
  skipped: jsonb("skipped").$type<Readonly<Record<string, number>>>().notNull(),
});

/** The requests of a set, with the response that each had. */
export const replayCalls = pgTable(
  "replay_calls",
  {
    setId: integer("set_id")
      .notNull()
      .references(() => replaySets.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    /** Its log row. */
    requestId: text("request_id").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    userId: integer("user_id").notNull(),
    tokenId: integer("token_id").notNull(),
    group: text("group").notNull(),
    /** The client's format, and its request as JSON text. */
    format: text("format").notNull(),
    isStream: boolean("is_stream").notNull(),
    body: text("body").notNull(),
    model: text("model").notNull(),
    channelId: integer("channel_id").notNull(),
    failed: boolean("failed").notNull(),
    latencyMs: epochMs("latency_ms").notNull(),
    firstTokenMs: epochMs("first_token_ms"),
    /** At list price, without the group's factor. */
    cost: quotaUnits("cost").notNull(),
    promptTokens: integer("prompt_tokens").notNull(),
    cachedTokens: integer("cached_tokens").notNull(),
    completionTokens: integer("completion_tokens").notNull(),
    text: text("text").notNull(),
  },
  (t) => [primaryKey({ columns: [t.setId, t.position] }), index("replay_calls_user_idx").on(t.userId)],
);

/** A set replayed against a target. */
export const evaluations = pgTable(
  "evaluations",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    setId: integer("set_id")
      .notNull()
      .references(() => replaySets.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    createdBy: integer("created_by").notNull(),
    target: jsonb("target").$type<ReplayTarget>().notNull(),
    /** Null: nobody compares the responses. */
    judge: jsonb("judge").$type<ReplayJudge>(),
    /** The most that it may cost the operator. */
    maxCost: quotaUnits("max_cost").notNull(),
    maxConcurrent: integer("max_concurrent").notNull(),
    status: text("status").$type<EvaluationStatus>().notNull(),
  },
  (t) => [index("evaluations_set_idx").on(t.setId), index("evaluations_status_idx").on(t.status)],
);

/** What came of each request of an evaluation. */
export const evaluationResults = pgTable(
  "evaluation_results",
  {
    evaluationId: integer("evaluation_id")
      .notNull()
      .references(() => evaluations.id, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    model: text("model").notNull(),
    channelId: integer("channel_id").notNull(),
    failed: boolean("failed").notNull(),
    error: text("error").notNull(),
    latencyMs: epochMs("latency_ms").notNull(),
    firstTokenMs: epochMs("first_token_ms"),
    cost: quotaUnits("cost").notNull(),
    promptTokens: integer("prompt_tokens").notNull(),
    completionTokens: integer("completion_tokens").notNull(),
    text: text("text").notNull(),
    /** Of the judge: 1: the new response is better, −1: the earlier one, 0: neither; null: not judged. */
    verdict: smallint("verdict"),
    /** The judge decided the same with the responses swapped. */
    isSure: boolean("is_sure"),
    verdictReason: text("verdict_reason").notNull(),
    judgeCost: quotaUnits("judge_cost").notNull(),
  },
  (t) => [primaryKey({ columns: [t.evaluationId, t.position] })],
);

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
