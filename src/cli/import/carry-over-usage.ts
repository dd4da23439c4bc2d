import type { Statements } from "../../../db/types.ts";
import type { IdMap, Migration } from "./migration.ts";

type Ids = Readonly<{ users: IdMap; tokens: IdMap; channels: IdMap }>;

/**
 * Books what was used before the log that came over begins, under the hour 0, so that counters and statistics add up to the
 * same. What a channel served is what users spent: it is taken off again under no user and no channel.
 */
export async function carryOver({ database, isDry }: Migration, ids: Ids): Promise<void> {
  if (isDry) return;
  await database.sql.begin(async (tx) => {
    await tx`
      insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group", quota)
      select 0, t.user_id, u.username, t.id, t.name, 0, '', '', t.used_quota - t.rolled
      from (select k.*, (select coalesce(sum(o.quota), 0)::bigint from usage_rollups o
          where o.user_id = k.user_id and o.token_id = k.id) as rolled
        from tokens k where k.id in (select unnest(${arrayOf(ids.tokens)}::text::int[]))) t join users u on u.id = t.user_id
      where t.used_quota <> t.rolled
      on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group")
      do update set quota = r.quota + excluded.quota`;
    await tx`
      insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group", quota)
      select 0, u.id, u.username, 0, '', 0, '', '', u.used_quota - u.rolled
      from (select a.*, (select coalesce(sum(o.quota), 0)::bigint from usage_rollups o where o.user_id = a.id) as rolled
        from users a where a.id in (select unnest(${arrayOf(ids.users)}::text::int[]))) u
      where u.used_quota <> u.rolled
      on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group")
      do update set quota = r.quota + excluded.quota`;
    await carryChannels(tx, ids.channels);
    await tx`update usage_fold set until = 0`;
  });
}

async function carryChannels(tx: Statements, ids: IdMap): Promise<void> {
  await tx`
    insert into usage_rollups as r (hour, user_id, username, token_id, token_name, channel_id, model_name, "group", quota)
    select 0, 0, '', 0, '', p.channel_id, '', '', sum(p.quota) from (
      select b.id as channel_id, b.quota from (select c.id, c.used_quota - (select coalesce(sum(o.quota), 0)::bigint
          from usage_rollups o where o.channel_id = c.id) as quota
        from channels c where c.id in (select unnest(${arrayOf(ids)}::text::int[]))) b
      union all
      select 0, -b.quota from (select c.id, c.used_quota - (select coalesce(sum(o.quota), 0)::bigint
          from usage_rollups o where o.channel_id = c.id) as quota
        from channels c where c.id in (select unnest(${arrayOf(ids)}::text::int[]))) b) p
    group by p.channel_id having sum(p.quota) <> 0
    on conflict (hour, user_id, username, token_id, token_name, channel_id, model_name, "group")
    do update set quota = r.quota + excluded.quota`;
}

const arrayOf = (ids: IdMap): string => `{${[...ids.values()].join(",")}}`;
