import type { UsageRecord } from "../../billing/types.ts";
import type { LiveCall } from "../../domain/logs/live/call-feed.ts";
import type { Call } from "./call.ts";

/** A call that begins, as the console shows it. */
export function liveCallOf(call: Call): LiveCall {
  const { caller, summary, ip } = call;
  return {
    request_id: call.recordId,
    is_over: false,
    created_at: call.createdAt,
    user_id: caller.user.id,
    username: caller.user.username,
    token_name: caller.tokenName,
    model_name: summary.model,
    channel: 0,
    channel_name: "",
    group: caller.group,
    is_stream: summary.stream,
    failed: false,
    status: 0,
    error: "",
    error_reason: null,
    elapsed_ms: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    quota: 0,
    ip,
  };
}

/** The same when it is over. */
export const endedCall = (call: Call, record: UsageRecord): LiveCall => ({
  ...liveCallOf(call),
  is_over: true,
  channel: record.channelId,
  channel_name: call.attempts.route?.channel.name ?? "",
  failed: record.failed,
  status: record.other.status ?? 200,
  error: record.other.error ?? "",
  error_reason: record.other.error_reason ?? null,
  elapsed_ms: record.elapsedMs,
  prompt_tokens: record.promptTokens,
  completion_tokens: record.completionTokens,
  quota: record.quota,
});
