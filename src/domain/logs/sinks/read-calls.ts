import { sql } from "drizzle-orm";
import type { Db } from "../../../../db/types.ts";
import { SETTLING } from "../../../billing/journal/apply/apply-batch.ts";
import type { LogOther } from "../../../billing/types.ts";
import { LOG_TYPE } from "../write-log.ts";
import type { ExportedCall } from "./sink-type.ts";

/** Ids that are looked through at a time: rows of other kinds and gaps are between calls. */
const WINDOW = 5000;

/**
 * The highest id of the log below which no call can appear any more. Writers of calls take turns under an advisory lock
 * and take their ids under it; with the lock, all ids that were given out are visible, or never will be.
 */
export async function readLogEnd(db: Db): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock_shared(${SETTLING})`);
    const [row] = await tx.execute<{ last: number | null }>(
      sql`select pg_sequence_last_value(pg_get_serial_sequence('logs', 'id')::regclass)::bigint as last`,
    );
    return Number(row?.last ?? 0);
  });
}

type Row = {
  id: number;
  created_at: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group: string;
  is_stream: boolean;
  failed: boolean;
  elapsed_ms: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
  uncovered: number;
  request_id: string | null;
  other: string;
};

/**
 * The next calls behind `position`, in the order of their ids, at most `limit`. `until`: how far the log was read, at most
 * to `end`.
 */
export async function readCalls(
  db: Db,
  { position, end, limit }: Readonly<{ position: number; end: number; limit: number }>,
): Promise<{ calls: ExportedCall[]; until: number }> {
  const until = Math.min(end, position + WINDOW);
  const rows = await db.execute<Row>(sql`
    select id, created_at, user_id, username, token_id, token_name, model_name, channel_id, "group", is_stream, failed,
      elapsed_ms, prompt_tokens, completion_tokens, quota, uncovered, request_id, other
    from logs where id > ${position} and id <= ${until} and type = ${LOG_TYPE.consumption} order by id limit ${limit}`);
  const calls = [...rows].map(exportedCall);
  const last = calls.at(-1);
  return { calls, until: calls.length === limit && last ? last.log_id : until };
}

/** How many calls wait behind `position` (counted up to `most`), and when the first of them arrived. */
export async function readBacklog(
  db: Db,
  position: number,
  most: number,
): Promise<{ waiting: number; oldest: number | null }> {
  const rows = await db.execute<{ created_at: number }>(
    sql`select created_at from logs where id > ${position} and type = ${LOG_TYPE.consumption} limit ${most}`,
  );
  const times = [...rows].map((row) => Number(row.created_at));
  return { waiting: times.length, oldest: times.length > 0 ? Math.min(...times) : null };
}

function exportedCall(row: Row): ExportedCall {
  const other = readOther(row.other);
  const firstByteMs = other.frt ?? -1;
  return {
    id: row.request_id ?? `log-${row.id}`,
    log_id: Number(row.id),
    created_at: Number(row.created_at),
    request_id: other.request_id ?? "",
    user_id: row.user_id,
    username: row.username,
    token_id: row.token_id,
    token_name: row.token_name,
    group: row.group,
    model: row.model_name,
    requested_model: other.requested_model ?? row.model_name,
    channel_id: row.channel_id,
    is_stream: row.is_stream,
    failed: row.failed,
    status: other.status ?? 0,
    elapsed_ms: row.elapsed_ms,
    first_token_ms: firstByteMs >= 0 ? firstByteMs : null,
    prompt_tokens: row.prompt_tokens,
    cached_tokens: other.cache_tokens ?? 0,
    completion_tokens: row.completion_tokens,
    reasoning_tokens: other.reasoning_tokens ?? 0,
    service_tier: other.service_tier ?? "",
    quota: Number(row.quota),
    uncovered: Number(row.uncovered),
    tags: other.tags ?? [],
    end_user: other.end_user ?? "",
  };
}

function readOther(text: string): Partial<LogOther> {
  try {
    return text === "" ? {} : (JSON.parse(text) as Partial<LogOther>);
  } catch {
    return {};
  }
}
