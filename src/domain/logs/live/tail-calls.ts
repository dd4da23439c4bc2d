import { and, asc, eq, gt, gte, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { logs } from "../../../../db/schema/gateway/logs.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { readChannelNames } from "../list/channel-names.ts";
import { LOG_TYPE } from "../write-log.ts";
import type { LiveCall } from "./call-feed.ts";

/** Calls that began longer ago are not news, however late their rows come. */
const SPAN_S = 600;
const MOST_ROWS = 200;

/** Where a tail begins: behind all rows there are. */
export async function newestLogId(db: Db): Promise<number> {
  const row = requireRow(
    await db
      .select({ id: sql<number>`coalesce(max(${logs.id}), 0)::bigint` })
      .from(logs)
      .where(gte(logs.createdAt, nowSeconds() - SPAN_S)),
  );
  return Number(row.id);
}

/** The calls whose rows came after the row `afterId`, whichever replica made them, oldest row first; at most 200. */
export async function readNewCalls(db: Db, afterId: number): Promise<{ calls: LiveCall[]; lastId: number }> {
  const rows = await db
    .select()
    .from(logs)
    .where(and(gte(logs.createdAt, nowSeconds() - SPAN_S), gt(logs.id, afterId), eq(logs.type, LOG_TYPE.consumption)))
    .orderBy(asc(logs.id))
    .limit(MOST_ROWS);
  const names = await readChannelNames(db, rows);
  const calls = rows.map((row) => ({
    request_id: row.requestId ?? "",
    is_over: true,
    created_at: row.createdAt,
    user_id: row.userId,
    username: row.username,
    token_name: row.tokenName,
    model_name: row.modelName,
    channel: row.channelId,
    channel_name: names.get(row.channelId) ?? "",
    group: row.group,
    is_stream: row.isStream,
    failed: row.failed,
    status: row.failed ? 0 : 200,
    error: "",
    error_reason: null,
    elapsed_ms: row.elapsedMs,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    quota: row.quota,
    ip: row.ip,
  }));
  return { calls, lastId: rows.at(-1)?.id ?? afterId };
}
