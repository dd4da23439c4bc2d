import { sql } from "drizzle-orm";
import { agentSessionFold } from "../../../../db/schema/logs/sessions.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { readLogEnd } from "../sinks/read-calls.ts";
import { LOG_TYPE } from "../write-log.ts";

/** Rows of the log that are looked through in one transaction. */
const WINDOW = 5000;
const LIFE_S = 30 * 86_400;
const DELETED_AT_ONCE = 5000;

/**
 * Adds calls that the log got since the last run to their sessions, each exactly once: rows, sums and the position are
 * written together. The first run begins with the latest 5,000 rows. Sessions without calls for 30 days are deleted.
 */
export async function foldSessions(db: Db, signal: AbortSignal): Promise<void> {
  const end = await readLogEnd(db);
  await db
    .insert(agentSessionFold)
    .values({ position: Math.max(0, end - WINDOW) })
    .onConflictDoNothing();
  while (!signal.aborted && (await foldWindow(db, end)) < end);
  await deleteOld(db);
}

/** Resolves with the position reached. */
function foldWindow(db: Db, end: number): Promise<number> {
  return db.transaction(async (tx) => {
    // Locks out another process that believes that it is its turn.
    const [row] = await tx.select().from(agentSessionFold).for("update");
    const position = row?.position ?? end;
    const until = Math.min(end, position + WINDOW);
    if (until <= position) return end;
    await tx.execute(sql`
      with found as (
        select id as log_id, created_at, user_id, username, token_name, failed, quota, prompt_tokens, completion_tokens,
          elapsed_ms, other::jsonb as other
        from logs
        where id > ${position} and id <= ${until} and type = ${LOG_TYPE.consumption} and other like '%"agent_session":{%'
      ),
      added as (
        insert into agent_session_calls (user_id, session_id, log_id, created_at)
        select user_id, other->'agent_session'->>'id', log_id, created_at from found
        where other->'agent_session'->>'id' is not null
        on conflict do nothing returning user_id, session_id, log_id
      )
      insert into agent_sessions (user_id, id, source, username, token_name, started_at, ended_at, calls, failed, quota,
        prompt_tokens, cached_tokens, completion_tokens, elapsed_ms, tool_calls)
      select a.user_id, a.session_id, min(f.other->'agent_session'->>'by'), min(f.username), min(f.token_name),
        min(f.created_at), max(f.created_at), sum(1), sum(f.failed::int), sum(f.quota),
        sum(f.prompt_tokens), sum(coalesce((f.other->>'cache_tokens')::bigint, 0)), sum(f.completion_tokens),
        sum(f.elapsed_ms), sum(coalesce(jsonb_array_length(f.other->'agent_session'->'tools'), 0))
      from added a join found f using (log_id) group by 1, 2
      on conflict (user_id, id) do update set
        started_at = least(agent_sessions.started_at, excluded.started_at),
        ended_at = greatest(agent_sessions.ended_at, excluded.ended_at),
        calls = agent_sessions.calls + excluded.calls,
        failed = agent_sessions.failed + excluded.failed,
        quota = agent_sessions.quota + excluded.quota,
        prompt_tokens = agent_sessions.prompt_tokens + excluded.prompt_tokens,
        cached_tokens = agent_sessions.cached_tokens + excluded.cached_tokens,
        completion_tokens = agent_sessions.completion_tokens + excluded.completion_tokens,
        elapsed_ms = agent_sessions.elapsed_ms + excluded.elapsed_ms,
        tool_calls = agent_sessions.tool_calls + excluded.tool_calls`);
    await tx.update(agentSessionFold).set({ position: until });
    return until;
  });
}

const deleteOld = (db: Db) =>
  db.execute(sql`
    with old as (
      delete from agent_sessions where (user_id, id) in (
        select user_id, id from agent_sessions where ended_at < ${nowSeconds() - LIFE_S} limit ${DELETED_AT_ONCE})
      returning user_id, id
    )
    delete from agent_session_calls c using old where c.user_id = old.user_id and c.session_id = old.id`);
