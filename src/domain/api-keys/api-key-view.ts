import type { tokens } from "../../../db/schema/api-keys.ts";
import type { Vault } from "../../lib/security/crypto.ts";

export type ApiKeyRow = typeof tokens.$inferSelect;

/** An API key on the wire, for its owner: the key in clear, without `sk-`, as the ecosystem has it. */
export type ApiKeyView = Readonly<{
  id: number;
  user_id: number;
  /** The member who created a key of an organization; 0: nobody known. */
  created_by: number;
  /** The project of the organization that owns it; 0: none. */
  project_id: number;
  /** Empty for members who may not see it, and for keys that were imported by their hash. */
  key: string;
  status: number;
  name: string;
  created_time: number;
  accessed_time: number;
  expired_time: number;
  remain_quota: number;
  unlimited_quota: boolean;
  used_quota: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  /** Calls of which an upstream cannot express everything are refused. */
  strict: boolean;
  /** 0: no limit. */
  requests_per_minute: number;
  tokens_per_minute: number;
  /** `day`, `week` or `month`: `remain_quota` is `budget_quota` again at `budget_renews_at`; empty: never. */
  budget_period: string;
  budget_quota: number;
  budget_renews_at: number;
  /** The key before the last rotation works until then; 0: there is none. */
  previous_key_until: number;
  /** When the secret was made: by the last rotation, or with the key. */
  secret_time: number;
}>;

/** When the secret of a key was made, in epoch seconds. */
export const secretSinceOf = ({ createdTime, secretSince }: Pick<ApiKeyRow, "createdTime" | "secretSince">): number =>
  Math.max(createdTime, secretSince);

/** Turns a row into what its owner sees; without `withSecret` not the key itself. */
export const viewApiKey = (row: ApiKeyRow, vault: Vault, withSecret = true): ApiKeyView => ({
  id: row.id,
  user_id: row.userId,
  created_by: row.createdBy ?? 0,
  project_id: row.projectId ?? 0,
  key: withSecret && row.keyCipher !== "" ? vault.decrypt(row.keyCipher) : "",
  status: row.status,
  name: row.name,
  created_time: row.createdTime,
  accessed_time: row.accessedTime,
  expired_time: row.expiredTime,
  remain_quota: row.remainQuota,
  unlimited_quota: row.unlimitedQuota,
  used_quota: row.usedQuota,
  model_limits_enabled: row.modelLimitsEnabled,
  model_limits: row.modelLimits.join(","),
  allow_ips: row.allowIps,
  group: row.group,
  strict: row.strict,
  requests_per_minute: row.requestsPerMinute,
  tokens_per_minute: row.tokensPerMinute,
  budget_period: row.budgetPeriod,
  budget_quota: row.budgetQuota,
  budget_renews_at: row.budgetRenewsAt,
  previous_key_until: row.previousKeyUntil,
  secret_time: secretSinceOf(row),
});
