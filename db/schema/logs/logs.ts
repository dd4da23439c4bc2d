import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, smallint, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../columns.ts";

/**
 * Usage and event log, partitioned by month of `created_at` (the migration says PARTITION BY RANGE; partitions are made
 * by db/partitions). type: 1 top-up, 2 consumption, 3 management, 4 system, 5 check-in.
 */
export const logs = pgTable(
  "logs",
  {
    id: bigint("id", { mode: "number" }).notNull().generatedByDefaultAsIdentity(),
    createdAt: epochSeconds("created_at").notNull(),
    type: smallint("type").notNull(),
    userId: integer("user_id").notNull().default(0),
    username: text("username").notNull().default(""),
    tokenId: integer("token_id").notNull().default(0),
    tokenName: text("token_name").notNull().default(""),
    modelName: text("model_name").notNull().default(""),
    channelId: integer("channel_id").notNull().default(0),
    group: text("group").notNull().default(""),
    isStream: boolean("is_stream").notNull().default(false),
    /** The call ended in an error; quota is then what was taken all the same, mostly 0. */
    failed: boolean("failed").notNull().default(false),
    /** Whole seconds, as one-api has it; `elapsed_ms` has exact milliseconds. */
    useTime: integer("use_time").notNull().default(0),
    elapsedMs: integer("elapsed_ms").notNull().default(0),
    promptTokens: integer("prompt_tokens").notNull().default(0),
    completionTokens: integer("completion_tokens").notNull().default(0),
    quota: quotaUnits("quota").notNull().default(0),
    /** Part of the charge that neither hold nor balance covered. */
    uncovered: quotaUnits("uncovered").notNull().default(0),
    ip: text("ip").notNull().default(""),
    /** Null for rows that are no relayed call. */
    requestId: text("request_id"),
    /** What the client called it by (`X-Sluice-Tags`, `metadata.tags`); null: nothing. */
    tags: text("tags").array(),
    /** Whom the client made the call for; null: it did not say, or the site does not ask. */
    endUser: text("end_user"),
    content: text("content").notNull().default(""),
    /** JSON text, see `LogOther` in src/billing/types.ts. */
    other: text("other").notNull().default(""),
  },
  // Ascending: read backwards they give "newest first". An index made DESC would put nulls last, which no list asks for.
  (t) => [
    // Keys name the user, by which an engine of several hosts distributes the rows.
    primaryKey({ columns: [t.userId, t.createdAt, t.id] }),
    uniqueIndex("logs_request_id_key").on(t.requestId, t.createdAt, t.userId),
    index("logs_time_idx").on(t.createdAt, t.id),
    index("logs_model_idx").on(t.modelName, t.createdAt),
    index("logs_token_idx").on(t.tokenId, t.createdAt),
    index("logs_channel_idx").on(t.channelId, t.createdAt),
    index("logs_failed_idx").on(t.createdAt, t.id).where(sql`${t.failed}`),
    // What is no call: one row in hundreds, which lists look for and totals count one by one.
    index("logs_type_idx").on(t.type, t.createdAt).where(sql`${t.type} <> 2`),
    // By ranges of ids, which is the order of writing: exports read the log along it. Costs next to nothing to keep.
    index("logs_id_idx").using("brin", t.id).with({ pages_per_range: 32, autosummarize: true }),
    index("logs_tags_idx").using("gin", t.tags).where(sql`${t.tags} is not null`),
    index("logs_tagged_idx").on(t.createdAt).where(sql`${t.tags} is not null`),
    index("logs_end_user_idx").on(t.endUser, t.createdAt).where(sql`${t.endUser} is not null`),
    index("logs_events_idx").on(t.userId, t.type, t.createdAt).where(sql`${t.type} <> 2`),
  ],
);

/** Hourly sums of consumption rows, kept in the transaction that writes the rows: statistics read these, not the log. */
export const usageRollups = pgTable(
  "usage_rollups",
  {
    /** Epoch seconds, floored to the hour (UTC). */
    hour: epochSeconds("hour").notNull(),
    userId: integer("user_id").notNull(),
    username: text("username").notNull(),
    tokenId: integer("token_id").notNull(),
    tokenName: text("token_name").notNull(),
    channelId: integer("channel_id").notNull(),
    modelName: text("model_name").notNull(),
    group: text("group").notNull(),
    count: bigint("count", { mode: "number" }).notNull().default(0),
    failed: bigint("failed", { mode: "number" }).notNull().default(0),
    quota: quotaUnits("quota").notNull().default(0),
    uncovered: quotaUnits("uncovered").notNull().default(0),
    promptTokens: bigint("prompt_tokens", { mode: "number" }).notNull().default(0),
    completionTokens: bigint("completion_tokens", { mode: "number" }).notNull().default(0),
    elapsedMs: bigint("elapsed_ms", { mode: "number" }).notNull().default(0),
  },
  (t) => [
    primaryKey({
      columns: [t.hour, t.userId, t.username, t.tokenId, t.tokenName, t.channelId, t.modelName, t.group],
    }),
    index("usage_rollups_user_idx").on(t.userId, t.hour),
    index("usage_rollups_channel_idx").on(t.channelId, t.hour),
    index("usage_rollups_model_idx").on(t.modelName, t.hour),
    index("usage_rollups_token_name_idx").on(t.tokenName, t.tokenId),
  ],
);

/** What is added up of calls. */
const sumColumns = () => ({
  count: bigint("count", { mode: "number" }).notNull(),
  failed: bigint("failed", { mode: "number" }).notNull(),
  quota: quotaUnits("quota").notNull(),
  promptTokens: bigint("prompt_tokens", { mode: "number" }).notNull(),
  completionTokens: bigint("completion_tokens", { mode: "number" }).notNull(),
  elapsedMs: bigint("elapsed_ms", { mode: "number" }).notNull(),
});

/**
 * Sums of roll-ups over everybody, for charts of long ranges: hours by model, by group and of all (key empty), days and months
 * (UTC) by user, channel and API key, whose key is the id, as far as they were among those that spent most. A job adds hours
 * that are over, see `usageFold`.
 */
export const usageTotals = pgTable(
  "usage_totals",
  {
    /** By hour: all, model or group. By month: user, channel or token. By day: any of these with `_day`. */
    dimension: text("dimension").notNull(),
    /** Epoch seconds at which the hour, day or month begins. */
    start: epochSeconds("start").notNull(),
    key: text("key").notNull(),
    ...sumColumns(),
  },
  (t) => [primaryKey({ columns: [t.dimension, t.start, t.key] })],
);

/**
 * Sums of roll-ups by day (UTC) and model of each user, channel and API key: what charts and totals of one of them read. A
 * job adds days that are over, see `usageFold`.
 */
export const usageDays = pgTable(
  "usage_days",
  {
    /** user, channel or token. */
    dimension: text("dimension").notNull(),
    /** Of the user, channel or API key. */
    id: integer("id").notNull(),
    /** Epoch seconds at which the day begins. */
    day: epochSeconds("day").notNull(),
    modelName: text("model_name").notNull(),
    /** Whose API key it is; of users and channels 0. */
    userId: integer("user_id").notNull(),
    /** The name of the user or API key at that time; of channels empty. */
    name: text("name").notNull(),
    ...sumColumns(),
  },
  (t) => [
    primaryKey({ columns: [t.dimension, t.id, t.day, t.modelName, t.userId] }),
    // Days are added one after the other and taken out again as a whole.
    index("usage_days_day_idx").using("brin", t.day).with({ pages_per_range: 32, autosummarize: true }),
  ],
);

/**
 * Hourly sums of calls whose channels say what they cost the operator, kept in the transaction that writes their rows: margins of
 * channels and models are read from these. Nobody but administrators sees them.
 */
export const usageCosts = pgTable(
  "usage_costs",
  {
    /** Epoch seconds, floored to the hour (UTC). */
    hour: epochSeconds("hour").notNull(),
    channelId: integer("channel_id").notNull(),
    modelName: text("model_name").notNull(),
    count: bigint("count", { mode: "number" }).notNull().default(0),
    /** What these calls were charged, and what they cost. */
    quota: quotaUnits("quota").notNull().default(0),
    cost: quotaUnits("cost").notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.hour, t.channelId, t.modelName] })],
);

/** How far the totals go: hours before `until` are in them, and months that end no later. No row: none are. */
export const usageFold = pgTable("usage_fold", {
  id: smallint("id").primaryKey().default(1),
  /** Epoch seconds of a whole hour. A call that is written later than its hour was added takes it back. */
  until: epochSeconds("until").notNull(),
  /** Epoch seconds of a whole day: days before are in `usageDays`. A trigger takes it back with `until`. */
  daysUntil: epochSeconds("days_until").notNull().default(0),
});

/**
 * Calls that were charged while calls were not logged (LogConsumeEnabled): what keeps a charge from being made twice, and
 * says what to give back. Nobody sees them, and they are forgotten after a while. Their roll-ups are sums of days, whose hours are
 * moved back by `UNLOGGED_SHIFT_S`: before all that statistics look at. Statements read them there.
 */
export const unloggedCalls = pgTable(
  "unlogged_calls",
  {
    requestId: text("request_id").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    userId: integer("user_id").notNull(),
    tokenId: integer("token_id").notNull(),
    channelId: integer("channel_id").notNull(),
    /** The names of the API key and model then; both empty: its roll-up is that of `UNLOGGED_HOUR`. */
    tokenName: text("token_name").notNull().default(""),
    modelName: text("model_name").notNull().default(""),
    quota: quotaUnits("quota").notNull(),
    uncovered: quotaUnits("uncovered").notNull(),
    /** Ids of the budgets that it counted in, with commas. */
    budgets: text("budgets").notNull().default(""),
    /** Id of the budget of the plan that included it; null: it was charged. */
    included: integer("included"),
    /** Of a call that a plan included: its tokens, and what it was worth in quota units. Else 0. */
    promptTokens: integer("prompt_tokens").notNull().default(0),
    completionTokens: integer("completion_tokens").notNull().default(0),
    worth: quotaUnits("worth").notNull().default(0),
    /** What windows of plans paid of it, as JSON (`LogOther.plan_draws`); empty: nothing. */
    planDraws: text("plan_draws").notNull().default(""),
  },
  (t) => [primaryKey({ columns: [t.requestId, t.createdAt] }), index("unlogged_calls_created_idx").on(t.createdAt)],
);

/** The hour of all such roll-ups of earlier releases; those of days lie before it. */
export const UNLOGGED_HOUR = -3600;
/** More than any time to come: no moved hour is one of a call that was logged. Whole days. */
export const UNLOGGED_SHIFT_S = 4_000_060_800;

/**
 * What balances owe to rows that are not in the log: rows that were cleared from it, and what imported users brought along.
 * Books add it to what the log still has.
 */
export const carriedBalances = pgTable("carried_balances", {
  userId: integer("user_id").primaryKey(),
  /** Negative where more was taken than given. */
  quota: quotaUnits("quota").notNull(),
});

/** Charges of the latest hours whose rows were cleared from the log. Books add them to the rows that are left. */
export const clearedHours = pgTable("cleared_hours", {
  /** Epoch seconds, floored to the hour (UTC). */
  hour: epochSeconds("hour").primaryKey(),
  quota: quotaUnits("quota").notNull(),
});

/** Files of log rows that fell out of retention. A file holds rows of one month (UTC), in order of time and id. */
export const logArchives = pgTable(
  "log_archives",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /** folder or s3. */
    place: text("place").notNull(),
    /** Where it lies in its place. */
    name: text("name").notNull(),
    /** writing: it may be incomplete, and its rows are in the log; written: it is verified, and its rows are being deleted; done. */
    state: text("state").notNull(),
    /** Set until the file is done; unique, so that two processes never archive at the same time. */
    isOpen: boolean("is_open").unique(),
    /** Epoch seconds at which the month begins. */
    month: epochSeconds("month").notNull().default(0),
    rows: integer("rows").notNull().default(0),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    sha256: text("sha256").notNull().default(""),
    /** The first and the last row by time and id. */
    firstAt: epochSeconds("first_at").notNull().default(0),
    firstId: bigint("first_id", { mode: "number" }).notNull().default(0),
    lastAt: epochSeconds("last_at").notNull().default(0),
    lastId: bigint("last_id", { mode: "number" }).notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [index("log_archives_month_idx").on(t.month)],
);
