import { and, desc, eq, sql } from "drizzle-orm";
import { agentSessions } from "../../../../db/schema/gateway/sessions.ts";
import type { Db } from "../../../../db/types.ts";
import type { AgentSession, LogOther } from "../../../billing/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { startsWith } from "../../../lib/values/sql-text.ts";

/** A run of an agent with its sums. */
export type SessionView = Readonly<{
  id: string;
  source: string;
  user_id: number;
  username: string;
  token_name: string;
  /** Arrival of the first and of the latest call, in epoch seconds. */
  started_at: number;
  ended_at: number;
  calls: number;
  failed: number;
  quota: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  elapsed_ms: number;
  tool_calls: number;
}>;

/** A call of a run. */
export type SessionCall = Readonly<{
  request_id: string;
  created_at: number;
  model: string;
  failed: boolean;
  quota: number;
  elapsed_ms: number;
  first_token_ms: number | null;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  /** Tools whose results it sent. */
  tools: readonly string[];
}>;

/** Calls that the client made in one step: a span of its trace, or what it named so; empty: none was named. */
export type SessionStep = Readonly<{ step: string; calls: readonly SessionCall[] }>;

const MOST_SESSIONS = 200;
const MOST_CALLS = 1000;

/** The latest sessions, of everybody (`userId` null) or of one user, whose name or user begins with `search`. */
export async function listSessions(
  db: Db,
  { userId, search }: Readonly<{ userId: number | null; search: string }>,
): Promise<SessionView[]> {
  const rows = await db
    .select()
    .from(agentSessions)
    .where(
      and(
        userId === null ? undefined : eq(agentSessions.userId, userId),
        search === ""
          ? undefined
          : sql`(${startsWith(agentSessions.id, search)} or ${startsWith(agentSessions.username, search)})`,
      ),
    )
    .orderBy(desc(agentSessions.endedAt))
    .limit(MOST_SESSIONS);
  return rows.map(viewOf);
}

/** A user's session with its latest calls as a tree: steps in the order of their first call. Throws OperationError. */
export async function readSession(
  db: Db,
  userId: number,
  id: string,
): Promise<SessionView & Readonly<{ steps: readonly SessionStep[] }>> {
  const [row] = await db
    .select()
    .from(agentSessions)
    .where(and(eq(agentSessions.userId, userId), eq(agentSessions.id, id)));
  if (!row) throw new OperationError("agent_session_not_found");
  const calls = await db.execute<CallRow>(sql`
    select l.request_id, l.created_at, l.model_name, l.failed, l.quota, l.elapsed_ms, l.prompt_tokens,
      l.completion_tokens, l.other
    from agent_session_calls c join logs l on l.created_at = c.created_at and l.id = c.log_id
    where c.user_id = ${userId} and c.session_id = ${id} order by c.log_id desc limit ${MOST_CALLS}`);
  const steps = Map.groupBy([...calls].map(readCall).toReversed(), ({ step }) => step);
  return {
    ...viewOf(row),
    steps: [...steps].map(([step, list]) => ({ step, calls: list.map(({ call }) => call) })),
  };
}

type CallRow = {
  request_id: string | null;
  created_at: number;
  model_name: string;
  failed: boolean;
  quota: number;
  elapsed_ms: number;
  prompt_tokens: number;
  completion_tokens: number;
  other: string;
};

function readCall(row: CallRow): Readonly<{ step: string; call: SessionCall }> {
  // The job that found the row read this text as JSON.
  const other = JSON.parse(row.other) as Partial<LogOther> & { agent_session?: Partial<AgentSession> };
  const firstByteMs = other.frt ?? -1;
  return {
    step: other.agent_session?.step ?? "",
    call: {
      request_id: row.request_id ?? "",
      created_at: Number(row.created_at),
      model: row.model_name,
      failed: row.failed,
      quota: Number(row.quota),
      elapsed_ms: row.elapsed_ms,
      first_token_ms: firstByteMs >= 0 ? firstByteMs : null,
      prompt_tokens: row.prompt_tokens,
      cached_tokens: other.cache_tokens ?? 0,
      completion_tokens: row.completion_tokens,
      tools: other.agent_session?.tools ?? [],
    },
  };
}

const viewOf = (row: typeof agentSessions.$inferSelect): SessionView => ({
  id: row.id,
  source: row.source,
  user_id: row.userId,
  username: row.username,
  token_name: row.tokenName,
  started_at: row.startedAt,
  ended_at: row.endedAt,
  calls: row.calls,
  failed: row.failed,
  quota: row.quota,
  prompt_tokens: row.promptTokens,
  cached_tokens: row.cachedTokens,
  completion_tokens: row.completionTokens,
  elapsed_ms: row.elapsedMs,
  tool_calls: row.toolCalls,
});
