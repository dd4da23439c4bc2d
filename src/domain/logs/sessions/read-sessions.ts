import { and, desc, eq, gt, ne, or, sql } from "drizzle-orm";
import { agentSessions } from "../../../../db/schema/logs/sessions.ts";
import type { Db } from "../../../../db/types.ts";
import type { AgentSession, LogOther } from "../../../billing/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { startsWith } from "../../../lib/values/sql-text.ts";
import { type AgentNode, type AgentSums, buildAgentTree } from "./session-tree.ts";

/** A run of an agent with its sums. */
export type SessionView = AgentSums &
  Readonly<{ id: string; source: string; user_id: number; username: string; token_name: string }>;

/** A call of a run. */
export type SessionCall = Readonly<{
  request_id: string;
  created_at: number;
  /** When it arrived, in epoch milliseconds. */
  started_ms: number;
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

/**
 * Calls that an agent made in one step: a span of the client's trace, or what it named so; empty: none was named. `agent` is empty
 * for the one that the session began with.
 */
export type SessionStep = Readonly<{ agent: string; step: string; calls: readonly SessionCall[] }>;

/** A session with all its agents as a tree, and its latest calls by agent and step in the order of their first call. */
export type SessionDetail = SessionView & Readonly<{ agents: AgentNode; steps: readonly SessionStep[] }>;

const MOST_SESSIONS = 200;
const MOST_CALLS = 1000;

/**
 * The latest sessions, of everybody (`userId` null) or of one user, whose name or user begins with `search`. A single call whose
 * client names no session is none.
 */
export async function listSessions(
  db: Db,
  { userId, search }: Readonly<{ userId: number | null; search: string }>,
): Promise<SessionView[]> {
  const rows = await db
    .select()
    .from(agentSessions)
    .where(
      and(
        or(ne(agentSessions.source, "prompt"), gt(agentSessions.calls, 1)),
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

/** A user's session with its agents and latest calls. Throws OperationError. */
export async function readSession(db: Db, userId: number, id: string): Promise<SessionDetail> {
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
  const steps = Map.groupBy([...calls].map(readCall).toReversed(), ({ agent, step }) => `${agent}\n${step}`);
  return {
    ...viewOf(row),
    agents: buildAgentTree(await readAgents(db, userId, id)),
    steps: [...steps.values()].map((list) => ({
      agent: list[0]?.agent ?? "",
      step: list[0]?.step ?? "",
      calls: list.map(({ call }) => call),
    })),
  };
}

type AgentSumsRow = { agent: string; parent: string; name: string } & Record<keyof AgentSums, number | string>;

/** The sums of each agent of a session over all its calls; what an agent's latest call says of it counts. */
async function readAgents(db: Db, userId: number, id: string) {
  const rows = await db.execute<AgentSumsRow>(sql`
    with found as (
      select l.id, l.created_at, l.failed, l.quota, l.prompt_tokens, l.completion_tokens, l.elapsed_ms,
        l.other::jsonb->'agent_session' as session, (l.other::jsonb->>'cache_tokens')::bigint as cached
      from agent_session_calls c join logs l on l.created_at = c.created_at and l.id = c.log_id
      where c.user_id = ${userId} and c.session_id = ${id}
    )
    select coalesce(session->>'agent', '') as agent,
      coalesce((array_agg(session->>'parent' order by id desc))[1], '') as parent,
      coalesce((array_agg(session->>'name' order by id desc))[1], '') as name,
      sum(1) as calls, sum(failed::int) as failed, sum(quota) as quota, sum(prompt_tokens) as prompt_tokens,
      sum(coalesce(cached, 0)) as cached_tokens, sum(completion_tokens) as completion_tokens,
      sum(elapsed_ms) as elapsed_ms, sum(coalesce(jsonb_array_length(session->'tools'), 0)) as tool_calls,
      min(created_at) as started_at, max(created_at) as ended_at
    from found group by 1`);
  return [...rows].map(({ agent, parent, name, ...sums }) => ({
    ...{ agent, name, parent: agent === "" ? "" : parent },
    calls: Number(sums.calls),
    failed: Number(sums.failed),
    quota: Number(sums.quota),
    prompt_tokens: Number(sums.prompt_tokens),
    cached_tokens: Number(sums.cached_tokens),
    completion_tokens: Number(sums.completion_tokens),
    elapsed_ms: Number(sums.elapsed_ms),
    tool_calls: Number(sums.tool_calls),
    started_at: Number(sums.started_at),
    ended_at: Number(sums.ended_at),
  }));
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

function readCall(row: CallRow): Readonly<{ agent: string; step: string; call: SessionCall }> {
  // The job that found the row read this text as JSON.
  const other = JSON.parse(row.other) as Partial<LogOther> & { agent_session?: Partial<AgentSession> };
  const firstByteMs = other.frt ?? -1;
  return {
    agent: other.agent_session?.agent ?? "",
    step: other.agent_session?.step ?? "",
    call: {
      request_id: row.request_id ?? "",
      created_at: Number(row.created_at),
      started_ms: startOf(row.request_id ?? "", Number(row.created_at)),
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

/** The id of a call ends with a UUID of version 7 (RFC 9562), which begins with its milliseconds. */
const TIMED_ID = /([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** A process reads the second and makes the id at different moments. */
const MOST_APART_MS = 5000;

/** When a call arrived, in epoch milliseconds; of rows from elsewhere only the second is known. */
function startOf(requestId: string, createdAt: number): number {
  const [, high = "", low = ""] = TIMED_ID.exec(requestId) ?? [];
  const ms = Number.parseInt(high + low, 16);
  return Math.abs(ms - createdAt * 1000) < MOST_APART_MS ? ms : createdAt * 1000;
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
