import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./accounts/organizations/organizations.ts";
import { users } from "./accounts/users.ts";
import { epochSeconds, quotaUnits } from "./columns.ts";

/** Values of the column `status`. */
export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** API keys of users. */
export const tokens = pgTable(
  "tokens",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The member who created a key of an organization; null for keys of people. */
    createdBy: integer("created_by").references(() => users.id, { onDelete: "set null" }),
    /** The project of its organization that a key belongs to; null: none. */
    projectId: integer("project_id").references(() => projects.id, { onDelete: "set null" }),
    name: text("name").notNull(),
    /** Keyed hash of the key without `sk-`, or of the SHA-256 it was imported by, hex: how calls find it. */
    keyHash: text("key_hash").notNull(),
    /** The key, encrypted, so that its owner can see it again; empty: it was imported by its hash. */
    keyCipher: text("key_cipher").notNull(),
    /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
    status: integer("status").notNull().default(1),
    remainQuota: quotaUnits("remain_quota").notNull().default(0),
    held: quotaUnits("held").notNull().default(0),
    usedQuota: quotaUnits("used_quota").notNull().default(0),
    /** `used_quota` when the key's own quota was last set: what was used of that quota is counted from there. */
    usedBefore: quotaUnits("used_before").notNull().default(0),
    unlimitedQuota: boolean("unlimited_quota").notNull().default(false),
    createdTime: epochSeconds("created_time").notNull(),
    accessedTime: epochSeconds("accessed_time").notNull().default(0),
    /** Epoch seconds; -1 never. */
    expiredTime: epochSeconds("expired_time").notNull().default(-1),
    modelLimitsEnabled: boolean("model_limits_enabled").notNull().default(false),
    modelLimits: text("model_limits").array().notNull().default([]),
    /** One address or CIDR range a line; empty: everybody. */
    allowIps: text("allow_ips").notNull().default(""),
    /** Empty: the owner's group. */
    group: text("group").notNull().default(""),
    /** Calls of which an upstream cannot express everything are refused. */
    strict: boolean("strict").notNull().default(false),
    /** Calls a minute; 0: no limit of the key's own. */
    requestsPerMinute: integer("requests_per_minute").notNull().default(0),
    /** Tokens of prompts and answers a minute; 0: no limit of the key's own. */
    tokensPerMinute: integer("tokens_per_minute").notNull().default(0),
    /** `day`, `week` or `month`: `remain_quota` goes back to `budget_quota` when one begins; empty: never. */
    budgetPeriod: text("budget_period").notNull().default(""),
    budgetQuota: quotaUnits("budget_quota").notNull().default(0),
    /** When the running period ends; 0 without a period. */
    budgetRenewsAt: epochSeconds("budget_renews_at").notNull().default(0),
    /** When the secret was made; 0: with the key. */
    secretSince: epochSeconds("secret_since").notNull().default(0),
    /** Keyed hash of the key before the last rotation, which works until `previous_key_until`. */
    previousKeyHash: text("previous_key_hash"),
    previousKeyUntil: epochSeconds("previous_key_until").notNull().default(0),
    /** When the secret before the last rotation was made; 0: with the key. */
    previousSecretSince: epochSeconds("previous_secret_since").notNull().default(0),
    deletedAt: epochSeconds("deleted_at"),
  },
  (t) => [
    uniqueIndex("tokens_key_hash_key").on(t.keyHash),
    uniqueIndex("tokens_previous_key_hash_key").on(t.previousKeyHash),
    index("tokens_user_idx").on(t.userId, t.id),
    index("tokens_created_by_idx").on(t.createdBy).where(sql`${t.createdBy} is not null`),
    index("tokens_project_idx").on(t.projectId).where(sql`${t.projectId} is not null`),
    index("tokens_budget_renews_idx").on(t.budgetRenewsAt).where(sql`${t.budgetRenewsAt} > 0`),
    check("tokens_status_known", sql`${t.status} in (1, 2, 3, 4)`),
    check("tokens_budget_period_known", sql`${t.budgetPeriod} in ('', 'day', 'week', 'month')`),
    check("tokens_remain_not_negative", sql`${t.remainQuota} >= 0`),
    check("tokens_held_not_negative", sql`${t.held} >= 0`),
  ],
);

/** From which networks each API key is used: many new ones at once mean that it has leaked. */
export const keyNetworks = pgTable(
  "key_networks",
  {
    tokenId: integer("token_id")
      .notNull()
      .references(() => tokens.id, { onDelete: "cascade" }),
    /** An IPv4 /24 or an IPv6 /48. */
    network: text("network").notNull(),
    firstSeenAt: epochSeconds("first_seen_at").notNull(),
    /** To the day. */
    lastSeenAt: epochSeconds("last_seen_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tokenId, t.network] }),
    index("key_networks_first_seen_idx").on(t.firstSeenAt),
    index("key_networks_last_seen_idx").on(t.lastSeenAt),
  ],
);

/** API keys that a scanner of public code reported, each place once. */
export const keyLeaks = pgTable(
  "key_leaks",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    tokenId: integer("token_id")
      .notNull()
      .references(() => tokens.id, { onDelete: "cascade" }),
    /** Of the secret that was found: a rotation replaces it. */
    keyHash: text("key_hash").notNull(),
    /** Where it was found; empty: the scanner does not say. */
    url: text("url").notNull(),
    reportedAt: epochSeconds("reported_at").notNull(),
  },
  (t) => [
    uniqueIndex("key_leaks_place_key").on(t.tokenId, t.keyHash, t.url),
    index("key_leaks_reported_idx").on(t.reportedAt),
  ],
);

/**
 * Programs that ask for an API key by a code which their user confirms in the console (RFC 8628). `pending` until somebody decides;
 * `approved`: the program may fetch its key once; `claimed`: it has.
 */
export const deviceAuthorizations = pgTable(
  "device_authorizations",
  {
    /** Keyed hash of what the program asks with. */
    deviceHash: text("device_hash").primaryKey(),
    /** What its user enters, without the hyphen. */
    userCode: text("user_code").notNull(),
    /** What the program calls itself, and the machine it runs on. */
    client: text("client").notNull(),
    machine: text("machine").notNull(),
    ip: text("ip").notNull(),
    status: text("status").notNull().default("pending"),
    userId: integer("user_id").references(() => users.id, { onDelete: "cascade" }),
    tokenId: integer("token_id").references(() => tokens.id, { onDelete: "cascade" }),
    createdAt: epochSeconds("created_at").notNull(),
    expiresAt: epochSeconds("expires_at").notNull(),
    polledAt: epochSeconds("polled_at").notNull().default(0),
  },
  (t) => [
    uniqueIndex("device_authorizations_user_code_key").on(t.userCode),
    index("device_authorizations_expires_idx").on(t.expiresAt),
    index("device_authorizations_token_idx").on(t.tokenId).where(sql`${t.tokenId} is not null`),
    index("device_authorizations_user_idx").on(t.userId).where(sql`${t.userId} is not null`),
    check("device_authorizations_status_known", sql`${t.status} in ('pending', 'approved', 'denied', 'claimed')`),
  ],
);
