import type { Database, Statements } from "../../../db/types.ts";
import type { AsCaller } from "../../lib/runtime/data-dir-owner.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { loadOptions } from "../../settings/store.ts";
import { coverSource } from "./coverage/cover-source.ts";
import { detectFamily, type Family } from "./coverage/detect-family.ts";
import { hubAsKin } from "./hub/hub-as-kin.ts";
import { importTeams } from "./litellm/import-teams.ts";
import { translateLiteLlm } from "./litellm/translate.ts";
import type { IdMap, Migration } from "./migration.ts";
import { createReport, type Report } from "./report.ts";
import { openSource } from "./source.ts";
import { importTokens } from "./tables/import-api-keys.ts";
import { importChannels } from "./tables/import-channels.ts";
import { importCodes } from "./tables/import-codes.ts";
import { importLogs } from "./tables/import-logs.ts";
import { importOptions } from "./tables/import-options.ts";
import { importPlans } from "./tables/import-plans.ts";
import { importUsers } from "./tables/import-users.ts";

type Ids = Readonly<{ users: IdMap; tokens: IdMap; channels: IdMap }>;

/**
 * Books what was used before the log that came over begins, under the hour 0, so that counters and statistics add up to the
 * same. What a channel served is what users spent: it is taken off again under no user and no channel.
 */
async function carryOver({ database, isDry }: Migration, ids: Ids): Promise<void> {
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

type Target = Readonly<{ database: Database; vault: Vault }>;
/** `balanceUsd`: what accounts of LiteLLM without a total budget begin with; `env` has its salt key. */
type Choices = Readonly<{
  isDry: boolean;
  withLogs: boolean;
  balanceUsd?: number;
  asCaller?: AsCaller;
  env?: Readonly<Record<string, string | undefined>>;
}>;

/**
 * Brings what is at `from` (a SQLite file, or a mysql:// or postgres:// address of one-api, new-api, Veloera,
 * one-hub, done-hub or LiteLLM) into
 * the database, which no gateway may be using; the log only `withLogs`. What came over before is left as it is. Throws
 * SourceError.
 */
export async function runImport(
  { database, vault }: Target,
  from: string,
  choices: Choices,
): Promise<{ family: Family; report: Report }> {
  const source = await openSource(from, choices.asCaller);
  try {
    const family = await detectFamily(source);
    const report = createReport();
    report.coverage.push(...(await coverSource(source, family)));
    const migration: Migration = { source, family, database, vault, isDry: choices.isDry, report };
    if (family === "LiteLLM") await importLiteLlm(migration, choices);
    else if (family === "one-hub" || family === "done-hub")
      await importKin({ ...migration, source: hubAsKin(source, report) }, choices);
    else await importKin(migration, choices);
    return { family, report };
  } finally {
    await source.close();
  }
}

async function importKin(migration: Migration, { withLogs }: Choices): Promise<void> {
  const users = await importUsers(migration);
  const tokens = await importTokens(migration, { users });
  const channels = await importChannels(migration);
  await importCodes(migration, users);
  await importOptions(migration);
  await importPlans(migration, users);
  if (withLogs) await importLogs(migration, { users, tokens, channels });
  await carryOver(migration, { users, tokens, channels });
}

async function importLiteLlm(litellm: Migration, { withLogs, balanceUsd = 0, env = {} }: Choices): Promise<void> {
  const { database, vault, report } = litellm;
  const unitsAUsd = (await loadOptions(database.db, vault)).get("QuotaPerUnit") ?? "500000";
  const saltKey = env.LITELLM_SALT_KEY || env.LITELLM_MASTER_KEY || "";
  const options = { unitsAUsd, balanceUsd, saltKey, env, withLogs, report };
  const { source, teams, projects: ofTeams } = await translateLiteLlm(litellm.source, options);
  const migration = { ...litellm, source };
  const users = await importUsers(migration);
  const projects = await importTeams(migration, teams, ofTeams, users);
  const tokens = await importTokens(migration, { users, projects });
  const channels = await importChannels(migration);
  await importOptions(migration);
  if (withLogs) await importLogs(migration, { users, tokens, channels });
  await carryOver(migration, { users, tokens, channels });
}
