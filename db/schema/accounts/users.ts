import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../columns.ts";
import { adminRoles } from "./access/admin-roles.ts";

/** What users may set for themselves; unknown keys are kept. */
export type UserSetting = {
  notify_type?: string;
  quota_warning_threshold?: number;
  webhook_url?: string;
  /** Encrypted at rest. */
  webhook_secret?: string;
  notification_email?: string;
  accept_unset_model_ratio_model?: boolean;
  [key: string]: unknown;
};

export type AccountKind = "person" | "organization" | "service";

export const users = pgTable(
  "users",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    /**
     * `person`; `organization`: an account that has a wallet and API keys, and that nobody can sign in to; `service`: a
     * program that calls the management API.
     */
    kind: text("kind").$type<AccountKind>().notNull().default("person"),
    username: text("username").notNull(),
    /** argon2id, or bcrypt of an imported account; null when the account has no password. */
    passwordHash: text("password_hash"),
    displayName: text("display_name").notNull().default(""),
    role: integer("role").notNull().default(1),
    /** A role with rights to parts of the administration; null: none. */
    adminRoleId: integer("admin_role_id").references(() => adminRoles.id),
    status: integer("status").notNull().default(1),
    group: text("group").notNull().default("default"),
    quota: quotaUnits("quota").notNull().default(0),
    /** Part of `quota` that processes have set aside for calls under way (ledger). */
    held: quotaUnits("held").notNull().default(0),
    usedQuota: quotaUnits("used_quota").notNull().default(0),
    requestCount: bigint("request_count", { mode: "number" }).notNull().default(0),
    email: text("email"),
    affCode: text("aff_code").notNull(),
    affCodeModified: boolean("aff_code_modified").notNull().default(false),
    affCount: integer("aff_count").notNull().default(0),
    affQuota: quotaUnits("aff_quota").notNull().default(0),
    affHistoryQuota: quotaUnits("aff_history_quota").notNull().default(0),
    inviterId: integer("inviter_id").references((): AnyPgColumn => users.id, { onDelete: "set null" }),
    /** Unused: `access_tokens` has them. */
    accessTokenHash: text("access_token_hash"),
    setting: jsonb("setting").$type<UserSetting>().notNull().default({}),
    lastCheckInDay: date("last_check_in_day", { mode: "string" }),
    lastCheckInAt: epochSeconds("last_check_in_at"),
    /** The address from which it was registered, for a day, where the site counts them; IPv6 as its network. */
    registeredFrom: text("registered_from"),
    /** Sessions of an older version are void: raised by ban, role change, password change. */
    sessionVersion: integer("session_version").notNull().default(1),
    /** What administrators wrote about the user; the user never sees it. */
    note: text("note").notNull().default(""),
    /** Calls under way at the same time; 0: no limit of the user's own. */
    maxConcurrency: integer("max_concurrency").notNull().default(0),
    /** Calls in a minute; 0: no limit of the user's own. */
    requestsPerMinute: integer("requests_per_minute").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
    lastLoginAt: epochSeconds("last_login_at"),
    deletedAt: epochSeconds("deleted_at"),
  },
  (t) => [
    uniqueIndex("users_username_key").on(t.username),
    // Not unique: accounts of earlier versions and imported ones may differ only in case.
    index("users_username_folded_idx").on(sql`lower(${t.username})`),
    uniqueIndex("users_aff_code_key").on(t.affCode),
    uniqueIndex("users_access_token_hash_key").on(t.accessTokenHash),
    index("users_email_idx").on(sql`lower(${t.email})`),
    // Lists count by these, of a million users in a tenth of the time that the table takes.
    index("users_filters_idx").on(t.group, t.status, t.role, t.kind),
    index("users_inviter_idx").on(t.inviterId),
    index("users_registered_from_idx").on(t.registeredFrom).where(sql`${t.registeredFrom} is not null`),
    index("users_admin_role_idx").on(t.adminRoleId).where(sql`${t.adminRoleId} is not null`),
    check("users_quota_not_negative", sql`${t.quota} >= 0`),
    check("users_held_within_quota", sql`${t.held} >= 0`),
    check("users_aff_quota_not_negative", sql`${t.affQuota} >= 0`),
    check("users_role_known", sql`${t.role} in (1, 10, 100)`),
    check("users_admin_role_of_users", sql`${t.adminRoleId} is null or (${t.kind} = 'person' and ${t.role} = 1)`),
    check("users_status_known", sql`${t.status} in (1, 2, 3)`),
    check("users_kind_known", sql`${t.kind} in ('person', 'organization', 'service')`),
    check(
      "users_organization_without_sign_in",
      sql`${t.kind} = 'person' or (${t.passwordHash} is null and ${t.accessTokenHash} is null and ${t.email} is null and ${t.role} = 1)`,
    ),
  ],
);

/** A sign-in at an outside provider (github, oidc, linuxdo, wechat, telegram, discord, ldap, `sso-ID`) bound to a user. */
export const identities = pgTable(
  "identities",
  {
    provider: text("provider").notNull(),
    subject: text("subject").notNull(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.provider, t.subject] }),
    uniqueIndex("identities_user_provider_key").on(t.userId, t.provider),
  ],
);

/**
 * Former addresses and identities of accounts: unbound, or of a deregistered account. They keep a
 * deregistered person from registering again and getting rewards twice.
 */
export const formerIdentities = pgTable(
  "former_identities",
  {
    /** Keyed hash: addresses and names of deregistered people are not stored. */
    hash: text("hash").primaryKey(),
    /** The user that had it last. */
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: epochSeconds("created_at").notNull(),
  },
  (t) => [index("former_identities_user_idx").on(t.userId)],
);

export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the cookie's random value, hex. */
    id: text("id").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    version: integer("version").notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    expiresAt: epochSeconds("expires_at").notNull(),
    lastSeenAt: epochSeconds("last_seen_at").notNull(),
    ip: text("ip").notNull().default(""),
    userAgent: text("user_agent").notNull().default(""),
    /** The provider that signed in, as in identities; empty: none. */
    provider: text("provider").notNull().default(""),
    /** Its id token, encrypted, where a sign-out ends its session too; empty: none. */
    signOutHint: text("sign_out_hint").notNull().default(""),
  },
  (t) => [index("sessions_user_idx").on(t.userId), index("sessions_expires_idx").on(t.expiresAt)],
);

/** One-time codes sent by mail, hashed, bound to a purpose and an address. */
export const verificationCodes = pgTable(
  "verification_codes",
  {
    purpose: text("purpose").notNull(),
    target: text("target").notNull(),
    codeHash: text("code_hash").notNull(),
    attempts: integer("attempts").notNull().default(0),
    expiresAt: epochSeconds("expires_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.purpose, t.target] })],
);
