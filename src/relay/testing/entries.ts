import type { UserEntry } from "../../accounts/directory.ts";
import type { ChannelEntry } from "../../channels/entry.ts";
import type { TokenEntry } from "../../tokens/directory.ts";

export const userEntry = (given: Partial<UserEntry> = {}): UserEntry => ({
  id: 1,
  username: "alice",
  displayName: "Alice",
  role: 1,
  status: 1,
  group: "default",
  deleted: false,
  acceptUnsetPrice: false,
  sessionVersion: 1,
  accessTokenHash: null,
  maxConcurrency: 0,
  requestsPerMinute: 0,
  ...given,
});

export const tokenEntry = (given: Partial<TokenEntry> = {}): TokenEntry => ({
  id: 1,
  userId: 1,
  name: "key",
  status: 1,
  unlimitedQuota: true,
  expiredTime: -1,
  modelLimits: null,
  allowIps: null,
  group: "",
  keyHash: "",
  ...given,
});

export const channelEntry = (given: Partial<ChannelEntry> = {}): ChannelEntry => ({
  id: 1,
  type: 1,
  name: "channel",
  status: 1,
  priority: 0,
  weight: 0,
  keys: ["upstream-key"],
  disabledKeys: new Set(),
  baseUrl: "",
  other: "",
  openaiOrganization: "",
  maxInputTokens: 0,
  models: ["gpt-4o", "gpt-4o-mini", "text-embedding-3-small"],
  groups: ["default"],
  modelMapping: new Map(),
  statusCodeMapping: new Map(),
  paramOverride: null,
  setting: {},
  modelPrefix: "",
  tag: "",
  testModel: "",
  autoBan: true,
  ...given,
});
