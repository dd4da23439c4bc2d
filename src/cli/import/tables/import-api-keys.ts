import { sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { AUTO_GROUP, namesInGroup } from "../../../domain/accounts/users/usable-groups.ts";
import { TOKEN_LIMITS } from "../../../domain/api-keys/api-key-rules.ts";
import { hashOfDigest } from "../../../domain/api-keys/directory/key-hash.ts";
import { parseJson } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { invalidIpEntries } from "../../../lib/security/ip-list.ts";
import { type IdMap, inStatements, type Migration, textArray } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, createFreeIds, flagOf, integerIn, listOf, momentOf, textOf } from "../values.ts";

const KIND = "API keys";

/** Ids of whom keys may refer to. */
type Owners = Readonly<{ users: IdMap; projects?: IdMap }>;

/** Brings API keys over: they go on working unchanged. */
export async function importTokens(migration: Migration, { users: userIds, projects }: Owners): Promise<IdMap> {
  const { source, database, report, isDry } = migration;
  const ids = await createFreeIds(migration, "tokens", "tokens");
  const map = new Map<number, number>();
  const section = report.section(KIND);
  for await (const all of source.slices("tokens")) {
    section.read += all.length;
    const rows = all.filter((row) => {
      const reason = objection(row, userIds);
      return reason === null || report.skip(KIND, reason);
    });
    const hashes = new Map(rows.map((row) => [row, hashOf(migration, row)]));
    const known = await findByHash(migration, [...hashes.values()]);
    const fresh = rows.filter((row) => !known.has(hashes.get(row) ?? ""));
    const assigned = await ids.assign(fresh.map((row) => integerIn(row, "id")));
    for (const row of rows) {
      const here = known.get(hashes.get(row) ?? "") ?? assigned.get(integerIn(row, "id"));
      if (here !== undefined) map.set(integerIn(row, "id"), here);
      section.before += balanceOf(row, "remain_quota");
    }
    section.present += rows.length - fresh.length;
    section.added += fresh.length;
    const values = fresh.map((row) => ({
      ...readToken(migration, row),
      id: assigned.get(integerIn(row, "id")),
      userId: userIds.get(integerIn(row, "user_id")) ?? 0,
      createdBy: userIds.get(integerIn(row, "created_by")) ?? null,
      projectId: projects?.get(integerIn(row, "project_id")) ?? null,
      keyHash: hashes.get(row) ?? "",
    }));
    if (isDry) continue;
    await database.db.transaction((tx) => inStatements(values, (part) => tx.insert(tokens).values(part)));
    section.after += await sumHere(
      migration,
      rows.map((row) => map.get(integerIn(row, "id")) ?? 0),
    );
  }
  await ids.finish();
  return map;
}

const keyOf = (row: SourceRow): string => textOf(row, "key").replace(/^sk-/, "");

/** LiteLLM stores nothing but the SHA-256 of a key. */
const hashOf = ({ family, vault }: Migration, row: SourceRow): string =>
  family === "LiteLLM" ? hashOfDigest(vault, keyOf(row)) : vault.keyedHash(keyOf(row));

function objection(row: SourceRow, userIds: IdMap): string | null {
  if (momentOf(row, "deleted_at") !== null) return "deleted at the source";
  if (keyOf(row) === "") return "without a key";
  if (!userIds.has(integerIn(row, "user_id"))) return "the owner did not come over";
  return null;
}

async function findByHash({ database }: Migration, hashes: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.db
    .select({ id: tokens.id, hash: tokens.keyHash })
    .from(tokens)
    .where(sql`${tokens.keyHash} = any(${textArray(hashes)}::text[])`);
  return new Map(rows.map(({ id, hash }) => [hash, id]));
}

function readToken({ vault, family, report }: Migration, row: SourceRow) {
  // one-api limits whenever there is a list, the others have a switch; addresses are a comma list there.
  const models = listOf(row, family === "one-api" ? "models" : "model_limits");
  const allowIps = family === "one-api" ? listOf(row, "subnet").join("\n") : textOf(row, "allow_ips");
  const areIpsValid = invalidIpEntries(allowIps).length === 0;
  if (!areIpsValid) report.remark(KIND, "disabled, its list of addresses makes no sense");
  const unlimitedQuota = flagOf(row, "unlimited_quota");
  if (!unlimitedQuota && integerIn(row, "remain_quota") < 0) report.remark(KIND, "overdrawn, now 0");
  const status = integerIn(row, "status", 1);
  const createdTime = integerIn(row, "created_time") || nowSeconds();
  return {
    name: textOf(row, "name") || "API key",
    keyCipher: family === "LiteLLM" ? "" : vault.encrypt(keyOf(row)),
    status: !areIpsValid ? 2 : status >= 1 && status <= 4 ? status : 2,
    remainQuota: balanceOf(row, "remain_quota"),
    usedQuota: balanceOf(row, "used_quota"),
    unlimitedQuota,
    createdTime,
    // Keys of its teams may have no creator, by which directories would see that policies can hold for them.
    secretSince: family === "LiteLLM" ? createdTime : 0,
    accessedTime: integerIn(row, "accessed_time"),
    expiredTime: integerIn(row, "expired_time", -1),
    modelLimitsEnabled: family === "one-api" ? models.length > 0 : flagOf(row, "model_limits_enabled"),
    modelLimits: models,
    allowIps,
    group: groupOf(row),
    requestsPerMinute: rateOf(row, "requests_per_minute"),
    tokensPerMinute: rateOf(row, "tokens_per_minute"),
    budgetPeriod: textOf(row, "budget_period"),
    budgetQuota: balanceOf(row, "budget_quota"),
    budgetRenewsAt: balanceOf(row, "budget_renews_at"),
  };
}

/** The groups of a key in order: a list of its own of new-api's, or the second group of one-hub's. */
function groupOf(row: SourceRow): string {
  const group = textOf(row, "group");
  const own: unknown = parseJson(textOf(row, "auto_groups") || "[]");
  if (group === AUTO_GROUP && Array.isArray(own) && own.length > 0) return namesInGroup(own.join(",")).join(",");
  return group === "" ? "" : namesInGroup(`${group},${textOf(row, "backup_group")}`).join(",");
}

const rateOf = (row: SourceRow, column: string): number => Math.min(balanceOf(row, column), TOKEN_LIMITS.rate);

async function sumHere({ database }: Migration, ids: readonly number[]): Promise<number> {
  const row = requireRow(
    await database.sql<{ sum: number }[]>`
    select coalesce(sum(remain_quota), 0)::bigint as sum from tokens where id in (select unnest(${`{${ids.join(",")}}`}::text::int[]))`,
  );
  return row.sum;
}
