import { channels } from "../../../db/schema/channels/channels.ts";
import type { logs } from "../../../db/schema/logs/logs.ts";
import { mainOf } from "../../../db/server/log-database.ts";
import type { Db } from "../../../db/types.ts";
import type { LogOther } from "../../billing/types.ts";
import { isOneOf } from "../../lib/values/sql-text.ts";

export type LogRow = typeof logs.$inferSelect;

/** A log row on the wire, in the ecosystem's names; `other` is JSON text. */
export type LogView = Readonly<{
  id: number;
  user_id: number;
  created_at: number;
  type: number;
  content: string;
  username: string;
  token_name: string;
  token_id: number;
  model_name: string;
  quota: number;
  uncovered: number;
  prompt_tokens: number;
  completion_tokens: number;
  use_time: number;
  elapsed_ms: number;
  is_stream: boolean;
  failed: boolean;
  channel: number;
  channel_name: string;
  group: string;
  ip: string;
  request_id: string;
  tags: readonly string[];
  end_user: string;
  other: string;
}>;

/** What administrators see. */
export const viewForAdmin = (row: LogRow, channelName: string): LogView => ({
  id: row.id,
  user_id: row.userId,
  created_at: row.createdAt,
  type: row.type,
  content: row.content,
  username: row.username,
  token_name: row.tokenName,
  token_id: row.tokenId,
  model_name: row.modelName,
  quota: row.quota,
  uncovered: row.uncovered,
  prompt_tokens: row.promptTokens,
  completion_tokens: row.completionTokens,
  use_time: row.useTime,
  elapsed_ms: row.elapsedMs,
  is_stream: row.isStream,
  failed: row.failed,
  channel: row.channelId,
  channel_name: channelName,
  group: row.group,
  ip: row.ip,
  request_id: row.requestId ?? "",
  tags: row.tags ?? [],
  end_user: row.endUser ?? "",
  other: row.other,
});

/** What users see of their own rows: nothing of channels and attempts. */
export const viewForOwner = (row: LogRow): LogView => ({
  ...viewForAdmin(row, ""),
  channel: 0,
  other: withoutOperatorsPart(row.other),
});

function withoutOperatorsPart(text: string): string {
  if (text === "") return "";
  try {
    const { admin_info: _, ...rest } = JSON.parse(text) as LogOther;
    return JSON.stringify(rest);
  } catch {
    return "";
  }
}

/** The names of the channels that rows name, by id; channels that are gone are absent. */
export async function readChannelNames(
  db: Db,
  rows: readonly Readonly<{ channelId: number }>[],
): Promise<Map<number, string>> {
  const ids = [...new Set(rows.map(({ channelId }) => channelId).filter(Boolean))];
  if (ids.length === 0) return new Map();
  const named = await mainOf(db)
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(isOneOf(channels.id, ids));
  return new Map(named.map(({ id, name }) => [id, name]));
}
