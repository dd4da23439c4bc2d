import { listLogMonths } from "../../db/maintenance/partitions.ts";
import type { Sql, Statements } from "../../db/types.ts";
import type { FirstIds } from "./seed.ts";

/** Roll-ups of the new users' calls, and the counters of users, keys and channels, as the journal would have kept them. */
export async function addUp(tx: Statements, first: FirstIds): Promise<void> {
  // Month by month: what is sorted at a time stays small.
  for (const { from, until } of await listLogMonths(tx)) {
    await tx`
      insert into usage_rollups (hour, user_id, username, token_id, token_name, channel_id, model_name, "group", count,
        failed, quota, prompt_tokens, completion_tokens, elapsed_ms)
      select created_at - created_at % 3600, user_id, username, token_id, token_name, channel_id, model_name, "group",
        count(*), count(*) filter (where failed), sum(quota), sum(prompt_tokens), sum(completion_tokens), sum(elapsed_ms)
      from logs where type = 2 and user_id >= ${first.user} and created_at >= ${from} and created_at < ${until}
      group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8`;
  }
  await tx`update usage_fold set until = 0`;
  await tx`
    update users u set used_quota = s.quota, request_count = s.count
    from (select user_id, sum(quota)::bigint as quota, sum(count)::bigint as count from usage_rollups
      where user_id >= ${first.user} group by 1) s where u.id = s.user_id`;
  await tx`
    update tokens t set used_quota = s.quota from (select token_id, sum(quota)::bigint as quota from usage_rollups
      where token_id >= ${first.token} group by 1) s where t.id = s.token_id`;
  await tx`
    update channels c set used_quota = s.quota from (select channel_id, sum(quota)::bigint as quota from usage_rollups
      where channel_id >= ${first.channel} group by 1) s where c.id = s.channel_id`;
}

/** What the planner knows of the tables that were filled: a server's autovacuum would find out later. */
export async function refreshStatistics(sql: Sql): Promise<void> {
  const reserved = await sql.reserve();
  try {
    await reserved.unsafe("set statement_timeout = 0");
    for (const table of [
      "users",
      "tokens",
      "channels",
      "abilities",
      "usage_rollups",
      "usage_totals",
      "usage_days",
      "logs",
    ]) {
      await reserved.unsafe(`vacuum (analyze) ${table}`);
    }
  } finally {
    await reserved.unsafe("reset statement_timeout");
    reserved.release();
  }
}
