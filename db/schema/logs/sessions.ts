import { bigint, index, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../columns.ts";

/** Runs of agents: calls of one user that name the same session, with their sums. A job adds calls from the log. */
export const agentSessions = pgTable(
  "agent_sessions",
  {
    userId: integer("user_id").notNull(),
    /** As the client named it, or the trace that it is part of. */
    id: text("id").notNull(),
    /** Where the name was found: header, body, metadata, conversation or trace. */
    source: text("source").notNull(),
    username: text("username").notNull(),
    tokenName: text("token_name").notNull(),
    startedAt: epochSeconds("started_at").notNull(),
    /** Arrival of the latest call. */
    endedAt: epochSeconds("ended_at").notNull(),
    calls: integer("calls").notNull(),
    failed: integer("failed").notNull(),
    quota: quotaUnits("quota").notNull(),
    promptTokens: bigint("prompt_tokens", { mode: "number" }).notNull(),
    cachedTokens: bigint("cached_tokens", { mode: "number" }).notNull(),
    completionTokens: bigint("completion_tokens", { mode: "number" }).notNull(),
    /** Milliseconds that its calls took, added up. */
    elapsedMs: bigint("elapsed_ms", { mode: "number" }).notNull(),
    /** Tools whose results its calls sent. */
    toolCalls: integer("tool_calls").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.id] }),
    index("agent_sessions_ended_idx").on(t.endedAt),
    index("agent_sessions_user_idx").on(t.userId, t.endedAt),
  ],
);

/** The log rows of each session. */
export const agentSessionCalls = pgTable(
  "agent_session_calls",
  {
    userId: integer("user_id").notNull(),
    sessionId: text("session_id").notNull(),
    logId: bigint("log_id", { mode: "number" }).notNull(),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.sessionId, t.logId] })],
);

/** Up to which id of the log calls have been added to sessions. */
export const agentSessionFold = pgTable("agent_session_fold", {
  one: smallint("one").primaryKey().default(1),
  position: bigint("position", { mode: "number" }).notNull(),
});
