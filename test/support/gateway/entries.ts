import type { PolicyRules } from "../../../db/schema/accounts/organizations/policies.ts";
import type { UserEntry, UserExtras } from "../../../src/domain/accounts/directory.ts";
import type { KeyExtras } from "../../../src/domain/api-keys/directory/api-key-table.ts";
import type { ApiKeyEntry } from "../../../src/domain/api-keys/directory/index.ts";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import { type PackedRow, packFields } from "../../../src/lib/values/tables/packed-rows.ts";

export const userEntry = (fields: Partial<UserEntry> = {}): UserEntry => ({
  id: 1,
  username: "alice",
  displayName: "Alice",
  role: 1,
  adminRoleId: null,
  status: 1,
  group: "default",
  deleted: false,
  kind: "person",
  acceptUnsetPrice: false,
  sessionVersion: 1,
  maxConcurrency: 0,
  requestsPerMinute: 0,
  ...fields,
});

export const tokenEntry = (fields: Partial<ApiKeyEntry> = {}): ApiKeyEntry => ({
  id: 1,
  userId: 1,
  projectId: 0,
  createdBy: 0,
  name: "key",
  status: 1,
  unlimitedQuota: true,
  expiredTime: -1,
  modelLimits: null,
  allowIps: null,
  group: "",
  keyHash: "",
  previousKeyHash: null,
  previousKeyUntil: 0,
  secretSince: 0,
  previousSecretSince: 0,
  strict: false,
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  budgetRenewsAt: 0,
  ...fields,
});

export const channelEntry = (fields: Partial<ChannelEntry> = {}): ChannelEntry => ({
  id: 1,
  type: 1,
  name: "channel",
  status: 1,
  priority: 0,
  weight: 0,
  keys: ["upstream-key"],
  references: new Map(),
  unresolved: [],
  disabledKeys: new Set(),
  baseUrl: "",
  other: "",
  openaiOrganization: "",
  maxInputTokens: 0,
  models: ["gpt-4o", "gpt-4o-mini", "text-embedding-3-small"],
  groups: ["default"],
  modelPatterns: null,
  modelMapping: new Map(),
  statusCodeMapping: new Map(),
  paramOverride: null,
  overrideRules: null,
  ownHeaders: null,
  setting: {},
  costs: null,
  modelPrefix: "",
  tag: "",
  testModel: "",
  autoBan: true,
  ...fields,
});

/** Rules of an organization's policy that forbid nothing but what is named. */
export const policyRules = (fields: Partial<PolicyRules> = {}): PolicyRules => ({
  ...{ models: [], channel_types: [], allow_ips: "", blocked_words: "" },
  ...{ no_content_log: false, max_key_days: 0, max_call_quota: 0, ...fields },
});

/** A key as the directory has it. */
export const tokenRow = (entry: ApiKeyEntry): PackedRow => {
  const { keyHash, userId, unlimitedQuota, name, status, expiredTime, projectId, createdBy } = entry;
  const { modelLimits, allowIps, group, previousKeyHash, previousKeyUntil } = entry;
  const { strict, requestsPerMinute, tokensPerMinute, budgetRenewsAt, secretSince, previousSecretSince } = entry;
  const extras: KeyExtras = [
    ...([status, expiredTime, projectId, createdBy, modelLimits && [...modelLimits], allowIps?.text ?? ""] as const),
    ...([group, previousKeyHash, previousKeyUntil, strict] as const),
    ...([requestsPerMinute, tokensPerMinute, budgetRenewsAt, secretSince, previousSecretSince] as const),
  ];
  const fields = [keyHash, String(userId), unlimitedQuota ? "t" : "f", JSON.stringify(extras), name];
  return { id: entry.id, text: packFields(fields) };
};

/** A user as the directory has it. */
export const userRow = (entry: UserEntry): PackedRow => {
  const { username, displayName, group, kind, role, adminRoleId, status } = entry;
  const { deleted, acceptUnsetPrice, maxConcurrency, requestsPerMinute } = entry;
  const extras: UserExtras = [
    ...([kind, role, adminRoleId, status, deleted, acceptUnsetPrice, maxConcurrency, requestsPerMinute] as const),
    entry.ownerIds ?? [],
  ];
  const fields = [username, displayName, group, String(entry.sessionVersion)];
  return { id: entry.id, text: packFields([...fields, JSON.stringify(extras)]) };
};
