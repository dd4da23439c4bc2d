import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";

export const MODEL = "benchmark";
const GROUP = "default";

/** Somebody who is in no database. */
export const user: UserEntry = {
  id: 0,
  username: "doctor",
  displayName: "doctor",
  role: 1,
  adminRoleId: null,
  status: 1,
  group: GROUP,
  deleted: false,
  kind: "person",
  acceptUnsetPrice: true,
  sessionVersion: 1,
  maxConcurrency: 0,
  requestsPerMinute: 0,
};

/** Their key, without a limit. */
export const token: ApiKeyEntry = {
  id: 0,
  userId: user.id,
  projectId: 0,
  createdBy: 0,
  name: "doctor",
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
};

/** The only channel: to a server of this process. */
export const channelTo = (baseUrl: string): ChannelEntry => ({
  id: 0,
  type: 1,
  name: "doctor",
  status: 1,
  priority: 0,
  weight: 0,
  keys: ["none"],
  references: new Map(),
  unresolved: [],
  disabledKeys: new Set(),
  baseUrl,
  other: "",
  openaiOrganization: "",
  maxInputTokens: 0,
  models: [MODEL],
  groups: [GROUP],
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
  autoBan: false,
});
