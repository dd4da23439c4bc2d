import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds } from "../../columns.ts";
import { users } from "../users.ts";
import { identityProviders } from "./identity-providers.ts";

/** People whom an identity provider provisions by SCIM, with what it says of them. */
export const scimUsers = pgTable(
  "scim_users",
  {
    providerId: integer("provider_id")
      .notNull()
      .references(() => identityProviders.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    userName: text("user_name").notNull(),
    externalId: text("external_id"),
    /** Null: the provider removed the attribute, and the account stays active. */
    active: boolean("active").default(true),
    /** Attributes of the resource that have no column. */
    attributes: jsonb("attributes").$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: epochSeconds("created_at").notNull(),
    updatedAt: epochSeconds("updated_at").notNull(),
    /** The account is banned because this provider deprovisioned it, so that the provider may lift the ban. */
    hasBanned: boolean("has_banned").notNull().default(false),
    /** The provider deleted the resource; the account stays, banned, and is found again by the name. */
    deletedAt: epochSeconds("deleted_at"),
  },
  (t) => [
    primaryKey({ columns: [t.providerId, t.userId] }),
    uniqueIndex("scim_users_name_key").on(t.providerId, sql`lower(${t.userName})`),
    index("scim_users_external_idx").on(t.providerId, t.externalId),
    index("scim_users_user_idx").on(t.userId),
  ],
);

/** Groups of an identity provider; mappings name them by their display name. */
export const scimGroups = pgTable(
  "scim_groups",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    providerId: integer("provider_id")
      .notNull()
      .references(() => identityProviders.id, { onDelete: "cascade" }),
    displayName: text("display_name").notNull(),
    externalId: text("external_id"),
    createdAt: epochSeconds("created_at").notNull(),
    updatedAt: epochSeconds("updated_at").notNull(),
  },
  (t) => [uniqueIndex("scim_groups_name_key").on(t.providerId, sql`lower(${t.displayName})`)],
);

export const scimGroupMembers = pgTable(
  "scim_group_members",
  {
    groupId: integer("group_id")
      .notNull()
      .references(() => scimGroups.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.userId] }), index("scim_group_members_user_idx").on(t.userId)],
);
